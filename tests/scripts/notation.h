// The JSON of scripts: extended JSON that may be written as a person writes it.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "bson/value.h"

namespace mayfly::test {

// Extended JSON in which names need no quotes and 'single quotes' do as well: {insert: 'c', n: 1}.
absl::StatusOr<bson::Document> ParseNotation(std::string_view text);

// The strict JSON that ParseNotation makes of `text`.
std::string ToStrictJson(std::string_view text);

}  // namespace mayfly::test
