// Filters and documents as extended JSON, for the tests of this folder.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/random.h"
#include "base/status.h"
#include "bson/json.h"
#include "bson/value.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

// '%' stands for '$' where the JSON parser would take the name for a type ("%regex", "%type").
inline bson::Document Json(std::string_view text) {
  absl::StatusOr<bson::Document> document = bson::ParseJson(text);
  if (!document.ok()) return bson::Document();
  std::string bytes = std::move(*document).TakeBytes();
  for (size_t i = 0; i + 1 < bytes.size(); ++i) {
    if (bytes[i] == '%' && std::islower(static_cast<unsigned char>(bytes[i + 1]))) bytes[i] = '$';
  }
  return bson::Document(std::move(bytes));
}

inline absl::StatusOr<FilterPtr> Parse(std::string_view filter,
                                       const bson::StringComparator* strings = nullptr) {
  static const EvaluationContext evaluation;
  FilterParseContext context;
  context.strings = strings;
  context.evaluation = &evaluation;
  return ParseFilter(Json(filter), context);
}

// 1 or 0 for the answer, the negated error code for a failure.
inline int Match(std::string_view filter, std::string_view document) {
  const absl::StatusOr<FilterPtr> node = Parse(filter);
  if (!node.ok()) return -static_cast<int>(base::CodeOf(node.status()));
  const EvaluationContext evaluation;
  MatchContext context(evaluation);
  const absl::StatusOr<bool> matches = (*node)->Matches(Json(document), context);
  if (!matches.ok()) return -static_cast<int>(base::CodeOf(matches.status()));
  return *matches ? 1 : 0;
}

}  // namespace mayfly::engine
