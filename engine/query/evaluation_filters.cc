// $expr, $sampleRate, $comment: what is not about one field.
#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/expression.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

class ExpressionNode final : public FilterNode {
 public:
  ExpressionNode(ExpressionPtr expression, bson::ValueView source)
      : FilterNode(FilterKind::kExpression), expression_(std::move(expression)), source_(source) {}

  absl::StatusOr<bool> Matches(bson::View document, MatchContext& context) const override {
    Frame& frame = context.frame();
    frame.root = document;
    frame.row = context.row;
    bson::Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(const bson::ValueView value, expression_->View(frame, &scratch));
    return IsTrue(value);
  }
  absl::StatusOr<bool> MatchesValue(bson::ValueView value, MatchContext& context) const override {
    if (!value.IsDocument()) return false;
    return Matches(value.AsDocument(), context);
  }
  void Serialize(bson::Builder* out) const override { out->Append("$expr", source_); }
  bool DependsOnCollation() const override { return true; }
  const Expression* expression() const override { return expression_.get(); }

 private:
  ExpressionPtr expression_;
  bson::Value source_;
};

class SampleNode final : public FilterNode {
 public:
  explicit SampleNode(double rate) : FilterNode(FilterKind::kSample), rate_(rate) {}

  absl::StatusOr<bool> Matches(bson::View, MatchContext& context) const override {
    return Draw(context);
  }
  absl::StatusOr<bool> MatchesValue(bson::ValueView, MatchContext& context) const override {
    return Draw(context);
  }
  void Serialize(bson::Builder* out) const override { out->Double("$sampleRate", rate_); }

 private:
  bool Draw(MatchContext& context) const {
    base::Random* random = context.evaluation().random;
    return rate_ >= 1 || (random != nullptr && random->NextDouble() < rate_);
  }

  double rate_;
};

absl::Status ParseExpr(const FilterOperator& op, std::vector<FilterPtr>* out) {
  const FilterParseContext& context = op.parser.context();
  if (op.level != FilterLevel::kTop) {
    return Error(ErrorCode::kBadValue, "$expr can only be applied to the top-level document");
  }
  if (!context.features.expr || context.evaluation == nullptr) {
    return Error(ErrorCode::kQueryFeatureNotAllowed, "$expr is not allowed in this context");
  }
  const Variables none;
  ParseContext parse;
  parse.variables = context.variables != nullptr ? context.variables : &none;
  parse.evaluation = context.evaluation;
  parse.has_moment = context.has_moment;
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression, ParseExpression(op.operand, parse));
  out->push_back(std::make_unique<ExpressionNode>(std::move(expression), op.operand));
  return absl::OkStatus();
}

absl::Status ParseSampleRate(const FilterOperator& op, std::vector<FilterPtr>* out) {
  if (op.level != FilterLevel::kTop) {
    return Error(ErrorCode::kBadValue, "$sampleRate can only be applied to the top-level document");
  }
  if (!op.operand.IsNumber()) {
    return Error(ErrorCode::kBadValue, "argument to $sampleRate must be a numeric type");
  }
  const double rate = bson::ToDouble(op.operand);
  if (!(rate >= 0 && rate <= 1)) {
    return Error(ErrorCode::kBadValue, "numeric argument to $sampleRate must be in [0, 1]");
  }
  out->push_back(std::make_unique<SampleNode>(rate));
  return absl::OkStatus();
}

absl::Status ParseComment(const FilterOperator&, std::vector<FilterPtr>*) {
  return absl::OkStatus();
}

constexpr FilterRow kRows[] = {
    {"$expr", nullptr, ParseExpr, "The aggregation expression is true."},
    {"$sampleRate", nullptr, ParseSampleRate, "True at random, with this probability."},
    {"$comment", nullptr, ParseComment, "Text for logs; no condition."},
};

}  // namespace

FilterFamily EvaluationFilters() { return {"evaluation", kRows}; }

}  // namespace mayfly::engine
