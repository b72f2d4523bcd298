// Operators that remove array elements: $pop, $pull, $pullAll.
#include <algorithm>
#include <functional>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/compare.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/query/filter.h"
#include "engine/update/update_operator.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

// The name under which an element is put when a filter looks at it alone.
constexpr std::string_view kElementName = "element";

// An array without the elements that `removes` chooses.
using Removes = std::function<absl::StatusOr<bool>(bson::ValueView element)>;
absl::StatusOr<UpdateChange> Without(bson::ValueView array, const Removes& removes) {
  bson::Builder builder;
  builder.OpenArray("a");
  bool any = false;
  for (const bson::Element& element : array.AsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(const bool remove, removes(element.value));
    any |= remove;
    if (!remove) builder.Push(element.value);
  }
  builder.Close();
  if (!any) return UpdateChange::None();
  return UpdateChange::Replace(bson::Value(builder.Finish().Find("a")));
}

class Pop : public UpdateOperator {
 public:
  explicit Pop(bool first) : first_(first) {}

  MissingPath OnMissingPath(const UpdateTarget&) const override {
    return MissingPath::kIgnoreIfViable;
  }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const override {
    if (!target.value.IsArray()) {
      return Error(ErrorCode::kTypeMismatch,
                   StrCat("Path '", target.path, "' contains an element of non-array type '",
                          bson::TypeName(target.value.type()), "'"));
    }
    const int last = target.value.AsDocument().Count() - 1;
    int index = 0;
    return Without(target.value, [&](bson::ValueView) { return index++ == (first_ ? 0 : last); });
  }

 private:
  bool first_;
};

absl::StatusOr<UpdateOperatorPtr> ParsePop(const bson::Element& argument,
                                           const UpdateParseContext&) {
  const std::optional<int64_t> end =
      argument.value.IsNumber() ? bson::ToInt64Exact(argument.value) : std::optional<int64_t>();
  if (!end) {
    return Error(ErrorCode::kFailedToParse,
                 StrCat("Expected ", argument.value.IsNumber() ? "an integer" : "a number",
                        " in: ", argument.key, ": ", bson::ToShellText(argument.value)));
  }
  if (*end != 1 && *end != -1) {
    return Error(ErrorCode::kFailedToParse, StrCat("$pop expects 1 or -1, found: ", *end));
  }
  return std::make_unique<Pop>(*end == -1);
}

// What $pull and $pullAll have in common: elements that fulfil a condition go.
class Cull : public UpdateOperator {
 public:
  MissingPath OnMissingPath(const UpdateTarget&) const override {
    return MissingPath::kIgnoreIfViable;
  }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const override {
    if (!target.value.IsArray()) {
      return Error(ErrorCode::kBadValue, "Cannot apply $pull to a non-array value");
    }
    return Without(target.value,
                   [&](bson::ValueView element) { return Chooses(element, *target.evaluation); });
  }

 protected:
  virtual absl::StatusOr<bool> Chooses(bson::ValueView element,
                                       const EvaluationContext& evaluation) const = 0;
};

class CullEqual : public Cull {
 public:
  CullEqual(std::vector<bson::Value> values, const bson::StringComparator* strings)
      : values_(std::move(values)), strings_(strings) {}

 protected:
  absl::StatusOr<bool> Chooses(bson::ValueView element, const EvaluationContext&) const override {
    return std::any_of(values_.begin(), values_.end(), [&](const bson::Value& value) {
      return bson::Equal(value, element, strings_);
    });
  }

 private:
  std::vector<bson::Value> values_;
  const bson::StringComparator* strings_;
};

// Elements that are documents and match a filter.
class CullDocuments : public Cull {
 public:
  explicit CullDocuments(FilterPtr filter) : filter_(std::move(filter)) {}

 protected:
  absl::StatusOr<bool> Chooses(bson::ValueView element,
                               const EvaluationContext& evaluation) const override {
    if (!element.IsDocument()) return false;
    MatchContext match(evaluation);
    return filter_->Matches(element.AsDocument(), match);
  }

 private:
  FilterPtr filter_;
};

// Elements of any type that fulfil the predicates of {element: {$gt: ...}}.
class CullValues : public Cull {
 public:
  explicit CullValues(FilterPtr filter) : filter_(std::move(filter)) {}

 protected:
  absl::StatusOr<bool> Chooses(bson::ValueView element,
                               const EvaluationContext& evaluation) const override {
    bson::Builder builder;
    builder.Append(kElementName, element);
    const bson::Document holder = builder.Finish();
    MatchContext match(evaluation);
    return filter_->Matches(holder, match);
  }

 private:
  FilterPtr filter_;
};

// True if {name: ...} is a predicate on the element itself and no condition on its fields.
bool IsPredicateName(std::string_view name) {
  static constexpr std::string_view kConditions[] = {
      "$and",   "$or",   "$nor",     "$not",        "$expr",
      "$where", "$text", "$comment", "$jsonSchema", "$sampleRate"};
  return !name.empty() && name[0] == '$' &&
         std::find(std::begin(kConditions), std::end(kConditions), name) == std::end(kConditions);
}

absl::StatusOr<UpdateOperatorPtr> ParsePull(const bson::Element& argument,
                                            const UpdateParseContext& context) {
  FilterParseContext filter_context;
  filter_context.strings = context.evaluation->strings;
  filter_context.evaluation = context.evaluation;
  filter_context.features = {.expr = false, .text_search = false, .near = false, .where = false};
  const bson::ValueView condition = argument.value;
  const bool is_predicate =
      condition.type() == bson::Type::kRegex ||
      (condition.IsDocument() && IsPredicateName(condition.AsDocument().First().key));
  if (is_predicate) {
    bson::Builder builder;
    builder.Append(kElementName, condition);
    MAYFLY_ASSIGN_OR_RETURN(FilterPtr filter, ParseFilter(builder.Finish(), filter_context));
    return std::make_unique<CullValues>(std::move(filter));
  }
  if (condition.IsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(FilterPtr filter, ParseFilter(condition.AsDocument(), filter_context));
    return std::make_unique<CullDocuments>(std::move(filter));
  }
  return std::make_unique<CullEqual>(std::vector<bson::Value>{bson::Value(condition)},
                                     context.evaluation->strings);
}

absl::StatusOr<UpdateOperatorPtr> ParsePullAll(const bson::Element& argument,
                                               const UpdateParseContext& context) {
  if (!argument.value.IsArray()) {
    return Error(ErrorCode::kBadValue,
                 StrCat("$pullAll requires an array argument but was given a ",
                        bson::TypeName(argument.value.type())));
  }
  std::vector<bson::Value> values;
  for (const bson::Element& element : argument.value.AsDocument())
    values.emplace_back(element.value);
  return std::make_unique<CullEqual>(std::move(values), context.evaluation->strings);
}

constexpr UpdateOperatorRow kRows[] = {
    {"$pop", ParsePop, "Removes the first (-1) or last (1) element of an array."},
    {"$pull", ParsePull, "Removes the elements of an array that match a condition."},
    {"$pullAll", ParsePullAll, "Removes the elements of an array that equal one of a list."},
};

}  // namespace

UpdateOperatorFamily RemovalUpdateOperators() { return {kRows, std::size(kRows)}; }

}  // namespace mayfly::engine
