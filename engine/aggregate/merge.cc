// $merge: the documents go into a collection, where they meet those with the same `on` fields.
#include "engine/aggregate/merge.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "bson/object_id.h"
#include "engine/aggregate/set_path.h"
#include "engine/aggregate/sink.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/object.h"
#include "engine/expression/path.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

// One document, then the end.
class OneRow final : public Stream {
 public:
  explicit OneRow(bson::View document) : document_(document) {}
  absl::StatusOr<bool> Next(Row* row) override {
    if (done_) return false;
    done_ = true;
    row->Borrow(document_, kNoRecord);
    return true;
  }

 private:
  const bson::View document_;
  bool done_ = false;
};

ValueView FindPath(bson::View document, const std::vector<std::string>& path, bool* through_array) {
  ValueView value = document.Find(path[0]);
  for (size_t i = 1; i < path.size(); ++i) {
    if (value.IsArray()) *through_array = true;
    if (!value.IsDocument()) return {};
    value = value.AsDocument().Find(path[i]);
  }
  return value;
}

// The fields as $set creates them.
std::vector<bson::Element> InOrderOfCreation(bson::View document) {
  std::vector<bson::Element> fields;
  for (const bson::Element& element : document) fields.push_back(element);
  std::stable_sort(
      fields.begin(), fields.end(),
      [](const bson::Element& a, const bson::Element& b) { return CreatedBefore(a.key, b.key); });
  return fields;
}

class MergeSink final : public Sink {
 public:
  MergeSink(const MergeSpec& spec, const Runtime& runtime)
      : spec_(spec),
        frame_(*runtime.evaluation),
        inner_(runtime),
        ids_(*runtime.evaluation->random) {
    for (const MergeSpec::On& field : spec_.on) on_.push_back(field.dotted);
  }

  const Namespace& target() const override { return spec_.target; }
  absl::Status Check(TargetHost& host) override {
    return host.OpenMerge(spec_.target, on_).status();
  }
  absl::Status Begin(TargetHost& host) override { return Check(host); }
  absl::Status Write(std::vector<bson::Document> batch, TargetHost& host) override {
    MAYFLY_RETURN_IF_ERROR(spec_.pipeline_error);
    MAYFLY_ASSIGN_OR_RETURN(target_, host.OpenMerge(spec_.target, on_));
    std::vector<Item> items;
    items.reserve(batch.size());
    for (bson::Document& document : batch) {
      MAYFLY_ASSIGN_OR_RETURN(Item item, MakeItem(std::move(document)));
      items.push_back(std::move(item));
    }
    absl::Status first_failure;
    for (const Item& item : items) {
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(inner_.runtime()));
      first_failure.Update(Merge(item));
    }
    target_.reset();
    return first_failure;
  }
  absl::Status End(TargetHost&) override { return absl::OkStatus(); }
  absl::Status Abandon(TargetHost&) override { return absl::OkStatus(); }

 private:
  struct Item {
    bson::Document document;
    bson::Document key;
  };

  absl::StatusOr<Item> MakeItem(bson::Document document) {
    const bool has_id = document.view().Has("_id");
    if (!has_id && spec_.HasIdInKey()) document = WithNewId(document);
    MAYFLY_ASSIGN_OR_RETURN(bson::Document key, MakeKey(document));
    return Item{.document = std::move(document), .key = std::move(key)};
  }

  absl::Status Merge(const Item& item) {
    // Others may change what was found before it is replaced.
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const std::optional<bson::Document> found, target_->Find(item.key));
      if (!found) return NotMatched(item.document);
      MAYFLY_ASSIGN_OR_RETURN(const bool done, Matched(*found, item.document));
      if (done) return absl::OkStatus();
    }
  }

  absl::Status NotMatched(const bson::Document& document) {
    switch (spec_.when_not_matched) {
      case MergeSpec::WhenNotMatched::kInsert: {
        const bson::Document whole =
            document.view().Has("_id") ? document : WithNewId(document.view());
        const bool by_fields = spec_.when_matched == MergeSpec::WhenMatched::kMerge ||
                               spec_.when_matched == MergeSpec::WhenMatched::kKeepExisting;
        return target_->Insert(by_fields ? SetOneByOne(whole) : whole);
      }
      case MergeSpec::WhenNotMatched::kDiscard:
        return absl::OkStatus();
      case MergeSpec::WhenNotMatched::kFail:
        return base::Error(
            13113,
            "$merge could not find a matching document in the target collection for at least one "
            "document in the source collection");
    }
    return absl::OkStatus();
  }

  bson::Document WithNewId(bson::View document) {
    bson::Builder out;
    out.ObjectId("_id", ids_.Next(frame_.context().now_ms)).AppendAll(document);
    return out.Finish();
  }

  // A new document as an upsert by $set makes it: the `on` fields are there, and those that the
  // document does not have are null.
  bson::Document SetOneByOne(const bson::Document& document) const {
    bson::Document named;
    for (const MergeSpec::On& on : spec_.on) {
      named = WithPath(named, on.path, Value::Null());
    }
    FieldMerger merger;
    merger.Set("_id", document.Find("_id"));
    for (const bson::Element& element : named.view()) merger.Set(element.key, element.value);
    for (const bson::Element& element : InOrderOfCreation(document)) {
      merger.Set(element.key, element.value);
    }
    const Value merged = merger.Finish();
    return bson::Document(merged.view().AsDocument());
  }

  absl::StatusOr<bson::Document> MakeKey(bson::View document) const {
    bson::Builder key;
    for (const MergeSpec::On& on : spec_.on) {
      bool through_array = false;
      const ValueView value = FindPath(document, on.path, &through_array);
      if (value.IsArray() || through_array) {
        return base::Error(51185, base::StrCat("$merge write error: 'on' field '", on.dotted,
                                               "' cannot be an array"));
      }
      if (value.IsNullish() && target_->HasNulls()) {
        key.Null(on.dotted);
        continue;
      }
      if (value.IsNullish()) {
        return base::Error(
            51132,
            base::StrCat("$merge write error: 'on' field cannot be missing, null, undefined or an "
                         "array: ",
                         on.dotted));
      }
      key.Append(on.dotted, value);
    }
    return key.Finish();
  }

  // False if the document is not what it was.
  absl::StatusOr<bool> Matched(const bson::Document& before, const bson::Document& document) {
    switch (spec_.when_matched) {
      case MergeSpec::WhenMatched::kMerge: {
        FieldMerger merger;
        for (const bson::Element& element : before.view()) merger.Set(element.key, element.value);
        for (const bson::Element& element : InOrderOfCreation(document)) {
          merger.Set(element.key, element.value);
        }
        const Value merged = merger.Finish();
        return Replace(before, bson::Document(merged.view().AsDocument()));
      }
      case MergeSpec::WhenMatched::kReplace:
        return Replace(before, document);
      case MergeSpec::WhenMatched::kKeepExisting:
        return true;
      case MergeSpec::WhenMatched::kFail:
        return base::Error(base::ErrorCode::kDuplicateKey,
                           "$merge found a document with the same key in the target collection");
      case MergeSpec::WhenMatched::kPipeline:
        return RunPipeline(before, document);
    }
    return true;
  }

  absl::StatusOr<bool> RunPipeline(const bson::Document& before, const bson::Document& document) {
    frame_.root = document;
    MAYFLY_RETURN_IF_ERROR(inner_.Bind(spec_.let, frame_));
    MAYFLY_RETURN_IF_ERROR(CheckVariables());
    MAYFLY_ASSIGN_OR_RETURN(
        std::unique_ptr<Stream> stream,
        spec_.pipeline->MakeStream(std::make_unique<OneRow>(before.view()), inner_.runtime()));
    Row row;
    MAYFLY_ASSIGN_OR_RETURN(bool more, stream->Next(&row));
    if (!more) return true;
    return Replace(before, row.TakeDocument());
  }

  // A variable without a value does not exist.
  absl::Status CheckVariables() {
    const std::vector<Value>& values = *inner_.runtime().evaluation->variables;
    for (Slot slot : spec_.pipeline->NeededFields().slots) {
      if (static_cast<size_t>(slot) < values.size() && values[slot].IsMissing()) {
        return base::Error(17276, "Use of undefined variable in the pipeline of $merge");
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Replace(const bson::Document& before, bson::Document after) {
    const ValueView id = before.Find("_id");
    const ValueView new_id = after.Find("_id");
    if (!new_id.IsMissing() && !bson::Equal(id, new_id)) {
      return base::Error(base::ErrorCode::kImmutableField,
                         "$merge failed to update the matching document, did you attempt to modify "
                         "the _id or the shard "
                         "key? :: caused by :: Performing an update on the path '_id' would modify "
                         "the immutable field "
                         "'_id'");
    }
    if (new_id.IsMissing()) {
      bson::Builder with_id;
      with_id.Append("_id", id).AppendAll(after);
      after = with_id.Finish();
    }
    return target_->Replace(before, after);
  }

  const MergeSpec& spec_;
  std::vector<std::string> on_;
  std::unique_ptr<MergeTarget> target_;  // while a batch is written
  Frame frame_;
  InnerRuntime inner_;
  bson::ObjectIdGenerator ids_;
};

class MergeStage final : public Stage {
 public:
  MergeStage(const StageRow& row, MergeSpec spec) : Stage(row), spec_(std::move(spec)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime&) const override {
    return source;
  }
  absl::StatusOr<std::unique_ptr<Sink>> MakeSink(const Runtime& runtime) const override {
    return std::make_unique<MergeSink>(spec_, runtime);
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kNeedsAll; }
  void AddNamespaces(std::vector<Namespace>* out) const override { out->push_back(spec_.target); }

 private:
  const MergeSpec spec_;
};

absl::Status ParseMerge(ValueView operand, const StageRow& row, const PipelineContext& context,
                        std::vector<StagePtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(MergeSpec spec, ParseMergeSpec(operand, context));
  out->push_back(std::make_unique<MergeStage>(row, std::move(spec)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kMergeRow = {
    .name = "$merge",
    .parse = ParseMerge,
    .help = "writes the documents into a collection that may have some already",
    .position = StagePosition::kLast,
    .in_facet = false,
    .in_sub_pipeline = false,
    .in_transaction = false};

}  // namespace mayfly::engine
