// The filter that finds the documents of another collection whose field equals one of a document
// here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/aggregate/pipeline.h"

namespace mayfly::engine {

// The values below `path`, the elements of arrays one by one; null if there is nothing.
std::vector<bson::ValueView> JoinValues(bson::View document, const std::vector<std::string>& path);

// {foreign: {$in: [values at `local`]}}.
absl::StatusOr<FilterPtr> MakeJoinFilter(bson::View document, const std::vector<std::string>& local,
                                         std::string_view foreign, const Runtime& runtime);
// {field: {$in: values}}, with regular expressions compared as values, and `and_also` if it is not
// empty.
absl::StatusOr<FilterPtr> MakeEqualsAnyFilter(std::string_view field,
                                              const std::vector<bson::ValueView>& values,
                                              bson::View and_also, const Runtime& runtime);

}  // namespace mayfly::engine
