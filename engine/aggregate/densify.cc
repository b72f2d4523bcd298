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
    if (next_untouched_ < untouched_.size()) {
      *row = std::move(untouched_[next_untouched_++]);
      return true;
    }
    for (; part_ < parts_.size(); ++part_) {
      if (!std::exchange(in_part_, true)) BeginPart();
      MAYFLY_ASSIGN_OR_RETURN(const bool more, NextOfPart(row));
      if (more) return true;
      in_part_ = false;
      parts_[part_] = Part();
    }
    return false;
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
        untouched_.push_back(std::move(row));
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
    SortParts();
    return absl::OkStatus();
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

  void SortParts() {
    for (Part& part : parts_) {
      std::stable_sort(part.items.begin(), part.items.end(), [](const Item& a, const Item& b) {
        return bson::Compare(a.value, b.value) < 0;
      });
      if (lowest_.IsMissing() || bson::Compare(part.items.front().value, lowest_) < 0)
        lowest_ = part.items.front().value;
      if (highest_.IsMissing() || bson::Compare(part.items.back().value, highest_) > 0)
        highest_ = part.items.back().value;
    }
    if (spec_.bounds == DensifySpec::Bounds::kPartition) {
      std::stable_sort(parts_.begin(), parts_.end(), [&](const Part& a, const Part& b) {
        return bson::Compare(a.key, b.key, runtime_.evaluation->strings) < 0;
      });
    }
    if (parts_.empty() && spec_.bounds == DensifySpec::Bounds::kExplicit &&
        spec_.partition_by.empty()) {
      parts_.emplace_back();
    }
  }

  void BeginPart() {
    const std::vector<Item>& items = parts_[part_].items;
    model_ = items.empty() ? bson::Document() : PartitionFields(items[0].row.doc());
    item_ = 0;
    steps_ = 0;
    at_ = Value();
    ended_ = false;
    switch (spec_.bounds) {
      case DensifySpec::Bounds::kFull:
        low_ = lowest_, high_ = highest_;
        break;
      case DensifySpec::Bounds::kPartition:
        low_ = items.front().value, high_ = items.back().value;
        break;
      case DensifySpec::Bounds::kExplicit:
        low_ = spec_.low, high_ = spec_.high;
        break;
    }
  }

  // The part's documents and, between them, those that are missing.
  absl::StatusOr<bool> NextOfPart(Row* row) {
    std::vector<Item>& items = parts_[part_].items;
    while (!ended_) {
      if (at_.IsMissing()) MAYFLY_RETURN_IF_ERROR(Advance());
      if (ended_) break;
      const int order = item_ < items.size() ? bson::Compare(items[item_].value, at_) : 1;
      if (order < 0) {
        *row = std::move(items[item_++].row);
        return true;
      }
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
      before_ = std::exchange(at_, Value());
      if (order == 0) continue;
      if (++generated_ > kMaxGeneratedDocuments) return TooMany();
      // Under a collation the fields of one partition need not look alike: those of the next
      // document count.
      const bool varies = runtime_.evaluation->strings != nullptr && item_ < items.size();
      row->Own(WithPath(varies ? PartitionFields(items[item_].row.doc()) : model_, spec_.field,
                        before_));
      return true;
    }
    if (item_ >= items.size()) return false;
    *row = std::move(items[item_++].row);
    return true;
  }

  // To the next value of the range.
  absl::Status Advance() {
    MAYFLY_ASSIGN_OR_RETURN(at_, spec_.Step(low_, steps_));
    // A step that is lost in the rounding would never come to an end.
    if (steps_++ > 0 && bson::Compare(at_, before_) <= 0) return TooMany();
    const int order = bson::Compare(at_, high_);
    const bool high_included = spec_.bounds != DensifySpec::Bounds::kExplicit;
    ended_ = order > 0 || (order == 0 && !high_included);
    return absl::OkStatus();
  }

  static absl::Status TooMany() {
    return base::Error(5897900, "Generated too many documents in $densify, the limit is 500000");
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
  bool filled_ = false;
  std::vector<Row> untouched_;  // without the field
  size_t next_untouched_ = 0;
  std::vector<Part> parts_;
  Value lowest_, highest_;  // of all parts
  int64_t generated_ = 0;

  size_t part_ = 0;
  bool in_part_ = false;
  // Of the part.
  bson::Document model_;  // what a generated document has besides the field
  Value low_, high_;
  size_t item_ = 0;
  int64_t steps_ = 0;
  Value at_;      // missing: the next step is not made yet
  Value before_;  // of the step before
  bool ended_ = false;
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
