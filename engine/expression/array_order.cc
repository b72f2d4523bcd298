// Arrays by order: $sortArray, $firstN, $lastN, $maxN, $minN; and $zip.
#include <algorithm>

#include "absl/strings/str_split.h"
#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/arguments.h"
#include "engine/expression/element_count.h"
#include "engine/expression/numeric.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {

absl::StatusOr<int64_t> ParseElementCount(bson::ValueView n) {
  if (!n.IsNumber() || !IsIntegral64(n) || bson::ToInt64Truncated(n) <= 0) {
    return base::Error(
        7548606,
        base::StrCat("Value for 'n' must be a positive integral value, but found ", ValueText(n)));
  }
  return bson::ToInt64Truncated(n);
}

namespace {

using bson::Value;
using bson::ValueView;

// One field to order documents by. Arrays on the way are not walked through; missing counts as
// null.
struct FieldOrder {
  std::vector<std::string> path;
  bool descending;

  ValueView Find(ValueView document) const {
    static constexpr ValueView kNullView(bson::Type::kNull, nullptr, 0);
    for (const std::string& name : path) {
      if (!document.IsDocument()) return kNullView;
      document = document.AsDocument().Find(name);
    }
    return document.IsMissing() ? kNullView : document;
  }
};

// Orders by fields of documents, or whole values if there are none.
class SortArrayExpression final : public Expression {
 public:
  SortArrayExpression(ExpressionPtr input, std::vector<FieldOrder> fields, bool descending)
      : input_(std::move(input)), fields_(std::move(fields)), descending_(descending) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView input, input_->View(frame, &scratch));
    if (input.IsNullish()) return Value::Null();
    if (!input.IsArray()) {
      return base::Error(2942504, base::StrCat("The input argument to $sortArray must be an array, "
                                               "but was of type: ",
                                               bson::TypeName(input.type())));
    }
    const bson::StringComparator* strings = frame.context().strings;
    std::vector<ValueView> elements = Elements(input);
    std::stable_sort(elements.begin(), elements.end(),
                     [&](ValueView a, ValueView b) { return Compare(a, b, strings) < 0; });
    return MakeArrayValue(elements);
  }
  void AddDependencies(Dependencies* out) const override { input_->AddDependencies(out); }

 private:
  int Compare(ValueView a, ValueView b, const bson::StringComparator* strings) const {
    if (fields_.empty()) {
      const int order = bson::Compare(a, b, strings);
      return descending_ ? -order : order;
    }
    for (const FieldOrder& field : fields_) {
      const int order = bson::Compare(field.Find(a), field.Find(b), strings);
      if (order != 0) return field.descending ? -order : order;
    }
    return 0;
  }

  const ExpressionPtr input_;
  const std::vector<FieldOrder> fields_;
  const bool descending_;
};

// 1 or -1, or nullopt.
std::optional<int> Direction(ValueView value) {
  if (!IsIntegral64(value)) return std::nullopt;
  const int64_t order = bson::ToInt64Truncated(value);
  if (order != 1 && order != -1) return std::nullopt;
  return static_cast<int>(order);
}

absl::StatusOr<std::vector<FieldOrder>> ParseFieldOrders(bson::View sort_by) {
  std::vector<FieldOrder> out;
  for (const bson::Element& element : sort_by) {
    const std::optional<int> direction = Direction(element.value);
    if (!direction) {
      return base::Error(2942505, "The $sort element value must be either 1 or -1");
    }
    std::vector<std::string> path = absl::StrSplit(base::ToAbsl(element.key), '.');
    out.push_back({std::move(path), *direction < 0});
  }
  if (out.empty()) return base::Error(2942505, "The $sort pattern must not be empty");
  return out;
}

absl::StatusOr<ExpressionPtr> ParseSortArray(ValueView operand, const OperatorRow& row,
                                             const ParseContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ValueView> arguments,
                          FindNamedArguments(operand, {row.name, 2942500, 2942501},
                                             {{"input", 2942502}, {"sortBy", 2942503}}));
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr input, ParseExpression(arguments[0], context));
  const ValueView sort_by = arguments[1];
  std::vector<FieldOrder> fields;
  bool descending = false;
  if (sort_by.IsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(fields, ParseFieldOrders(sort_by.AsDocument()));
  } else if (!sort_by.IsNumber()) {
    return base::Error(2942507, "The $sort must be specified as an object or a number");
  } else {
    const std::optional<int> direction = Direction(sort_by);
    if (!direction) return base::Error(2942506, "The $sort element value must be either 1 or -1");
    descending = *direction < 0;
  }
  const bool constant = input->IsConstant();
  return Fold(
      ExpressionPtr(new SortArrayExpression(std::move(input), std::move(fields), descending)),
      constant, context);
}

enum class Which { kFirst, kLast, kMax, kMin };

std::vector<ValueView> Choose(Which which, std::vector<ValueView> elements, size_t n,
                              const bson::StringComparator* strings) {
  if (which == Which::kMax || which == Which::kMin) {
    std::erase_if(elements, [](ValueView v) { return v.IsNullish(); });
    std::stable_sort(elements.begin(), elements.end(), [&](ValueView a, ValueView b) {
      int order = bson::Compare(a, b, strings);
      return which == Which::kMax ? order > 0 : order < 0;
    });
  }
  n = std::min(n, elements.size());
  if (which == Which::kLast) return {elements.end() - n, elements.end()};
  return {elements.begin(), elements.begin() + n};
}

template <Which kWhich>
absl::StatusOr<Value> ChooseN(Arguments a, const Call& call) {
  MAYFLY_ASSIGN_OR_RETURN(int64_t n, ParseElementCount(a[0]));
  if (!a[1].IsArray()) {
    return base::Error(5788200,
                       base::StrCat("Input must be an array, but found ", ValueText(a[1])));
  }
  return MakeArrayValue(
      Choose(kWhich, Elements(a[1]), static_cast<size_t>(n), call.context.strings));
}

template <Which kWhich>
absl::StatusOr<ExpressionPtr> ParseChooseN(ValueView operand, const OperatorRow& row,
                                           const ParseContext& context) {
  static constexpr OperatorRow kFunction = {"", 2, 2, ChooseN<kWhich>, nullptr, ""};
  std::vector<ExpressionPtr> operands(2);
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(
      operand, {row.name, 5787801, 5787901},
      {{"n", &operands[0], 5787906}, {"input", &operands[1], 5787907}}, context));
  return MakeFunction(kFunction, std::move(operands), context);
}

class ZipExpression final : public Expression {
 public:
  ZipExpression(std::vector<ExpressionPtr> inputs, std::vector<ExpressionPtr> defaults,
                bool longest)
      : inputs_(std::move(inputs)), defaults_(std::move(defaults)), longest_(longest) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    std::vector<Value> scratch(inputs_.size()), default_scratch(defaults_.size());
    std::vector<std::vector<ValueView>> columns;
    size_t shortest = SIZE_MAX, longest = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(ValueView input, inputs_[i]->View(frame, &scratch[i]));
      if (input.IsNullish()) return Value::Null();
      if (!input.IsArray()) {
        return base::Error(
            34468, base::StrCat("$zip found a non-array expression in input: ", ValueText(input)));
      }
      columns.push_back(Elements(input));
      shortest = std::min(shortest, columns.back().size());
      longest = std::max(longest, columns.back().size());
    }
    std::vector<ValueView> defaults(inputs_.size());
    for (size_t i = 0; i < defaults_.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(defaults[i], defaults_[i]->View(frame, &default_scratch[i]));
    }
    ArrayBuilder out;
    for (size_t row = 0; row < (longest_ ? longest : shortest); ++row) {
      out.builder().PushOpenArray();
      for (size_t i = 0; i < columns.size(); ++i) {
        out.Push(row < columns[i].size() ? columns[i][row] : defaults[i]);
      }
      out.builder().Close();
    }
    return out.Finish();
  }
  void AddDependencies(Dependencies* out) const override {
    for (const ExpressionPtr& input : inputs_) input->AddDependencies(out);
    for (const ExpressionPtr& value : defaults_) value->AddDependencies(out);
  }

 private:
  const std::vector<ExpressionPtr> inputs_;
  const std::vector<ExpressionPtr> defaults_;
  const bool longest_;
};

absl::StatusOr<ExpressionPtr> ParseZip(ValueView operand, const OperatorRow& row,
                                       const ParseContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(
      std::vector<ValueView> arguments,
      FindNamedArguments(operand, {row.name, 34460, 34464},
                         {{"inputs", 0}, {"defaults", 0}, {"useLongestLength", 0}}));
  std::vector<ExpressionPtr> inputs, defaults;
  if (!arguments[0].IsMissing()) {
    if (!arguments[0].IsArray())
      return base::Error(34461, "inputs must be an array of expressions, found another type");
    MAYFLY_ASSIGN_OR_RETURN(inputs, ParseOperands(arguments[0], context));
  }
  if (!arguments[1].IsMissing()) {
    if (!arguments[1].IsArray())
      return base::Error(34462, "defaults must be an array of expressions, found another type");
    MAYFLY_ASSIGN_OR_RETURN(defaults, ParseOperands(arguments[1], context));
  }
  if (!arguments[2].IsMissing() && !arguments[2].IsBool()) {
    return base::Error(34463, base::StrCat("useLongestLength must be a bool, found ",
                                           bson::TypeName(arguments[2].type())));
  }
  bool longest = arguments[2].IsBool() && arguments[2].AsBool();
  if (inputs.empty()) return base::Error(34465, "$zip requires at least one input array");
  if (!defaults.empty() && !longest) {
    return base::Error(34466, "cannot specify defaults unless useLongestLength is true");
  }
  if (!defaults.empty() && defaults.size() != inputs.size()) {
    return base::Error(34467, "defaults and inputs must have the same length");
  }
  bool constant = AllConstant(inputs) && AllConstant(defaults);
  return Fold(ExpressionPtr(new ZipExpression(std::move(inputs), std::move(defaults), longest)),
              constant, context);
}

constexpr OperatorRow kRows[] = {
    {"$firstN", 1, 1, nullptr, ParseChooseN<Which::kFirst>, "the first n elements"},
    {"$lastN", 1, 1, nullptr, ParseChooseN<Which::kLast>, "the last n elements"},
    {"$maxN", 1, 1, nullptr, ParseChooseN<Which::kMax>, "the n highest elements"},
    {"$minN", 1, 1, nullptr, ParseChooseN<Which::kMin>, "the n lowest elements"},
    {"$sortArray", 1, 1, nullptr, ParseSortArray, "the elements in a given order"},
    {"$zip", 1, 1, nullptr, ParseZip,
     "arrays transposed: the n-th elements of all inputs together"},
};

}  // namespace

absl::Span<const OperatorRow> ArrayOrderOperators() { return kRows; }

}  // namespace mayfly::engine
