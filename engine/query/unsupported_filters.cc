// Operators that are known but need what this server does not have; each fails as MongoDB does
// without it.
#include "base/status.h"
#include "base/strings.h"
#include "engine/query/filter_families.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

// As a server started without a script engine answers.
constexpr int kNoScriptEngine = 6108304;

absl::Status ParseWhere(const FilterOperator& op, std::vector<FilterPtr>*) {
  if (op.level != FilterLevel::kTop) {
    return Error(ErrorCode::kBadValue, "$where can only be applied to the top-level document");
  }
  if (!op.parser.context().features.where) {
    return Error(ErrorCode::kBadValue, "$where is not allowed in this context");
  }
  const bson::Type type = op.operand.type();
  if (type != bson::Type::kString && type != bson::Type::kCode &&
      type != bson::Type::kCodeWithScope) {
    return Error(ErrorCode::kBadValue, "$where got bad type");
  }
  return Error(kNoScriptEngine, "no globalScriptEngine in $where parsing");
}

absl::Status CheckText(bson::View text) {
  if (!text.Find("$search").IsString()) {
    return Error(ErrorCode::kTypeMismatch, "\"$search\" had the wrong type. Expected string");
  }
  for (const bson::Element& element : text) {
    if (element.key == "$search") continue;
    const bool is_flag = element.key == "$caseSensitive" || element.key == "$diacriticSensitive";
    if (is_flag ? element.value.IsBool() : element.key == "$language" && element.value.IsString()) {
      continue;
    }
    if (is_flag || element.key == "$language") {
      return Error(ErrorCode::kTypeMismatch, StrCat("\"", element.key, "\" had the wrong type"));
    }
    return Error(ErrorCode::kBadValue, "extra fields in $text");
  }
  return absl::OkStatus();
}

absl::Status ParseText(const FilterOperator& op, std::vector<FilterPtr>*) {
  if (!op.operand.IsDocument()) return Error(ErrorCode::kBadValue, "$text expects an object");
  if (op.level != FilterLevel::kTop) {
    return Error(ErrorCode::kBadValue, "$text can only be applied to the top-level document");
  }
  if (!op.parser.context().features.text_search) {
    return Error(ErrorCode::kBadValue, "$text is not allowed in this context");
  }
  MAYFLY_RETURN_IF_ERROR(CheckText(op.operand.AsDocument()));
  return Error(ErrorCode::kIndexNotFound, "text index required for $text query");
}

absl::Status ParseNear(const FilterOperator& op, std::vector<FilterPtr>*) {
  if (!op.parser.context().features.near) {
    return Error(5626500, "$geoNear, $near, and $nearSphere are not allowed in this context");
  }
  return Error(ErrorCode::kNoQueryExecutionPlans,
               "error processing query: unable to find index for $geoNear query");
}

absl::Status ParseGeo(const FilterOperator& op, std::vector<FilterPtr>*) {
  return Error(ErrorCode::kNotImplemented, StrCat(op.name, " is not supported"));
}

constexpr FilterRow kRows[] = {
    {"$where", nullptr, ParseWhere, "JavaScript; not supported."},
    {"$text", nullptr, ParseText, "Text search; needs a text index."},
    {"$near", ParseNear, nullptr, "Nearest places; needs a geo index."},
    {"$nearSphere", ParseNear, nullptr, "Nearest places on a sphere; needs a geo index."},
    {"$geoWithin", ParseGeo, nullptr, "Inside an area; not supported."},
    {"$within", ParseGeo, nullptr, "Old name of $geoWithin; not supported."},
    {"$geoIntersects", ParseGeo, nullptr, "Crosses an area; not supported."},
};

}  // namespace

FilterFamily UnsupportedFilters() { return {"unsupported", kRows}; }

}  // namespace mayfly::engine
