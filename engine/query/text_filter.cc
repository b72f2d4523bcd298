#include "engine/query/text_filter.h"

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"
#include "engine/text/query.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

absl::Status Bad(std::string_view text) { return Error(ErrorCode::kBadValue, text); }

class TextNode final : public FilterNode, public TextSearch {
 public:
  TextNode(const text::Index& index, text::Query query, bson::View operand)
      : FilterNode(FilterKind::kText), index_(index), query_(std::move(query)), operand_(operand) {}

  absl::StatusOr<bool> Matches(bson::View document, MatchContext&) const override {
    return Score(document).has_value();
  }
  absl::StatusOr<bool> MatchesValue(bson::ValueView value, MatchContext&) const override {
    return value.IsDocument() && Score(value.AsDocument()).has_value();
  }
  void Serialize(bson::Builder* out) const override { out->Document("$text", operand_); }
  std::optional<double> Score(bson::View document) const override {
    return query_.Score(index_, document);
  }

 private:
  const text::Index& index_;
  const text::Query query_;
  const bson::Document operand_;
};

struct TextArguments {
  std::string_view search;
  std::string_view language;
  text::Sensitivity sensitivity;
};

absl::Status WrongType(std::string_view name, std::string_view expected) {
  return Error(ErrorCode::kTypeMismatch,
               StrCat("\"", name, "\" had the wrong type. Expected ", expected));
}

absl::StatusOr<TextArguments> ParseArguments(bson::View text) {
  TextArguments arguments;
  const bson::ValueView search = text.Find("$search");
  if (search.IsMissing()) return Error(ErrorCode::kNoSuchKey, "Missing expected field \"$search\"");
  if (!search.IsString()) return WrongType("$search", "string");
  arguments.search = search.AsString();
  for (const bson::Element& element : text) {
    if (element.key == "$search") continue;
    if (element.key == "$language") {
      if (!element.value.IsString()) return WrongType(element.key, "string");
      arguments.language = element.value.AsString();
    } else if (element.key == "$caseSensitive" || element.key == "$diacriticSensitive") {
      if (!element.value.IsBool()) return WrongType(element.key, "bool");
      (element.key == "$caseSensitive" ? arguments.sensitivity.to_case
                                       : arguments.sensitivity.to_diacritics) =
          element.value.AsBool();
    } else {
      return Bad("extra fields in $text");
    }
  }
  return arguments;
}

absl::Status CheckNearBeside(bson::View siblings) {
  for (const bson::Element& element : siblings) {
    if (!IsOperatorDocument(element.value)) continue;
    const std::string_view name = element.value.AsDocument().First().key;
    if (name == "$near" || name == "$nearSphere") {
      return Bad("text and geoNear not allowed in same query");
    }
  }
  return absl::OkStatus();
}

absl::Status ParseText(const FilterOperator& op, std::vector<FilterPtr>* out) {
  if (!op.operand.IsDocument()) return Bad("$text expects an object");
  if (op.level != FilterLevel::kTop) {
    return Bad("$text can only be applied to the top-level document");
  }
  const FilterParseContext& context = op.parser.context();
  if (!context.features.text_search) return Bad("$text is not allowed in this context");
  MAYFLY_ASSIGN_OR_RETURN(const TextArguments arguments, ParseArguments(op.operand.AsDocument()));
  MAYFLY_RETURN_IF_ERROR(CheckNearBeside(op.siblings));
  const text::Language* language = nullptr;
  if (!arguments.language.empty()) {
    language = text::FindLanguage(arguments.language);
    if (language == nullptr) {
      return Bad(StrCat("unsupported language: \"", arguments.language, "\" for text search"));
    }
  }
  if (context.text_index == nullptr) {
    return Error(ErrorCode::kIndexNotFound, "text index required for $text query");
  }
  if (context.text_index->hidden()) {
    return Error(ErrorCode::kNoQueryExecutionPlans,
                 "error processing query: planner returned error :: caused by :: need exactly one "
                 "text index for $text query");
  }
  if (language == nullptr) language = &context.text_index->default_language();
  out->push_back(std::make_unique<TextNode>(
      *context.text_index, text::Query(arguments.search, *language, arguments.sensitivity),
      op.operand.AsDocument()));
  return absl::OkStatus();
}

void Count(const FilterNode& node, bool allowed, int* count, bool* misplaced) {
  if (node.kind() == FilterKind::kText) {
    ++*count;
    *misplaced = *misplaced || !allowed;
  }
  const bool below = allowed && (node.kind() == FilterKind::kAnd || node.kind() == FilterKind::kOr);
  for (const FilterPtr& child : node.children()) Count(*child, below, count, misplaced);
}

constexpr FilterRow kRows[] = {
    {"$text", nullptr, ParseText, "Words that the fields of a text index have."},
};

}  // namespace

const TextSearch* FindText(const FilterNode& filter) {
  if (filter.kind() == FilterKind::kText) return &static_cast<const TextNode&>(filter);
  if (filter.kind() != FilterKind::kAnd && filter.kind() != FilterKind::kOr) return nullptr;
  for (const FilterPtr& child : filter.children()) {
    if (const TextSearch* text = FindText(*child); text != nullptr) return text;
  }
  return nullptr;
}

absl::Status CheckTextPlaces(const FilterNode& filter) {
  int count = 0;
  bool misplaced = false;
  Count(filter, true, &count, &misplaced);
  if (count > 1) return Bad("Too many text expressions");
  if (misplaced) return Bad("text expression not allowed in nor");
  return absl::OkStatus();
}

FilterFamily TextFilters() { return {"text", kRows}; }

}  // namespace mayfly::engine
