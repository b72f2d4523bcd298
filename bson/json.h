// MongoDB Extended JSON v2, both ways. For tools, scripts, logs and error texts; never on a hot
// path.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "bson/value.h"

namespace mayfly::bson {

// Canonical or relaxed Extended JSON of one object. Error: 9 FailedToParse with the parser's text.
absl::StatusOr<Document> ParseJson(std::string_view json);

std::string ToCanonicalJson(View document);
std::string ToRelaxedJson(View document);

// The notation of MongoDB's error texts, with its truncation of long strings and deep nesting:
// { a: 1, b: "x", c: ObjectId('...'), d: [ 1.0, null ], e: new Date(0), f: BinData(0, 61), g:
// Timestamp(1, 2) }.
std::string ToShellText(View document);
std::string ToShellText(ValueView value);

// "507f1f77bcf86cd799439011"
std::string ToHex(const ObjectId& id);

}  // namespace mayfly::bson
