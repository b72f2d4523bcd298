// Values by position or order: $first, $last, $firstN, $lastN, $minN, $maxN, $top, $topN, $bottom,
// $bottomN.
#include <algorithm>
#include <deque>

#include "base/strings.h"
#include "engine/aggregate/accumulator.h"
#include "engine/expression/arguments.h"
#include "engine/expression/element_count.h"
#include "engine/expression/sort_pattern.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

class FirstState final : public Accumulator {
 public:
  absl::Status Add(ValueView value) override {
    if (!seen_) value_ = Value(value);
    seen_ = true;
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return value_.IsMissing() ? Value::Null() : value_; }
  int64_t MemoryBytes() const override { return value_.view().size(); }

 private:
  bool seen_ = false;
  Value value_;
};

class LastState final : public Accumulator {
 public:
  absl::Status Add(ValueView value) override {
    value_ = Value(value);
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return value_.IsMissing() ? Value::Null() : value_; }
  int64_t MemoryBytes() const override { return value_.view().size(); }

 private:
  Value value_;
};

class FirstNState final : public Accumulator {
 public:
  FirstNState(size_t n, const bson::StringComparator*) : n_(n) {}
  absl::Status Add(ValueView value) override {
    if (values_.size() < n_) values_.emplace_back(value);
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return MakeArrayValue(values_); }

 private:
  const size_t n_;
  std::vector<Value> values_;
};

class LastNState final : public Accumulator {
 public:
  LastNState(size_t n, const bson::StringComparator*) : n_(n) {}
  absl::Status Add(ValueView value) override {
    values_.emplace_back(value);
    if (values_.size() > n_) values_.pop_front();
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return MakeArrayValue(values_); }

 private:
  const size_t n_;
  std::deque<Value> values_;
};

// Keeps the n best values in order.
template <int kSign>
class ExtremeNState final : public Accumulator {
 public:
  ExtremeNState(size_t n, const bson::StringComparator* strings) : n_(n), strings_(strings) {}
  absl::Status Add(ValueView value) override {
    if (value.IsNullish()) return absl::OkStatus();
    auto at = std::upper_bound(
        values_.begin(), values_.end(), value,
        [this](ValueView a, const Value& b) { return kSign * bson::Compare(a, b, strings_) > 0; });
    if (values_.size() == n_ && at == values_.end()) return absl::OkStatus();
    values_.insert(at, Value(value));
    if (values_.size() > n_) values_.pop_back();
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return MakeArrayValue(values_); }

 private:
  const size_t n_;
  const bson::StringComparator* strings_;
  std::vector<Value> values_;
};

template <typename State>
class NSpec final : public AccumulatorSpec {
 public:
  NSpec(ExpressionPtr input, ExpressionPtr n)
      : AccumulatorSpec(std::move(input)), n_(std::move(n)) {}

  absl::StatusOr<std::unique_ptr<Accumulator>> New(Frame& frame) const override {
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView value, n_->View(frame, &scratch));
    MAYFLY_ASSIGN_OR_RETURN(int64_t n, ParseElementCount(value));
    return std::make_unique<State>(static_cast<size_t>(n), frame.context().strings);
  }

 private:
  const ExpressionPtr n_;
};

// A constant `n` is checked while parsing.
absl::Status CheckConstantCount(const ExpressionPtr& n) {
  if (!n->IsConstant()) return absl::OkStatus();
  return ParseElementCount(n->Constant()->view()).status();
}

template <typename State>
absl::StatusOr<AccumulatorSpecPtr> ParseN(ValueView operand, const AccumulatorRow& row,
                                          const ParseContext& context) {
  ExpressionPtr n, input;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(operand, {row.name, 5787801, 5787901},
                                             {{"n", &n, 5787906}, {"input", &input, 5787907}},
                                             context));
  MAYFLY_RETURN_IF_ERROR(CheckConstantCount(n));
  return AccumulatorSpecPtr(new NSpec<State>(std::move(input), std::move(n)));
}

// The value and the sort key of a document together, as an array: the key's parts, then the output.
class KeyedExpression final : public Expression {
 public:
  KeyedExpression(std::shared_ptr<const SortPattern> pattern, ExpressionPtr output)
      : pattern_(std::move(pattern)), output_(std::move(output)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    std::vector<ValueView> views;
    MAYFLY_RETURN_IF_ERROR(pattern_->KeyViews(frame.root, frame.context().strings, &views));
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView output, output_->View(frame, &scratch));
    views.push_back(output);
    return MakeArrayValue(views);
  }
  void AddDependencies(Dependencies* out) const override {
    for (const SortPattern::Part& part : pattern_->parts()) out->paths.insert(part.dotted);
    output_->AddDependencies(out);
  }

 private:
  const std::shared_ptr<const SortPattern> pattern_;
  const ExpressionPtr output_;
};

enum class End { kTop, kBottom };

// Keeps the n documents that come first or last in the order; among equal ones, those that arrived
// first.
template <End kEnd>
class TopState final : public Accumulator {
 public:
  TopState(std::shared_ptr<const SortPattern> pattern, size_t n, bool single,
           const bson::StringComparator* strings)
      : pattern_(std::move(pattern)), n_(n), single_(single), strings_(strings) {}

  absl::Status Add(ValueView keyed) override {
    std::vector<ValueView> views = Elements(keyed);
    auto at = std::upper_bound(items_.begin(), items_.end(), views,
                               [this](const std::vector<ValueView>& a, const Item& b) {
                                 return pattern_->Compare(a, b, strings_) < 0;
                               });
    if (kEnd == End::kTop && items_.size() == n_ && at == items_.end()) return absl::OkStatus();
    if (kEnd == End::kBottom && items_.size() == n_ && at == items_.begin())
      return absl::OkStatus();
    Item item;
    for (ValueView view : views) item.emplace_back(view);
    items_.insert(at, std::move(item));
    if (items_.size() > n_) items_.erase(kEnd == End::kTop ? items_.end() - 1 : items_.begin());
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override {
    if (single_) return items_.empty() ? Value::Null() : items_[0].back();
    ArrayBuilder out;
    for (const Item& item : items_) out.Push(item.back());
    return out.Finish();
  }

 private:
  using Item = std::vector<Value>;  // the key's parts, then the output
  const std::shared_ptr<const SortPattern> pattern_;
  const size_t n_;
  const bool single_;
  const bson::StringComparator* strings_;
  std::vector<Item> items_;
};

template <End kEnd>
class TopSpec final : public AccumulatorSpec {
 public:
  TopSpec(std::shared_ptr<const SortPattern> pattern, ExpressionPtr keyed, ExpressionPtr n)
      : AccumulatorSpec(std::move(keyed)), pattern_(std::move(pattern)), n_(std::move(n)) {}

  absl::StatusOr<std::unique_ptr<Accumulator>> New(Frame& frame) const override {
    int64_t n = 1;
    if (n_) {
      Value scratch;
      MAYFLY_ASSIGN_OR_RETURN(ValueView value, n_->View(frame, &scratch));
      MAYFLY_ASSIGN_OR_RETURN(n, ParseElementCount(value));
    }
    return std::make_unique<TopState<kEnd>>(pattern_, static_cast<size_t>(n), n_ == nullptr,
                                            frame.context().strings);
  }

 private:
  const std::shared_ptr<const SortPattern> pattern_;
  const ExpressionPtr n_;  // null: one document, and its value alone
};

enum class Count { kOne, kMany };

template <End kEnd, Count kCount>
absl::StatusOr<AccumulatorSpecPtr> ParseTop(ValueView operand, const AccumulatorRow& row,
                                            const ParseContext& context) {
  NamedArgumentErrors errors{row.name, 5788001, 5788002};
  absl::StatusOr<std::vector<ValueView>> found =
      kCount == Count::kMany
          ? FindNamedArguments(operand, errors,
                               {{"sortBy", 5788005}, {"output", 5788004}, {"n", 5788003}})
          : FindNamedArguments(operand, errors, {{"sortBy", 5788005}, {"output", 5788004}});
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ValueView> arguments, std::move(found));
  if (!arguments[0].IsDocument()) {
    return base::Error(
        5788604,
        base::StrCat("expected 'sortBy' to already be an object in the arguments to ", row.name));
  }
  MAYFLY_ASSIGN_OR_RETURN(SortPattern parsed, SortPattern::Parse(arguments[0].AsDocument()));
  auto pattern = std::make_shared<const SortPattern>(std::move(parsed));
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr output, ParseExpression(arguments[1], context));
  ExpressionPtr n;
  if (kCount == Count::kMany) {
    MAYFLY_ASSIGN_OR_RETURN(n, ParseExpression(arguments[2], context));
    MAYFLY_RETURN_IF_ERROR(CheckConstantCount(n));
  }
  ExpressionPtr keyed(new KeyedExpression(pattern, std::move(output)));
  return AccumulatorSpecPtr(new TopSpec<kEnd>(std::move(pattern), std::move(keyed), std::move(n)));
}

constexpr AccumulatorRow kRows[] = {
    {"$bottom", ParseTop<End::kBottom, Count::kOne>,
     "the value of the document that is last in an order"},
    {"$bottomN", ParseTop<End::kBottom, Count::kMany>,
     "the values of the n documents that are last in an order"},
    {"$first", ParseUnary<FirstState>, "the value of the first document"},
    {"$firstN", ParseN<FirstNState>, "the values of the first n documents"},
    {"$last", ParseUnary<LastState>, "the value of the last document"},
    {"$lastN", ParseN<LastNState>, "the values of the last n documents"},
    {"$maxN", ParseN<ExtremeNState<1>>, "the n highest values"},
    {"$minN", ParseN<ExtremeNState<-1>>, "the n lowest values"},
    {"$top", ParseTop<End::kTop, Count::kOne>,
     "the value of the document that is first in an order"},
    {"$topN", ParseTop<End::kTop, Count::kMany>,
     "the values of the n documents that are first in an order"},
};

}  // namespace

absl::Span<const AccumulatorRow> OrderAccumulators() { return kRows; }

}  // namespace mayfly::engine
