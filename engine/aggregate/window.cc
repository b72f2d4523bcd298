#include "engine/aggregate/window.h"

#include <algorithm>

#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/numeric.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

size_t Clamp(int64_t position, size_t count) {
  return static_cast<size_t>(std::clamp<int64_t>(position, 0, static_cast<int64_t>(count)));
}

// The sort value moved by a bound of a range.
absl::StatusOr<Value> Moved(const Value& value, const Value& by, const WindowBounds& bounds) {
  if (!bounds.unit) {
    if (!value.IsNumber()) {
      return base::Error(5429414,
                         base::StrCat("Expected the sortBy field to be a number, but it was ",
                                      bson::TypeName(value.type())));
    }
    return bson::Add(value, by);
  }
  if (value.type() != bson::Type::kDate) {
    return base::Error(5429513, base::StrCat("Expected the sortBy field to be a Date, but it was ",
                                             bson::TypeName(value.type())));
  }
  std::optional<int64_t> ms =
      AddUnits(value.view().AsDate(), *bounds.unit, bson::ToInt64Truncated(by), TimeZone());
  if (!ms) return base::Error(5166406, "the range of a window overflowed");
  return Value::Date(*ms);
}

absl::StatusOr<WindowRange> FindRange(const Partition& partition, const WindowBounds& bounds,
                                      size_t i) {
  const size_t count = partition.rows.size();
  MAYFLY_ASSIGN_OR_RETURN(const Value current, SortValue(partition, i));
  WindowRange range{0, count};
  if (bounds.range_low) {
    MAYFLY_ASSIGN_OR_RETURN(Value low, Moved(current, *bounds.range_low, bounds));
    for (; range.begin < count; ++range.begin) {
      MAYFLY_ASSIGN_OR_RETURN(const Value value, SortValue(partition, range.begin));
      if (bson::Compare(value, low) >= 0) break;
    }
  }
  if (bounds.range_high) {
    MAYFLY_ASSIGN_OR_RETURN(Value high, Moved(current, *bounds.range_high, bounds));
    range.end = range.begin;
    for (; range.end < count; ++range.end) {
      MAYFLY_ASSIGN_OR_RETURN(const Value value, SortValue(partition, range.end));
      if (bson::Compare(value, high) > 0) break;
    }
  }
  return range;
}

class AccumulatorFunction final : public WindowFunction {
 public:
  AccumulatorFunction(AccumulatorSpecPtr spec, WindowBounds bounds)
      : spec_(std::move(spec)), bounds_(std::move(bounds)) {}

  absl::StatusOr<std::vector<Value>> Compute(const Partition& partition) const override {
    const bool from_start = bounds_.kind == WindowBounds::Kind::kDocuments && !bounds_.low;
    return from_start ? ComputeGrowing(partition) : ComputeEach(partition);
  }
  void AddDependencies(Dependencies* out) const override { spec_->AddDependencies(out); }

 private:
  absl::Status Add(const Partition& partition, size_t i, Accumulator* state) const {
    Frame& frame = partition.At(i);
    Value scratch;
    ValueView value;
    if (spec_->argument()) {
      MAYFLY_ASSIGN_OR_RETURN(value, spec_->argument()->View(frame, &scratch));
    }
    return state->Add(value);
  }

  // Windows that begin with the partition only grow: every document is added once.
  absl::StatusOr<std::vector<Value>> ComputeGrowing(const Partition& partition) const {
    const size_t count = partition.rows.size();
    MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<Accumulator> state, spec_->New(partition.At(0)));
    std::vector<Value> out;
    size_t added = 0;
    for (size_t i = 0; i < count; ++i) {
      MAYFLY_ASSIGN_OR_RETURN(WindowRange range, FindWindow(partition, bounds_, i));
      const bool unchanged = added >= range.end && i > 0;
      for (; added < range.end; ++added) MAYFLY_RETURN_IF_ERROR(Add(partition, added, state.get()));
      if (unchanged) {
        out.push_back(out.back());
      } else if (range.end == count) {
        MAYFLY_ASSIGN_OR_RETURN(Value value, state->Result());
        out.push_back(std::move(value));
      } else {
        MAYFLY_ASSIGN_OR_RETURN(Value value, Snapshot(partition, range, state.get()));
        out.push_back(std::move(value));
      }
    }
    return out;
  }

  // Result() may end a state that collects values; others can go on.
  absl::StatusOr<Value> Snapshot(const Partition& partition, const WindowRange& range,
                                 Accumulator* state) const {
    if (state->MemoryBytes() == 0) return state->Result();
    return Compute(partition, range);
  }

  absl::StatusOr<std::vector<Value>> ComputeEach(const Partition& partition) const {
    std::vector<Value> out;
    for (size_t i = 0; i < partition.rows.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(WindowRange range, FindWindow(partition, bounds_, i));
      MAYFLY_ASSIGN_OR_RETURN(Value value, Compute(partition, range));
      out.push_back(std::move(value));
    }
    return out;
  }

  absl::StatusOr<Value> Compute(const Partition& partition, const WindowRange& range) const {
    MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<Accumulator> state, spec_->New(partition.At(0)));
    for (size_t i = range.begin; i < range.end; ++i)
      MAYFLY_RETURN_IF_ERROR(Add(partition, i, state.get()));
    return state->Result();
  }

  const AccumulatorSpecPtr spec_;
  const WindowBounds bounds_;
};

absl::Status BadBound(std::string_view text) {
  return base::Error(base::ErrorCode::kFailedToParse, text);
}

// "unbounded", "current", or a number.
absl::StatusOr<std::optional<Value>> ParseBound(ValueView bound, const ParseContext& context) {
  if (bound.IsString()) {
    if (bound.AsString() == "unbounded") return std::optional<Value>();
    if (bound.AsString() == "current") return std::optional<Value>(Value::Int32(0));
    return BadBound(base::StrCat(
        "Window bounds must be 'unbounded', 'current', or a number, but found ", bound.AsString()));
  }
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression, ParseExpression(bound, context));
  if (!expression->IsConstant() || !expression->Constant()->IsNumber()) {
    return BadBound("Window bounds expression must be a constant number");
  }
  return std::optional<Value>(*expression->Constant());
}

absl::StatusOr<std::optional<int64_t>> DocumentBound(const std::optional<Value>& bound) {
  if (!bound) return std::optional<int64_t>();
  std::optional<int64_t> number = bson::ToInt64Exact(*bound);
  if (!number) return BadBound("Numeric document-based bounds must be an integer");
  return number;
}

absl::Status ParseRangeUnit(ValueView unit, const SortPattern* sort, WindowBounds* out) {
  if (!sort || sort->parts().size() != 1) {
    return base::Error(5339902, "Range-based bounds require sortBy a single field");
  }
  if (sort->parts()[0].descending) {
    return base::Error(8947401, "Range-based bounds require an ascending sortBy");
  }
  if (unit.IsMissing()) return absl::OkStatus();
  if (!unit.IsString()) return BadBound("'unit' must be a string");
  out->unit = ParseDateUnit(unit.AsString());
  if (!out->unit)
    return base::Error(base::ErrorCode::kFailedToParse,
                       base::StrCat("unknown time unit value: ", unit.AsString()));
  for (const std::optional<Value>& bound : {out->range_low, out->range_high}) {
    if (bound && !bson::ToInt64Exact(*bound))
      return BadBound("With 'unit', range-based bounds must be an integer");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Value> SortValue(const Partition& partition, size_t i) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<Value> key,
                          partition.sort->Key(partition.rows[i].doc(), partition.strings()));
  return std::move(key[0]);
}

absl::StatusOr<WindowRange> FindWindow(const Partition& partition, const WindowBounds& bounds,
                                       size_t i) {
  if (bounds.kind == WindowBounds::Kind::kRange) return FindRange(partition, bounds, i);
  const size_t count = partition.rows.size();
  const int64_t at = static_cast<int64_t>(i);
  WindowRange range{0, count};
  if (bounds.low) range.begin = Clamp(at + *bounds.low, count);
  if (bounds.high) range.end = Clamp(at + *bounds.high + 1, count);
  range.end = std::max(range.begin, range.end);
  return range;
}

WindowFunctionPtr MakeAccumulatorFunction(AccumulatorSpecPtr spec, const WindowBounds& bounds) {
  return WindowFunctionPtr(new AccumulatorFunction(std::move(spec), bounds));
}

absl::StatusOr<WindowBounds> ParseWindowBounds(ValueView window, const ParseContext& context,
                                               const SortPattern* sort) {
  if (!window.IsDocument()) return BadBound("'window' field must be an object");
  WindowBounds out;
  const ValueView documents = window.AsDocument().Find("documents"),
                  range = window.AsDocument().Find("range");
  for (const bson::Element& element : window.AsDocument()) {
    if (element.key == "documents" || element.key == "range" || element.key == "unit") continue;
    return BadBound(base::StrCat(
        "'window' field can only contain 'documents', 'range', or 'unit', not ", element.key));
  }
  if (!documents.IsMissing() && !range.IsMissing()) {
    return BadBound("Window bounds can specify either 'documents' or 'range', not both");
  }
  const ValueView pair = documents.IsMissing() ? range : documents;
  if (pair.IsMissing()) return out;
  if (!pair.IsArray() || pair.AsDocument().Count() != 2) {
    return BadBound("Window bounds must be a 2-element array");
  }
  MAYFLY_ASSIGN_OR_RETURN(std::optional<Value> low,
                          ParseBound(pair.AsDocument().Find("0"), context));
  MAYFLY_ASSIGN_OR_RETURN(std::optional<Value> high,
                          ParseBound(pair.AsDocument().Find("1"), context));
  if (low && high && bson::CompareNumbers(*low, *high) > 0) {
    return base::Error(5339900, "Lower bound must not exceed upper bound");
  }
  if (!documents.IsMissing()) {
    if (window.AsDocument().Has("unit"))
      return BadBound("Window bounds can only specify 'unit' with range-based bounds.");
    if (!sort && (low || high))
      return base::Error(5339901, "Document-based bounds require a sortBy");
    MAYFLY_ASSIGN_OR_RETURN(out.low, DocumentBound(low));
    MAYFLY_ASSIGN_OR_RETURN(out.high, DocumentBound(high));
    return out;
  }
  out.kind = WindowBounds::Kind::kRange;
  out.range_low = std::move(low);
  out.range_high = std::move(high);
  MAYFLY_RETURN_IF_ERROR(ParseRangeUnit(window.AsDocument().Find("unit"), sort, &out));
  return out;
}

const WindowRow* FindWindowFunction(std::string_view name) {
  for (absl::Span<const WindowRow> family :
       {MomentFunctions(), RankFunctions(), SeriesFunctions()}) {
    for (const WindowRow& row : family) {
      if (row.name == name) return &row;
    }
  }
  return nullptr;
}

}  // namespace mayfly::engine
