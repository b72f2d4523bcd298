// $bucketAuto: groups into a number of ranges that hold about equally many documents.
#include <algorithm>

#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "engine/aggregate/accumulator.h"
#include "engine/aggregate/granularity.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/numeric.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

struct AutoSpec {
  ExpressionPtr group_by;
  int64_t buckets = 0;
  std::optional<Granularity> granularity;
  std::vector<NamedAccumulator> output;
};

class AutoStream final : public StageStream {
 public:
  AutoStream(std::unique_ptr<Stream> source, const AutoSpec& spec, const Runtime& runtime)
      : StageStream(std::move(source)),
        spec_(spec),
        runtime_(runtime),
        frame_(*runtime.evaluation) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (!filled_) MAYFLY_RETURN_IF_ERROR(Fill());
    if (next_ >= buckets_.size()) return false;
    const Bucket& bucket = buckets_[next_++];
    MAYFLY_ASSIGN_OR_RETURN(bson::Document document, MakeDocument(bucket));
    *row = Row();
    row->Own(std::move(document));
    return true;
  }

 private:
  struct Item {
    Value key;
    Row row;
  };
  struct Bucket {
    size_t begin, end;  // of items_
    Value low, high;
  };

  absl::Status Fill() {
    int64_t bytes = 0;
    while (true) {
      Row row;
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(&row));
      if (!more) break;
      frame_.root = row.doc();
      frame_.row = &row;
      MAYFLY_ASSIGN_OR_RETURN(Value key, spec_.group_by->Evaluate(frame_));
      if (key.IsMissing()) key = Value::Null();
      MAYFLY_RETURN_IF_ERROR(CheckKey(key));
      row.MakeOwned();
      bytes += row.doc().size() + sizeof(Item);
      items_.push_back({std::move(key), std::move(row)});
      MAYFLY_RETURN_IF_ERROR(CheckMemory(runtime_, bytes, "$bucketAuto"));
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
    }
    DropSource();
    filled_ = true;
    std::stable_sort(items_.begin(), items_.end(), [this](const Item& a, const Item& b) {
      return bson::Compare(a.key, b.key, frame_.context().strings) < 0;
    });
    MakeBuckets();
    return absl::OkStatus();
  }

  absl::Status CheckKey(const Value& key) const {
    if (!spec_.granularity) return absl::OkStatus();
    if (!key.IsNumber()) {
      return base::Error(
          40258,
          base::StrCat("$bucketAuto can specify a 'granularity' with numeric boundaries only, but "
                       "found a value with type: ",
                       bson::TypeName(key.type())));
    }
    if (bson::IsNaN(key))
      return base::Error(
          40259,
          "$bucketAuto can specify a 'granularity' with numeric boundaries only, but found NaN");
    if (bson::ToDouble(key) < 0) {
      return base::Error(40260,
                         "$bucketAuto can specify a 'granularity' with non-negative numbers only, "
                         "but found a negative number");
    }
    return absl::OkStatus();
  }

  bool SameKey(size_t a, size_t b) const {
    return bson::Equal(items_[a].key, items_[b].key, frame_.context().strings);
  }

  void MakeBuckets() {
    const size_t count = items_.size();
    const int64_t per_bucket = std::max<int64_t>(
        1, static_cast<int64_t>(
               std::llround(static_cast<double>(count) / static_cast<double>(spec_.buckets))));
    size_t at = 0;
    while (at < count) {
      Bucket bucket;
      bucket.begin = at;
      const bool last = static_cast<int64_t>(buckets_.size()) + 1 == spec_.buckets;
      size_t end = last ? count : std::min(count, at + static_cast<size_t>(per_bucket));
      // Equal values stay together.
      while (end < count && SameKey(end - 1, end)) ++end;
      bucket.low = buckets_.empty() ? items_[at].key : buckets_.back().high;
      bucket.high = end < count ? items_[end].key : items_[count - 1].key;
      if (spec_.granularity) end = RoundBounds(end, last, &bucket);
      bucket.end = end;
      at = end;
      buckets_.push_back(std::move(bucket));
    }
  }

  // Powers of two are integers where they can be.
  Value Bound(double number) const {
    const Value value = Value::Double(number);
    const auto whole = bson::ToInt64Exact(value);
    if (number == 0 || !spec_.granularity->IsPowersOfTwo() || !whole.has_value()) return value;
    return Value::IntFitting(*whole);
  }

  // Moves the bounds to numbers of the series; returns where the bucket ends then.
  size_t RoundBounds(size_t end, bool last, Bucket* bucket) const {
    auto round_up = [this](const Value& v) {
      const double number = bson::ToDouble(v);
      return Bound(number == 0 ? 0 : spec_.granularity->Above(number));
    };
    if (buckets_.empty()) {
      const double low = bson::ToDouble(bucket->low);
      bucket->low = Bound(low == 0 ? 0 : spec_.granularity->Below(low));
    }
    bucket->high = round_up(items_[end - 1].key);
    if (last) return items_.size();
    while (end < items_.size() && bson::CompareNumbers(items_[end].key, bucket->high) < 0) ++end;
    return end;
  }

  absl::StatusOr<bson::Document> MakeDocument(const Bucket& bucket) {
    bson::Builder out;
    out.OpenDocument("_id").Append("min", bucket.low).Append("max", bucket.high).Close();
    for (const NamedAccumulator& output : spec_.output) {
      MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<Accumulator> state, output.spec->New(frame_));
      for (size_t i = bucket.begin; i < bucket.end; ++i) {
        frame_.root = items_[i].row.doc();
        frame_.row = &items_[i].row;
        Value scratch;
        ValueView value;
        if (output.spec->argument()) {
          MAYFLY_ASSIGN_OR_RETURN(value, output.spec->argument()->View(frame_, &scratch));
        }
        MAYFLY_RETURN_IF_ERROR(state->Add(value));
      }
      MAYFLY_ASSIGN_OR_RETURN(Value result, state->Result());
      out.Append(output.name, result);
    }
    return out.Finish();
  }

  const AutoSpec& spec_;
  const Runtime& runtime_;
  Frame frame_;
  std::vector<Item> items_;
  std::vector<Bucket> buckets_;
  bool filled_ = false;
  size_t next_ = 0;
};

class AutoStage final : public Stage {
 public:
  AutoStage(const StageRow& row, AutoSpec spec) : Stage(row), spec_(std::move(spec)) {}
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<AutoStream>(std::move(source), spec_, runtime);
  }
  Fields AddDependencies(Dependencies* out) const override {
    spec_.group_by->AddDependencies(out);
    for (const NamedAccumulator& output : spec_.output) output.spec->AddDependencies(out);
    return Fields::kDropsOthers;
  }

 private:
  const AutoSpec spec_;
};

absl::Status ParseGroupBy(ValueView value, const ParseContext& context, AutoSpec* spec) {
  const bool path = value.IsString() && !value.AsString().empty() && value.AsString()[0] == '$';
  const std::string_view key =
      value.IsDocument() ? value.AsDocument().First().key : std::string_view();
  if (!path && (key.empty() || key[0] != '$')) {
    return base::Error(
        40239,
        base::StrCat("The $bucketAuto 'groupBy' field must be defined as a $-prefixed path or an "
                     "expression object, but found: ",
                     ValueText(value)));
  }
  MAYFLY_ASSIGN_OR_RETURN(spec->group_by, ParseExpression(value, context));
  return absl::OkStatus();
}

absl::Status ParseBuckets(ValueView value, AutoSpec* spec) {
  if (!value.IsNumber()) {
    return base::Error(
        40241,
        base::StrCat("The $bucketAuto 'buckets' field must be a numeric value, but found type: ",
                     bson::TypeName(value.type())));
  }
  if (!IsIntegral32(value)) {
    return base::Error(
        40242, base::StrCat(
                   "The $bucketAuto 'buckets' field must be representable as a 32-bit integer, but "
                   "found ",
                   ValueText(value)));
  }
  spec->buckets = bson::ToInt64Truncated(value);
  if (spec->buckets > 0) return absl::OkStatus();
  return base::Error(
      40243, base::StrCat("The $bucketAuto 'buckets' field must be greater than 0, but found: ",
                          spec->buckets));
}

absl::Status ParseOutput(ValueView value, const ParseContext& context, AutoSpec* spec) {
  if (!value.IsDocument()) {
    return base::Error(
        40244, base::StrCat("The $bucketAuto 'output' field must be an object, but found type: ",
                            bson::TypeName(value.type())));
  }
  for (const bson::Element& element : value.AsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(NamedAccumulator accumulator, ParseNamedAccumulator(element, context));
    spec->output.push_back(std::move(accumulator));
  }
  return absl::OkStatus();
}

absl::Status ParseGranularity(ValueView value, AutoSpec* spec) {
  if (!value.IsString()) {
    return base::Error(
        40261,
        base::StrCat("The $bucketAuto 'granularity' field must be a string, but found type: ",
                     bson::TypeName(value.type())));
  }
  spec->granularity = Granularity::Find(value.AsString());
  if (spec->granularity) return absl::OkStatus();
  return base::Error(40257, base::StrCat("Unknown rounding granularity '", value.AsString(), "'"));
}

absl::Status ParseBucketAuto(ValueView operand, const StageRow& row, const PipelineContext& context,
                             std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) {
    return base::Error(
        40240, base::StrCat("The argument to $bucketAuto must be an object, but found type: ",
                            bson::TypeName(operand.type())));
  }
  AutoSpec spec;
  for (const bson::Element& element : operand.AsDocument()) {
    if (element.key == "groupBy") {
      MAYFLY_RETURN_IF_ERROR(ParseGroupBy(element.value, context.expressions, &spec));
    } else if (element.key == "buckets") {
      MAYFLY_RETURN_IF_ERROR(ParseBuckets(element.value, &spec));
    } else if (element.key == "output") {
      MAYFLY_RETURN_IF_ERROR(ParseOutput(element.value, context.expressions, &spec));
    } else if (element.key == "granularity") {
      MAYFLY_RETURN_IF_ERROR(ParseGranularity(element.value, &spec));
    } else {
      return base::Error(40245, base::StrCat("Unrecognized option to $bucketAuto: ", element.key));
    }
  }
  if (!spec.group_by || spec.buckets == 0) {
    return base::Error(40246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified");
  }
  if (spec.output.empty()) {
    bson::Builder count;
    count.OpenDocument("count").Int32("$sum", 1).Close();
    const bson::Document holder = count.Finish();
    MAYFLY_ASSIGN_OR_RETURN(NamedAccumulator accumulator,
                            ParseNamedAccumulator(holder.view().First(), context.expressions));
    spec.output.push_back(std::move(accumulator));
  }
  out->push_back(std::make_unique<AutoStage>(row, std::move(spec)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kBucketAutoRow = {"$bucketAuto", ParseBucketAuto,
                                 "groups into ranges of about equal size"};

}  // namespace mayfly::engine
