// Operators that add array elements: $push with $each, $position, $slice, $sort; $addToSet with
// $each.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/compare.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/update/update_operator.h"
#include "engine/update/update_path.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

std::vector<bson::ValueView> ElementsOf(bson::ValueView array) {
  std::vector<bson::ValueView> elements;
  if (array.IsMissing()) return elements;
  for (const bson::Element& element : array.AsDocument()) elements.push_back(element.value);
  return elements;
}

bson::Value ArrayOf(const std::vector<bson::ValueView>& elements) {
  bson::Builder builder;
  builder.OpenArray("a");
  for (const bson::ValueView element : elements) builder.Push(element);
  builder.Close();
  return bson::Value(builder.Finish().Find("a"));
}

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('.') + 1); }

// The order $sort asks for: of whole elements, or by fields of elements that are documents.
class ElementOrder {
 public:
  static absl::StatusOr<ElementOrder> Parse(bson::ValueView sort,
                                            const bson::StringComparator* strings);

  bool operator()(bson::ValueView a, bson::ValueView b) const {
    if (fields_.empty()) return direction_ * bson::Compare(a, b, strings_) < 0;
    for (const Field& field : fields_) {
      const int order = bson::Compare(KeyOf(a, field.path), KeyOf(b, field.path), strings_);
      if (order != 0) return field.direction * order < 0;
    }
    return false;
  }

 private:
  struct Field {
    UpdatePath path;
    int direction;
  };

  // What is missing sorts as null.
  static bson::ValueView KeyOf(bson::ValueView element, const UpdatePath& path) {
    static constexpr uint8_t kNothing = 0;
    const bson::ValueView null(bson::Type::kNull, &kNothing, 0);
    if (!element.IsDocument()) return null;
    for (const std::string& part : path) {
      if (!element.IsContainer()) return null;
      element = element.AsDocument().Find(part);
    }
    return element.IsMissing() ? null : element;
  }

  int direction_ = 1;
  std::vector<Field> fields_;
  const bson::StringComparator* strings_ = nullptr;
};

// 1 or -1, or 0 if it is neither.
int Direction(bson::ValueView value) {
  if (!value.IsNumber()) return 0;
  const std::optional<int64_t> number = bson::ToInt64Exact(value);
  return number == 1 || number == -1 ? static_cast<int>(*number) : 0;
}

absl::StatusOr<ElementOrder> ElementOrder::Parse(bson::ValueView sort,
                                                 const bson::StringComparator* strings) {
  ElementOrder order;
  order.strings_ = strings;
  if (!sort.IsDocument()) {
    order.direction_ = Direction(sort);
    if (order.direction_ != 0) return order;
    return Error(ErrorCode::kBadValue,
                 "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to "
                 "sort embedded fields");
  }
  for (const bson::Element& field : sort.AsDocument()) {
    const int direction = Direction(field.value);
    if (direction == 0) {
      return Error(ErrorCode::kBadValue, "The $sort element value must be either 1 or -1");
    }
    UpdatePath path = SplitPath(field.key);
    if (path.size() == 1 && path[0].empty()) {
      return Error(ErrorCode::kBadValue, "The $sort field cannot be empty");
    }
    if (std::find(path.begin(), path.end(), "") != path.end()) {
      return Error(ErrorCode::kBadValue,
                   StrCat("The $sort field is a dotted field but has an empty part: ", field.key));
    }
    order.fields_.push_back({std::move(path), direction});
  }
  if (order.fields_.empty()) {
    return Error(ErrorCode::kBadValue,
                 "The $sort pattern is empty when it should be a set of fields.");
  }
  return order;
}

struct PushOptions {
  std::vector<bson::Value> values;
  std::optional<int64_t> position;
  std::optional<int64_t> slice;
  std::optional<ElementOrder> sort;
};

class Push : public UpdateOperator {
 public:
  explicit Push(PushOptions options) : options_(std::move(options)) {}

  MissingPath OnMissingPath(const UpdateTarget&) const override { return MissingPath::kCreate; }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const override {
    if (!target.value.IsMissing() && !target.value.IsArray()) {
      return Error(ErrorCode::kBadValue,
                   StrCat("The field '", target.path, "' must be an array but is of type ",
                          bson::TypeName(target.value.type()), " in document {_id: ",
                          bson::ToShellText(target.document.Find("_id")), "}"));
    }
    std::vector<bson::ValueView> elements = ElementsOf(target.value);
    const auto size = static_cast<int64_t>(elements.size());
    int64_t at = options_.position.value_or(size);
    if (at < 0) at = std::max<int64_t>(0, at + size);
    elements.insert(elements.begin() + std::min(at, size), options_.values.begin(),
                    options_.values.end());
    if (options_.sort) std::stable_sort(elements.begin(), elements.end(), *options_.sort);
    if (options_.slice) Slice(*options_.slice, &elements);
    return UpdateChange::ReplaceUnlessSame(target.value, ArrayOf(elements));
  }

 private:
  static void Slice(int64_t slice, std::vector<bson::ValueView>* elements) {
    const auto size = static_cast<int64_t>(elements->size());
    if (slice >= 0) {
      elements->resize(static_cast<size_t>(std::min(slice, size)));
    } else if (size > 0 && slice > -size) {
      elements->erase(elements->begin(), elements->end() + slice);
    }
  }

  PushOptions options_;
};

absl::StatusOr<int64_t> ParsePushInteger(const bson::Element& clause) {
  const std::optional<int64_t> number =
      clause.value.IsNumber() ? bson::ToInt64Exact(clause.value) : std::optional<int64_t>();
  if (number) return *number;
  return Error(ErrorCode::kBadValue,
               StrCat("The value for ", clause.key, " must be an integer value but was given ",
                      bson::ToShellText(clause.value)));
}

absl::Status ParseEach(const bson::Element& clause, const bson::StringComparator*,
                       PushOptions* options) {
  if (!clause.value.IsArray()) {
    return Error(ErrorCode::kBadValue,
                 StrCat("The argument to $each in $push must be an array but it was of type: ",
                        bson::TypeName(clause.value.type())));
  }
  for (const bson::ValueView element : ElementsOf(clause.value))
    options->values.emplace_back(element);
  return absl::OkStatus();
}

absl::Status ParsePosition(const bson::Element& clause, const bson::StringComparator*,
                           PushOptions* options) {
  MAYFLY_ASSIGN_OR_RETURN(options->position, ParsePushInteger(clause));
  return absl::OkStatus();
}

absl::Status ParseSlice(const bson::Element& clause, const bson::StringComparator*,
                        PushOptions* options) {
  MAYFLY_ASSIGN_OR_RETURN(options->slice, ParsePushInteger(clause));
  return absl::OkStatus();
}

absl::Status ParseSort(const bson::Element& clause, const bson::StringComparator* strings,
                       PushOptions* options) {
  MAYFLY_ASSIGN_OR_RETURN(options->sort, ElementOrder::Parse(clause.value, strings));
  return absl::OkStatus();
}

struct PushClauseRow {
  std::string_view name;
  absl::Status (*parse)(const bson::Element& clause, const bson::StringComparator* strings,
                        PushOptions* options);
  std::string_view help;
};

constexpr PushClauseRow kPushClauses[] = {
    {"$each", ParseEach, "The elements to add; also in $addToSet."},
    {"$position", ParsePosition, "Where to add them; negative: counted from the end."},
    {"$slice", ParseSlice, "How many elements to keep; negative: the last ones."},
    {"$sort", ParseSort, "The order of the whole array afterwards."},
};

absl::Status ParsePushClause(const bson::Element& clause, const bson::StringComparator* strings,
                             PushOptions* options) {
  for (const PushClauseRow& row : kPushClauses) {
    if (row.name == clause.key) return row.parse(clause, strings, options);
  }
  return Error(ErrorCode::kBadValue, StrCat("Unrecognized clause in $push: ", clause.key));
}

absl::StatusOr<UpdateOperatorPtr> ParsePush(const bson::Element& argument,
                                            const UpdateParseContext& context) {
  PushOptions options;
  if (!argument.value.IsDocument() || !argument.value.AsDocument().Has("$each")) {
    options.values.emplace_back(argument.value);
    return std::make_unique<Push>(std::move(options));
  }
  std::vector<std::string_view> seen;
  for (const bson::Element& clause : argument.value.AsDocument()) {
    if (std::find(seen.begin(), seen.end(), clause.key) != seen.end()) {
      return Error(ErrorCode::kBadValue, StrCat("Only one ", clause.key, " is supported."));
    }
    seen.push_back(clause.key);
    MAYFLY_RETURN_IF_ERROR(ParsePushClause(clause, context.evaluation->strings, &options));
  }
  return std::make_unique<Push>(std::move(options));
}

// Values, found by equality under a collation.
class ValueSet {
 public:
  explicit ValueSet(const bson::StringComparator* strings) : strings_(strings) {}

  // False if an equal value is there already.
  bool Insert(bson::ValueView value) {
    const uint64_t hash = bson::Hash(value, strings_);
    const auto [first, last] = values_.equal_range(hash);
    for (auto i = first; i != last; ++i) {
      if (bson::Equal(i->second, value, strings_)) return false;
    }
    values_.emplace(hash, value);
    return true;
  }

 private:
  const bson::StringComparator* strings_;
  std::unordered_multimap<uint64_t, bson::ValueView> values_;
};

class AddToSet : public UpdateOperator {
 public:
  AddToSet(std::vector<bson::Value> values, const bson::StringComparator* strings)
      : values_(std::move(values)), strings_(strings) {}

  MissingPath OnMissingPath(const UpdateTarget&) const override { return MissingPath::kCreate; }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const override {
    if (!target.value.IsMissing() && !target.value.IsArray()) {
      return Error(
          ErrorCode::kBadValue,
          StrCat("Cannot apply $addToSet to non-array field. Field named '", LastPart(target.path),
                 "' has non-array type ", bson::TypeName(target.value.type())));
    }
    std::vector<bson::ValueView> elements = ElementsOf(target.value);
    const size_t size = elements.size();
    ValueSet set(strings_);
    for (const bson::ValueView element : elements) set.Insert(element);
    for (const bson::Value& value : values_) {
      if (set.Insert(value)) elements.push_back(value);
    }
    if (elements.size() == size && !target.value.IsMissing()) return UpdateChange::None();
    return UpdateChange::Replace(ArrayOf(elements));
  }

 private:
  std::vector<bson::Value> values_;
  const bson::StringComparator* strings_;
};

absl::StatusOr<UpdateOperatorPtr> ParseAddToSet(const bson::Element& argument,
                                                const UpdateParseContext& context) {
  std::vector<bson::Value> values;
  const bson::StringComparator* strings = context.evaluation->strings;
  if (!argument.value.IsDocument() || argument.value.AsDocument().First().key != "$each") {
    values.emplace_back(argument.value);
    return std::make_unique<AddToSet>(std::move(values), strings);
  }
  const bson::ValueView each = argument.value.AsDocument().First().value;
  if (!each.IsArray()) {
    return Error(ErrorCode::kTypeMismatch,
                 StrCat("The argument to $each in $addToSet must be an array but it was of type ",
                        bson::TypeName(each.type())));
  }
  if (argument.value.AsDocument().Count() > 1) {
    return Error(ErrorCode::kBadValue, StrCat("Found unexpected fields after $each in $addToSet: ",
                                              bson::ToShellText(argument.value)));
  }
  for (const bson::ValueView element : ElementsOf(each)) values.emplace_back(element);
  return std::make_unique<AddToSet>(std::move(values), strings);
}

constexpr UpdateOperatorRow kRows[] = {
    {"$push", ParsePush,
     "Adds elements to an array; $each, $position, $sort and $slice say which and where."},
    {"$addToSet", ParseAddToSet, "Adds the elements that an array does not have yet."},
};

}  // namespace

std::vector<UpdateNameRow> PushClauses() {
  std::vector<UpdateNameRow> rows;
  for (const PushClauseRow& row : kPushClauses) rows.push_back({row.name, row.help});
  return rows;
}

UpdateOperatorFamily PushUpdateOperators() { return {kRows, std::size(kRows)}; }

}  // namespace mayfly::engine
