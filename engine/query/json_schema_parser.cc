// The keywords of $jsonSchema, a table at the end, and how each is read.
#include <set>

#include "absl/types/span.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/compare.h"
#include "bson/number.h"
#include "engine/query/json_schema.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Type;
using bson::Value;
using bson::ValueView;

absl::Status WrongType(const bson::Element& keyword, std::string_view expected) {
  return Error(ErrorCode::kTypeMismatch,
               StrCat("$jsonSchema keyword '", keyword.key, "' must be ", expected));
}

absl::Status Refused(const bson::Element& keyword, std::string_view text) {
  return Error(ErrorCode::kFailedToParse, StrCat("$jsonSchema keyword '", keyword.key, "' ", text));
}

// What JSON calls the types; `type` knows only these.
std::string_view BsonAlias(std::string_view json_type) {
  if (json_type == "boolean") return "bool";
  if (json_type == "object" || json_type == "array" || json_type == "number" ||
      json_type == "string" || json_type == "null") {
    return json_type;
  }
  return {};
}

absl::Status AddType(const bson::Element& keyword, ValueView name, TypeSet* out) {
  if (!name.IsString()) return WrongType(keyword, "either a string or an array of strings");
  const std::string_view text = name.AsString();
  if (text == "integer")
    return Error(ErrorCode::kFailedToParse,
                 "$jsonSchema type 'integer' is not currently supported.");
  if (keyword.key == "bsonType") return out->AddAlias(text);
  const std::string_view alias = BsonAlias(text);
  if (alias.empty()) return Error(ErrorCode::kBadValue, StrCat("Unknown type name alias: ", text));
  return out->AddAlias(alias);
}

absl::Status ParseTypes(const bson::Element& keyword, JsonSchema* out) {
  if (out->types) {
    return Error(ErrorCode::kFailedToParse,
                 "Cannot specify both $jsonSchema keywords 'type' and 'bsonType'");
  }
  TypeSet types;
  if (!keyword.value.IsArray()) {
    MAYFLY_RETURN_IF_ERROR(AddType(keyword, keyword.value, &types));
    out->types = types;
    return absl::OkStatus();
  }
  std::set<std::string_view> names;
  for (const bson::Element& item : keyword.value.AsDocument()) {
    MAYFLY_RETURN_IF_ERROR(AddType(keyword, item.value, &types));
    if (!names.insert(item.value.AsString()).second) {
      return Refused(keyword, StrCat("has duplicate value: ", item.value.AsString()));
    }
  }
  if (names.empty()) return Refused(keyword, "must name at least one type");
  out->types = types;
  return absl::OkStatus();
}

absl::StatusOr<JsonSchema::Ptr> ParseSub(const bson::Element& keyword, ValueView value) {
  if (!value.IsDocument()) return WrongType(keyword, "an object");
  return JsonSchema::Parse(value.AsDocument());
}

absl::Status ParseSubList(const bson::Element& keyword, std::vector<JsonSchema::Ptr>* out) {
  if (!keyword.value.IsArray()) return WrongType(keyword, "an array");
  for (const bson::Element& item : keyword.value.AsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(JsonSchema::Ptr schema, ParseSub(keyword, item.value));
    out->push_back(std::move(schema));
  }
  return absl::OkStatus();
}

absl::Status ParseNonEmptySubList(const bson::Element& keyword, std::vector<JsonSchema::Ptr>* out) {
  MAYFLY_RETURN_IF_ERROR(ParseSubList(keyword, out));
  return out->empty() ? Refused(keyword, "must be a non-empty array") : absl::OkStatus();
}

absl::Status ParseAdditional(const bson::Element& keyword, JsonSchema::Additional* out) {
  if (keyword.value.IsBool()) {
    out->allowed = keyword.value.AsBool();
    return absl::OkStatus();
  }
  if (!keyword.value.IsDocument()) return WrongType(keyword, "either an object or a boolean");
  MAYFLY_ASSIGN_OR_RETURN(out->schema, JsonSchema::Parse(keyword.value.AsDocument()));
  return absl::OkStatus();
}

absl::Status ParseCount(const bson::Element& keyword, std::optional<int64_t>* out) {
  *out = keyword.value.IsNumber() ? bson::ToInt64Exact(keyword.value) : std::nullopt;
  if (!*out || **out < 0) return Refused(keyword, "must be a representable, non-negative integer");
  return absl::OkStatus();
}

absl::Status ParseLimit(const bson::Element& keyword, std::optional<JsonSchema::Limit>* out) {
  if (!keyword.value.IsNumber()) return WrongType(keyword, "a number");
  if (!*out) *out = JsonSchema::Limit{};
  (*out)->value = Value(keyword.value);
  return absl::OkStatus();
}

absl::Status ParseExclusive(const bson::Element& keyword, std::optional<JsonSchema::Limit>* out) {
  if (!keyword.value.IsBool()) return WrongType(keyword, "a boolean");
  if (!*out) *out = JsonSchema::Limit{};
  (*out)->exclusive = keyword.value.AsBool();
  return absl::OkStatus();
}

// A list of distinct names, not empty.
absl::Status ParseNames(const bson::Element& keyword, ValueView list,
                        std::vector<std::string>* out) {
  if (!list.IsArray()) return WrongType(keyword, "an array");
  std::set<std::string_view> names;
  for (const bson::Element& item : list.AsDocument()) {
    if (!item.value.IsString()) return WrongType(keyword, "an array of strings");
    if (!names.insert(item.value.AsString()).second) {
      return Refused(keyword, StrCat("has duplicate value: ", item.value.AsString()));
    }
    out->emplace_back(item.value.AsString());
  }
  return names.empty() ? Refused(keyword, "cannot be an empty array") : absl::OkStatus();
}

absl::Status ParseEnum(const bson::Element& keyword, JsonSchema* out) {
  if (!keyword.value.IsArray()) return WrongType(keyword, "an array");
  for (const bson::Element& item : keyword.value.AsDocument()) {
    Value value = WithSortedFields(item.value);
    for (const Value& other : out->allowed_values) {
      if (bson::Equal(value, other)) return Refused(keyword, "cannot contain duplicate values");
    }
    out->allowed_values.push_back(std::move(value));
  }
  return out->allowed_values.empty() ? Refused(keyword, "cannot be an empty array")
                                     : absl::OkStatus();
}

absl::Status ParseMultipleOf(const bson::Element& keyword, JsonSchema* out) {
  if (!keyword.value.IsNumber()) return WrongType(keyword, "a number");
  const bool positive = !bson::IsNaN(keyword.value) && !bson::IsInfinite(keyword.value) &&
                        bson::CompareNumbers(keyword.value, Value::Int32(0)) > 0;
  if (!positive) return Refused(keyword, "must have a positive value");
  out->multiple_of = Value(keyword.value);
  return absl::OkStatus();
}

absl::Status ParsePattern(const bson::Element& keyword, JsonSchema* out) {
  if (!keyword.value.IsString()) return WrongType(keyword, "a string");
  MAYFLY_ASSIGN_OR_RETURN(Regex regex, Regex::Compile(keyword.value.AsString(), ""));
  out->pattern.emplace(std::move(regex));
  return absl::OkStatus();
}

absl::Status ParseUniqueItems(const bson::Element& keyword, JsonSchema* out) {
  if (!keyword.value.IsBool()) return WrongType(keyword, "a boolean");
  out->unique_items = keyword.value.AsBool();
  return absl::OkStatus();
}

absl::Status ParseItems(const bson::Element& keyword, JsonSchema* out) {
  if (keyword.value.IsArray()) {
    out->has_item_list = true;
    return ParseSubList(keyword, &out->item_list);
  }
  MAYFLY_ASSIGN_OR_RETURN(out->each_item, ParseSub(keyword, keyword.value));
  return absl::OkStatus();
}

absl::Status ParseProperties(const bson::Element& keyword, JsonSchema* out) {
  if (!keyword.value.IsDocument()) return WrongType(keyword, "an object");
  for (const bson::Element& property : keyword.value.AsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(JsonSchema::Ptr schema, ParseSub(keyword, property.value));
    out->properties.emplace_back(property.key, std::move(schema));
  }
  return absl::OkStatus();
}

absl::Status ParsePatternProperties(const bson::Element& keyword, JsonSchema* out) {
  if (!keyword.value.IsDocument()) return WrongType(keyword, "an object");
  for (const bson::Element& property : keyword.value.AsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(JsonSchema::Ptr schema, ParseSub(keyword, property.value));
    absl::StatusOr<Regex> regex = Regex::Compile(property.key, "");
    if (!regex.ok()) return Error(ErrorCode::kBadValue, base::MessageOf(regex.status()));
    out->pattern_properties.emplace_back(*std::move(regex), std::move(schema));
  }
  return absl::OkStatus();
}

absl::Status ParseDependencies(const bson::Element& keyword, JsonSchema* out) {
  if (!keyword.value.IsDocument()) return WrongType(keyword, "an object");
  for (const bson::Element& element : keyword.value.AsDocument()) {
    JsonSchema::Dependency dependency;
    dependency.name = element.key;
    if (element.value.IsDocument()) {
      MAYFLY_ASSIGN_OR_RETURN(dependency.schema, ParseSub(keyword, element.value));
    } else {
      MAYFLY_RETURN_IF_ERROR(ParseNames(keyword, element.value, &dependency.required));
    }
    out->dependencies.push_back(std::move(dependency));
  }
  return absl::OkStatus();
}

absl::Status ParseText(const bson::Element& keyword, JsonSchema*) {
  return keyword.value.IsString() ? absl::OkStatus() : WrongType(keyword, "a string");
}

absl::Status Unsupported(const bson::Element& keyword, JsonSchema*) {
  return Refused(keyword, "is not currently supported");
}

absl::Status ParseNot(const bson::Element& keyword, JsonSchema* out) {
  MAYFLY_ASSIGN_OR_RETURN(out->excluded, ParseSub(keyword, keyword.value));
  return absl::OkStatus();
}

struct KeywordRow {
  std::string_view name;
  absl::Status (*parse)(const bson::Element& keyword, JsonSchema* out);
};

using K = const bson::Element&;
using S = JsonSchema*;

constexpr KeywordRow kKeywords[] = {
    {"$ref", Unsupported},
    {"$schema", Unsupported},
    {"additionalItems", [](K k, S s) { return ParseAdditional(k, &s->additional_items); }},
    {"additionalProperties",
     [](K k, S s) { return ParseAdditional(k, &s->additional_properties); }},
    {"allOf", [](K k, S s) { return ParseNonEmptySubList(k, &s->all_of); }},
    {"anyOf", [](K k, S s) { return ParseNonEmptySubList(k, &s->any_of); }},
    {"bsonType", ParseTypes},
    {"default", Unsupported},
    {"definitions", Unsupported},
    {"dependencies", ParseDependencies},
    {"description", ParseText},
    {"enum", ParseEnum},
    {"exclusiveMaximum", [](K k, S s) { return ParseExclusive(k, &s->maximum); }},
    {"exclusiveMinimum", [](K k, S s) { return ParseExclusive(k, &s->minimum); }},
    {"format", Unsupported},
    {"id", Unsupported},
    {"items", ParseItems},
    {"maxItems", [](K k, S s) { return ParseCount(k, &s->max_items); }},
    {"maxLength", [](K k, S s) { return ParseCount(k, &s->max_length); }},
    {"maxProperties", [](K k, S s) { return ParseCount(k, &s->max_properties); }},
    {"maximum", [](K k, S s) { return ParseLimit(k, &s->maximum); }},
    {"minItems", [](K k, S s) { return ParseCount(k, &s->min_items); }},
    {"minLength", [](K k, S s) { return ParseCount(k, &s->min_length); }},
    {"minProperties", [](K k, S s) { return ParseCount(k, &s->min_properties); }},
    {"minimum", [](K k, S s) { return ParseLimit(k, &s->minimum); }},
    {"multipleOf", ParseMultipleOf},
    {"not", ParseNot},
    {"oneOf", [](K k, S s) { return ParseNonEmptySubList(k, &s->one_of); }},
    {"pattern", ParsePattern},
    {"patternProperties", ParsePatternProperties},
    {"properties", ParseProperties},
    {"required", [](K k, S s) { return ParseNames(k, k.value, &s->required); }},
    {"title", ParseText},
    {"type", ParseTypes},
    {"uniqueItems", ParseUniqueItems},
};

absl::Status RequireLimit(const std::optional<JsonSchema::Limit>& limit, std::string_view name,
                          std::string_view exclusive) {
  if (!limit || !limit->value.IsMissing()) return absl::OkStatus();
  return Error(
      ErrorCode::kFailedToParse,
      StrCat("$jsonSchema keyword '", name, "' must be a present if ", exclusive, " is present"));
}

}  // namespace

// The recursion is bounded by the nesting of the schema document.
absl::StatusOr<JsonSchema::Ptr> JsonSchema::Parse(bson::View schema) {
  auto result = std::make_unique<JsonSchema>();
  for (const bson::Element& keyword : schema) {
    const KeywordRow* found = nullptr;
    for (const KeywordRow& row : kKeywords) {
      if (row.name == keyword.key) found = &row;
    }
    if (found == nullptr) {
      return Error(ErrorCode::kFailedToParse, StrCat("Unknown $jsonSchema keyword: ", keyword.key));
    }
    MAYFLY_RETURN_IF_ERROR(found->parse(keyword, result.get()));
  }
  MAYFLY_RETURN_IF_ERROR(RequireLimit(result->minimum, "minimum", "exclusiveMinimum"));
  MAYFLY_RETURN_IF_ERROR(RequireLimit(result->maximum, "maximum", "exclusiveMaximum"));
  return result;
}

}  // namespace mayfly::engine
