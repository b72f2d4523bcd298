// Window functions about the place of a document: $rank, $denseRank, $documentNumber, $shift.
#include "base/strings.h"
#include "bson/number.h"
#include "engine/aggregate/window.h"
#include "engine/expression/arguments.h"
#include "engine/expression/numeric.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

enum class Style { kRank, kDenseRank, kNumber };

class RankFunction final : public WindowFunction {
 public:
  explicit RankFunction(Style style) : style_(style) {}

  absl::StatusOr<std::vector<Value>> Compute(const Partition& partition) const override {
    std::vector<Value> out;
    int64_t rank = 0, dense = 0;
    std::vector<Value> before;
    for (size_t i = 0; i < partition.rows.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(std::vector<Value> key,
                              partition.sort->Key(partition.rows[i].doc(), partition.strings()));
      if (i == 0 || partition.sort->Compare(before, key, partition.strings()) != 0) {
        rank = static_cast<int64_t>(i) + 1;
        ++dense;
      }
      before = std::move(key);
      const int64_t number = style_ == Style::kRank        ? rank
                             : style_ == Style::kDenseRank ? dense
                                                           : static_cast<int64_t>(i) + 1;
      out.push_back(Value::IntFitting(number));
    }
    return out;
  }
  void AddDependencies(Dependencies*) const override {}

 private:
  const Style style_;
};

template <Style kStyle>
absl::StatusOr<WindowFunctionPtr> ParseRank(ValueView operand, const WindowRow& row,
                                            const WindowContext& context) {
  if (!operand.IsDocument() || !operand.AsDocument().empty()) {
    return base::Error(5371603,
                       base::StrCat(row.name, " must be specified with '{}' as the value"));
  }
  if (context.bounds) {
    return base::Error(5371601,
                       base::StrCat("Rank style window functions take no other arguments"));
  }
  if (!context.sort || context.sort->parts().size() != 1) {
    return base::Error(5371602,
                       base::StrCat(row.name,
                                    " must be specified with a top level sortBy expression with "
                                    "exactly one element"));
  }
  return WindowFunctionPtr(new RankFunction(kStyle));
}

class ShiftFunction final : public WindowFunction {
 public:
  ShiftFunction(ExpressionPtr output, int64_t by, Value otherwise)
      : output_(std::move(output)), by_(by), otherwise_(std::move(otherwise)) {}

  absl::StatusOr<std::vector<Value>> Compute(const Partition& partition) const override {
    std::vector<Value> out;
    const int64_t count = static_cast<int64_t>(partition.rows.size());
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = i + by_;
      if (at < 0 || at >= count) {
        out.push_back(otherwise_);
        continue;
      }
      MAYFLY_ASSIGN_OR_RETURN(Value value,
                              output_->Evaluate(partition.At(static_cast<size_t>(at))));
      if (value.IsMissing()) value = Value::Null();
      out.push_back(std::move(value));
    }
    return out;
  }
  void AddDependencies(Dependencies* out) const override { output_->AddDependencies(out); }

 private:
  const ExpressionPtr output_;
  const int64_t by_;
  const Value otherwise_;
};

absl::StatusOr<WindowFunctionPtr> ParseShift(ValueView operand, const WindowRow& row,
                                             const WindowContext& context) {
  constexpr int kFailedToParse = static_cast<int>(base::ErrorCode::kFailedToParse);
  if (context.bounds) {
    return base::Error(base::ErrorCode::kFailedToParse, "$shift does not accept a 'window' field");
  }
  if (!context.sort)
    return base::Error(base::ErrorCode::kFailedToParse, "'$shift' requires a sortBy");
  ExpressionPtr output, by, otherwise;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(
      operand, {row.name, kFailedToParse, kFailedToParse},
      {{"output", &output, kFailedToParse}, {"by", &by, kFailedToParse}, {"default", &otherwise}},
      context.expressions));
  if (!by->IsConstant() || !IsIntegral32(*by->Constant())) {
    return base::Error(base::ErrorCode::kFailedToParse, "'$shift:by' field must be an integer");
  }
  if (otherwise && !otherwise->IsConstant()) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "'$shift:default' expression must yield a constant value.");
  }
  Value value = otherwise ? *otherwise->Constant() : Value::Null();
  const int64_t shift = bson::ToInt64Truncated(*by->Constant());
  return WindowFunctionPtr(new ShiftFunction(std::move(output), shift, std::move(value)));
}

constexpr WindowRow kRows[] = {
    {"$denseRank", ParseRank<Style::kDenseRank>, "the rank in the order, without gaps", true},
    {"$documentNumber", ParseRank<Style::kNumber>, "the number of the document in its partition",
     true},
    {"$rank", ParseRank<Style::kRank>, "the rank in the order, with gaps after equal documents",
     true},
    {"$shift", ParseShift, "the value of a document some places away"},
};

}  // namespace

absl::Span<const WindowRow> RankFunctions() { return kRows; }

}  // namespace mayfly::engine
