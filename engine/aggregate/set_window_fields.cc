// $setWindowFields: fields computed from windows over the sorted documents of a partition.
#include <algorithm>

#include "base/strings.h"
#include "bson/builder.h"
#include "engine/aggregate/set_path.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/aggregate/window.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

struct WindowSpec {
  ExpressionPtr partition_by;  // null: one partition
  std::optional<SortPattern> sort;
  struct Output {
    std::vector<std::string> path;
    WindowFunctionPtr function;
  };
  std::vector<Output> outputs;
};

class WindowStream final : public StageStream {
 public:
  WindowStream(std::unique_ptr<Stream> source, const WindowSpec& spec, const Runtime& runtime)
      : StageStream(std::move(source)),
        spec_(spec),
        runtime_(runtime),
        frame_(*runtime.evaluation) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (!filled_) MAYFLY_RETURN_IF_ERROR(Fill());
    if (next_ >= rows_.size()) return false;
    if (next_ == partition_end_) MAYFLY_RETURN_IF_ERROR(ComputePartition());
    bson::Document document = rows_[next_].TakeDocument();
    for (size_t i = 0; i < spec_.outputs.size(); ++i) {
      document = WithPath(document, spec_.outputs[i].path, results_[i][next_ - partition_begin_]);
    }
    *row = Row();
    row->Own(std::move(document));
    ++next_;
    return true;
  }

 private:
  struct Item {
    Value partition;
    std::vector<Value> key;
    Row row;
  };

  absl::Status Fill() {
    std::vector<Item> items;
    int64_t bytes = 0;
    while (true) {
      Row row;
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(&row));
      if (!more) break;
      row.MakeOwned();
      bytes += row.doc().size() + sizeof(Item);
      MAYFLY_RETURN_IF_ERROR(CheckMemory(runtime_, bytes, "$setWindowFields"));
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
      MAYFLY_ASSIGN_OR_RETURN(Value partition, PartitionOf(row));
      std::vector<Value> key;
      if (spec_.sort) {
        MAYFLY_ASSIGN_OR_RETURN(key, spec_.sort->Key(row.doc(), frame_.context().strings));
      }
      items.push_back({std::move(partition), std::move(key), std::move(row)});
    }
    DropSource();
    std::stable_sort(items.begin(), items.end(), [this](const Item& a, const Item& b) {
      const int order = bson::Compare(a.partition, b.partition, frame_.context().strings);
      if (order != 0 || !spec_.sort) return order < 0;
      return spec_.sort->Compare(a.key, b.key, frame_.context().strings) < 0;
    });
    for (Item& item : items) {
      partitions_.push_back(std::move(item.partition));
      rows_.push_back(std::move(item.row));
    }
    filled_ = true;
    return absl::OkStatus();
  }

  absl::StatusOr<Value> PartitionOf(const Row& row) {
    if (!spec_.partition_by) return Value::Null();
    frame_.root = row.doc();
    frame_.row = &row;
    MAYFLY_ASSIGN_OR_RETURN(Value partition, spec_.partition_by->Evaluate(frame_));
    if (partition.view().IsArray()) {
      return base::Error(base::ErrorCode::kTypeMismatch,
                         "An expression used to partition cannot evaluate to value of type array");
    }
    return partition.IsMissing() ? Value::Null() : partition;
  }

  absl::Status ComputePartition() {
    partition_begin_ = next_;
    partition_end_ = next_ + 1;
    while (partition_end_ < rows_.size() &&
           bson::Equal(partitions_[partition_end_], partitions_[next_], frame_.context().strings)) {
      ++partition_end_;
    }
    Partition partition;
    partition.rows =
        absl::MakeConstSpan(rows_).subspan(partition_begin_, partition_end_ - partition_begin_);
    partition.sort = spec_.sort ? &*spec_.sort : nullptr;
    partition.frame = &frame_;
    results_.clear();
    for (const WindowSpec::Output& output : spec_.outputs) {
      MAYFLY_ASSIGN_OR_RETURN(std::vector<Value> values, output.function->Compute(partition));
      results_.push_back(std::move(values));
    }
    return absl::OkStatus();
  }

  const WindowSpec& spec_;
  const Runtime& runtime_;
  Frame frame_;
  std::vector<Row> rows_;          // in order
  std::vector<Value> partitions_;  // of each row
  size_t partition_begin_ = 0, partition_end_ = 0;
  std::vector<std::vector<Value>> results_;  // of the current partition, by output
  bool filled_ = false;
  size_t next_ = 0;
};

class WindowStage final : public Stage {
 public:
  WindowStage(const StageRow& row, WindowSpec spec) : Stage(row), spec_(std::move(spec)) {}
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<WindowStream>(std::move(source), spec_, runtime);
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kNeedsAll; }

 private:
  const WindowSpec spec_;
};

absl::Status CheckStandsAlone(bson::View output) {
  for (const bson::Element& element : output) {
    if (!element.key.starts_with('$')) continue;
    const WindowRow* row = FindWindowFunction(element.key);
    if (row == nullptr || !row->stands_alone || output.Count() == 1) break;
    return base::Error(5371601, base::StrCat(element.key, " takes no other arguments"));
  }
  return absl::OkStatus();
}

absl::StatusOr<WindowFunctionPtr> ParseFunction(const bson::Element& field,
                                                const ParseContext& context,
                                                const SortPattern* sort) {
  if (!field.value.IsDocument()) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       base::StrCat("The field '", field.key, "' must be an object"));
  }
  MAYFLY_RETURN_IF_ERROR(CheckStandsAlone(field.value.AsDocument()));
  bson::Element function;
  std::optional<WindowBounds> bounds;
  for (const bson::Element& element : field.value.AsDocument()) {
    if (element.key == "window") {
      MAYFLY_ASSIGN_OR_RETURN(bounds, ParseWindowBounds(element.value, context, sort));
    } else if (element.key.empty() || element.key[0] != '$') {
      return base::Error(base::ErrorCode::kFailedToParse,
                         base::StrCat("Window function found an unknown argument: ", element.key));
    } else if (!function.key.empty()) {
      return base::Error(
          base::ErrorCode::kFailedToParse,
          base::StrCat("Cannot specify two functions in window function spec: ", element.key));
    } else {
      function = element;
    }
  }
  if (function.key.empty()) {
    return base::Error(base::ErrorCode::kFailedToParse, "Expected a $-prefixed window function");
  }
  if (const WindowRow* row = FindWindowFunction(function.key)) {
    return row->parse(function.value, *row, WindowContext{context, sort, bounds});
  }
  const AccumulatorRow* accumulator = FindAccumulator(function.key);
  if (!accumulator) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       base::StrCat("Unrecognized window function, ", function.key));
  }
  ParseContext in_window = context;
  in_window.array_operands = true;
  MAYFLY_ASSIGN_OR_RETURN(AccumulatorSpecPtr spec,
                          accumulator->parse(function.value, *accumulator, in_window));
  return MakeAccumulatorFunction(std::move(spec), bounds.value_or(WindowBounds()));
}

absl::Status ParseSetWindowFields(ValueView operand, const StageRow& row,
                                  const PipelineContext& context, std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) {
    return base::Error(
        base::ErrorCode::kFailedToParse,
        base::StrCat("the $setWindowFields stage specification must be an object, found ",
                     bson::TypeName(operand.type())));
  }
  WindowSpec spec;
  const ValueView output = operand.AsDocument().Find("output");
  for (const bson::Element& element : operand.AsDocument()) {
    if (element.key == "partitionBy") {
      MAYFLY_ASSIGN_OR_RETURN(spec.partition_by,
                              ParseExpression(element.value, context.expressions));
    } else if (element.key == "sortBy") {
      if (element.value.IsNullish()) continue;
      if (!element.value.IsDocument()) {
        return base::Error(base::ErrorCode::kTypeMismatch,
                           "BSON field '$setWindowFields.sortBy' must be an object");
      }
      // {} is an order, too: the one in which documents come.
      if (element.value.AsDocument().empty()) {
        spec.sort = SortPattern();
        continue;
      }
      MAYFLY_ASSIGN_OR_RETURN(spec.sort, SortPattern::Parse(element.value.AsDocument()));
    } else if (element.key != "output") {
      return base::Error(40415, base::StrCat("BSON field '$setWindowFields.", element.key,
                                             "' is an unknown field."));
    }
  }
  if (output.IsMissing()) {
    return base::Error(40414,
                       "BSON field '$setWindowFields.output' is missing but a required field");
  }
  if (!output.IsDocument()) {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       "BSON field '$setWindowFields.output' must be an object");
  }
  for (const bson::Element& field : output.AsDocument()) {
    WindowSpec::Output parsed;
    MAYFLY_ASSIGN_OR_RETURN(parsed.path, ParseFieldPath(field.key));
    MAYFLY_ASSIGN_OR_RETURN(parsed.function, ParseFunction(field, context.expressions,
                                                           spec.sort ? &*spec.sort : nullptr));
    spec.outputs.push_back(std::move(parsed));
  }
  out->push_back(std::make_unique<WindowStage>(row, std::move(spec)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kSetWindowFieldsRow = {"$setWindowFields", ParseSetWindowFields,
                                      "computes fields from the documents around each one"};

}  // namespace mayfly::engine
