// $densify: adds documents so that a field has no gaps larger than a step.
#include <algorithm>

#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "engine/aggregate/set_path.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/date_time.h"
#include "engine/expression/value_set.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

constexpr int64_t kMaxGeneratedDocuments = 500'000;

struct DensifySpec {
  std::vector<std::string> field;
  std::vector<std::vector<std::string>> partition_by;
  Value step;
  std::optional<DateUnit> unit;
  enum class Bounds : uint8_t { kFull, kPartition, kExplicit } bounds = Bounds::kFull;
  Value low, high;  // kExplicit

  bool OfType(ValueView v) const { return unit ? v.type() == bson::Type::kDate : v.IsNumber(); }
  // `base` moved by `count` steps.
  absl::StatusOr<Value> Step(const Value& base, int64_t count) const {
    if (!unit) {
      const Value distance = bson::Multiply(step, Value::Int64(count));
      Value moved = bson::Add(base, distance);
      const bool small = base.type() == bson::Type::kInt32 && step.type() == bson::Type::kInt32;
      if (small && moved.type() == bson::Type::kInt64)
        return Value::IntFitting(moved.view().AsInt64());
      return moved;
    }
    std::optional<int64_t> ms =
        AddUnits(base.view().AsDate(), *unit, bson::ToInt64Truncated(step) * count, TimeZone());
    if (!ms) return base::Error(base::ErrorCode::kOverflow, "$densify overflowed");
    return Value::Date(*ms);
  }
};

class DensifyStream final : public StageStream {
 public:
  DensifyStream(std::unique_ptr<Stream> source, const DensifySpec& spec, const Runtime& runtime)
      : StageStream(std::move(source)), spec_(spec), runtime_(runtime) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (!filled_) MAYFLY_RETURN_IF_ERROR(Fill());
    if (next_ >= out_.size()) return false;
    *row = std::move(out_[next_++]);
    return true;
  }

 private:
  struct Item {
    Value value;
    Row row;
  };
  struct Part {
    Value key;
    std::vector<Item> items;
  };

  ValueView FindPath(bson::View document, const std::vector<std::string>& path) const {
    ValueView value = document.Find(path[0]);
    for (size_t i = 1; i < path.size(); ++i) {
      if (!value.IsDocument()) return {};
      value = value.AsDocument().Find(path[i]);
    }
    return value;
  }

  absl::Status Fill() {
    std::vector<Row> untouched;
    int64_t bytes = 0;
    while (true) {
      Row row;
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(&row));
      if (!more) break;
      row.MakeOwned();
      bytes += row.doc().size() + sizeof(Item);
      MAYFLY_RETURN_IF_ERROR(CheckMemory(runtime_, bytes, "$densify"));
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
      const ValueView value = FindPath(row.doc(), spec_.field);
      if (value.IsNullish()) {
        untouched.push_back(std::move(row));
        continue;
      }
      if (!spec_.OfType(value)) {
        return base::Error(spec_.unit ? 6053600 : 5733201,
                           "PlanExecutor error during aggregation :: caused by :: "
                           "Densify field type must be numeric, or a date with a unit");
      }
      PartOf(row.doc())->items.push_back({Value(value), std::move(row)});
    }
    DropSource();
    filled_ = true;
    out_ = std::move(untouched);
    return DensifyAll();
  }

  Part* PartOf(bson::View document) {
    ArrayBuilder key;
    for (const std::vector<std::string>& path : spec_.partition_by)
      key.Push(FindPath(document, path));
    const Value value = key.Finish();
    for (Part& part : parts_) {
      if (bson::Equal(part.key, value, runtime_.evaluation->strings)) return &part;
    }
    parts_.push_back({value, {}});
    return &parts_.back();
  }

  absl::Status DensifyAll() {
    Value lowest, highest;
    for (Part& part : parts_) {
      std::stable_sort(part.items.begin(), part.items.end(), [](const Item& a, const Item& b) {
        return bson::Compare(a.value, b.value) < 0;
      });
      if (lowest.IsMissing() || bson::Compare(part.items.front().value, lowest) < 0)
        lowest = part.items.front().value;
      if (highest.IsMissing() || bson::Compare(part.items.back().value, highest) > 0)
        highest = part.items.back().value;
    }
    for (Part& part : parts_) {
      switch (spec_.bounds) {
        case DensifySpec::Bounds::kFull:
          MAYFLY_RETURN_IF_ERROR(DensifyPart(&part, lowest, highest, true));
          break;
        case DensifySpec::Bounds::kPartition: {
          const Value low = part.items.front().value, high = part.items.back().value;
          MAYFLY_RETURN_IF_ERROR(DensifyPart(&part, low, high, true));
          break;
        }
        case DensifySpec::Bounds::kExplicit:
          MAYFLY_RETURN_IF_ERROR(DensifyPart(&part, spec_.low, spec_.high, false));
          break;
      }
    }
    if (parts_.empty() && spec_.bounds == DensifySpec::Bounds::kExplicit &&
        spec_.partition_by.empty()) {
      Part empty;
      return DensifyPart(&empty, spec_.low, spec_.high, false);
    }
    return absl::OkStatus();
  }

  absl::Status DensifyPart(Part* part, const Value& low, const Value& high, bool high_included) {
    size_t i = 0;
    bson::Document model;
    if (!part->items.empty()) model = PartitionFields(part->items[0].row.doc());
    for (int64_t n = 0;; ++n) {
      MAYFLY_ASSIGN_OR_RETURN(Value at, spec_.Step(low, n));
      const int order = bson::Compare(at, high);
      if (order > 0 || (order == 0 && !high_included)) break;
      while (i < part->items.size() && bson::Compare(part->items[i].value, at) < 0)
        out_.push_back(std::move(part->items[i++].row));
      if (i < part->items.size() && bson::Compare(part->items[i].value, at) == 0) continue;
      if (++generated_ > kMaxGeneratedDocuments) {
        return base::Error(5897900,
                           "Generated too many documents in $densify, the limit is 500000");
      }
      Row row;
      row.Own(WithPath(model, spec_.field, at));
      out_.push_back(std::move(row));
    }
    while (i < part->items.size()) out_.push_back(std::move(part->items[i++].row));
    return absl::OkStatus();
  }

  bson::Document PartitionFields(bson::View document) const {
    bson::Document out;
    for (const std::vector<std::string>& path : spec_.partition_by) {
      out = WithPath(out, path, FindPath(document, path));
    }
    return out;
  }

  const DensifySpec& spec_;
  const Runtime& runtime_;
  std::vector<Part> parts_;
  std::vector<Row> out_;
  int64_t generated_ = 0;
  bool filled_ = false;
  size_t next_ = 0;
};

class DensifyStage final : public Stage {
 public:
  DensifyStage(const StageRow& row, DensifySpec spec) : Stage(row), spec_(std::move(spec)) {}
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<DensifyStream>(std::move(source), spec_, runtime);
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kNeedsAll; }

 private:
  const DensifySpec spec_;
};

absl::Status ParseBounds(ValueView bounds, DensifySpec* spec) {
  if (bounds.IsString()) {
    if (bounds.AsString() == "full")
      spec->bounds = DensifySpec::Bounds::kFull;
    else if (bounds.AsString() == "partition")
      spec->bounds = DensifySpec::Bounds::kPartition;
    else
      return base::Error(5946802, "Bounds string must either be 'full' or 'partition'");
    if (spec->bounds == DensifySpec::Bounds::kPartition && spec->partition_by.empty()) {
      return base::Error(5733408,
                         "one may not specify the bounds as 'partition' without specifying a "
                         "non-empty array of partitionByFields");
    }
    return absl::OkStatus();
  }
  if (!bounds.IsArray())
    return base::Error(5733402,
                       "the bounds in a range statement must be the string 'full', 'partition', or "
                       "an ascending array of two numbers or two dates");
  if (bounds.AsDocument().Count() != 2)
    return base::Error(5733403,
                       "a bounding array in a range statement must have exactly two elements");
  spec->bounds = DensifySpec::Bounds::kExplicit;
  spec->low = Value(bounds.AsDocument().Find("0"));
  spec->high = Value(bounds.AsDocument().Find("1"));
  if (!spec->OfType(spec->low) || !spec->OfType(spec->high)) {
    return base::Error(spec->unit ? 5733406 : 5733402,
                       "the bounds must be two numbers, or two dates if a unit is given");
  }
  if (bson::Compare(spec->low, spec->high) > 0) {
    return base::Error(5733404, "the bounds in a range statement must be in ascending order");
  }
  return absl::OkStatus();
}

absl::Status ParseRange(ValueView range, DensifySpec* spec) {
  if (!range.IsDocument())
    return base::Error(base::ErrorCode::kTypeMismatch,
                       "BSON field '$densify.range' must be an object");
  for (const bson::Element& element : range.AsDocument()) {
    if (element.key == "step" || element.key == "bounds" || element.key == "unit") continue;
    return base::Error(
        40415, base::StrCat("BSON field '$densify.range.", element.key, "' is an unknown field."));
  }
  const ValueView step = range.AsDocument().Find("step"), unit = range.AsDocument().Find("unit");
  const ValueView bounds = range.AsDocument().Find("bounds");
  if (step.IsMissing() || bounds.IsMissing()) {
    return base::Error(
        40414, "BSON field '$densify.range.step' or 'bounds' is missing but a required field");
  }
  if (!step.IsNumber() || bson::ToDouble(step) <= 0) {
    return base::Error(
        5733401,
        "the step parameter in a range statement must be a strictly positive numeric value");
  }
  spec->step = Value(step);
  if (!unit.IsMissing()) {
    spec->unit = unit.IsString() ? ParseDateUnit(unit.AsString()) : std::nullopt;
    if (!spec->unit) return base::Error(base::ErrorCode::kFailedToParse, "unknown time unit value");
    if (!bson::ToInt64Exact(step)) {
      return base::Error(6586400,
                         "The step parameter in a range statement must be a whole number when "
                         "densifying a date range");
    }
  }
  return ParseBounds(bounds, spec);
}

absl::Status ParseDensify(ValueView operand, const StageRow& row, const PipelineContext&,
                          std::vector<StagePtr>* out) {
  if (!operand.IsDocument())
    return base::Error(5946800, "The $densify stage specification must be an object");
  DensifySpec spec;
  const ValueView field = operand.AsDocument().Find("field"),
                  range = operand.AsDocument().Find("range");
  for (const bson::Element& element : operand.AsDocument()) {
    if (element.key == "field" || element.key == "range") continue;
    if (element.key != "partitionByFields") {
      return base::Error(
          40415, base::StrCat("BSON field '$densify.", element.key, "' is an unknown field."));
    }
    if (!element.value.IsArray()) {
      return base::Error(base::ErrorCode::kTypeMismatch,
                         "BSON field '$densify.partitionByFields' must be an array");
    }
    for (const bson::Element& name : element.value.AsDocument()) {
      if (!name.value.IsString()) {
        return base::Error(base::ErrorCode::kTypeMismatch,
                           "BSON field '$densify.partitionByFields' must hold strings");
      }
      MAYFLY_ASSIGN_OR_RETURN(std::vector<std::string> path, ParseFieldPath(name.value.AsString()));
      spec.partition_by.push_back(std::move(path));
    }
  }
  if (field.IsMissing() || range.IsMissing()) {
    return base::Error(40414,
                       "BSON field '$densify.field' or 'range' is missing but a required field");
  }
  if (!field.IsString())
    return base::Error(base::ErrorCode::kTypeMismatch,
                       "BSON field '$densify.field' must be a string");
  MAYFLY_ASSIGN_OR_RETURN(spec.field, ParseFieldPath(field.AsString()));
  MAYFLY_RETURN_IF_ERROR(ParseRange(range, &spec));
  out->push_back(std::make_unique<DensifyStage>(row, std::move(spec)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kDensifyRow = {"$densify", ParseDensify, "adds documents where a series has gaps"};

}  // namespace mayfly::engine
