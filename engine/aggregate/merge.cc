// $merge: the documents go into a collection, where they meet those with the same `on` fields.
#include "engine/aggregate/merge.h"
#include "base/strings.h"
#include "bson/object_id.h"
#include "engine/aggregate/set_path.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/object.h"
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

class MergeStream final : public StageStream {
 public:
  MergeStream(std::unique_ptr<Stream> source, const MergeSpec& spec,
              std::unique_ptr<MergeTarget> target, const Runtime& runtime)
      : StageStream(std::move(source)),
        spec_(spec),
        target_(std::move(target)),
        frame_(*runtime.evaluation),
        inner_(runtime),
        ids_(*runtime.evaluation->random) {}

  absl::StatusOr<bool> Next(Row*) override {
    Row row;
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(&row));
      if (!more) return false;
      row.MakeOwned();
      MAYFLY_RETURN_IF_ERROR(Merge(row));
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(inner_.runtime()));
    }
  }

 private:
  absl::Status Merge(const Row& row) {
    bson::Document document(row.doc());
    const bool has_id = document.view().Has("_id");
    if (!has_id && spec_.HasIdInKey()) document = WithNewId(document);
    MAYFLY_ASSIGN_OR_RETURN(bson::Document key, MakeKey(document));
    MAYFLY_ASSIGN_OR_RETURN(std::optional<bson::Document> found, target_->Find(key));
    if (found) return Matched(*found, document);
    switch (spec_.when_not_matched) {
      case MergeSpec::WhenNotMatched::kInsert:
        if (!document.view().Has("_id")) document = WithNewId(document);
        return target_->Insert(document);
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

  absl::StatusOr<bson::Document> MakeKey(bson::View document) const {
    bson::Builder key;
    for (const MergeSpec::On& on : spec_.on) {
      bool through_array = false;
      const ValueView value = FindPath(document, on.path, &through_array);
      if (value.IsArray() || through_array) {
        return base::Error(51185, base::StrCat("$merge write error: 'on' field '", on.dotted,
                                               "' cannot be an array"));
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

  absl::Status Matched(const bson::Document& before, const bson::Document& document) {
    switch (spec_.when_matched) {
      case MergeSpec::WhenMatched::kMerge: {
        FieldMerger merger;
        for (const bson::Element& element : before.view()) merger.Set(element.key, element.value);
        for (const bson::Element& element : document.view()) merger.Set(element.key, element.value);
        const Value merged = merger.Finish();
        return Replace(before, bson::Document(merged.view().AsDocument()));
      }
      case MergeSpec::WhenMatched::kReplace:
        return Replace(before, document);
      case MergeSpec::WhenMatched::kKeepExisting:
        return absl::OkStatus();
      case MergeSpec::WhenMatched::kFail:
        return base::Error(base::ErrorCode::kDuplicateKey,
                           "$merge found a document with the same key in the target collection");
      case MergeSpec::WhenMatched::kPipeline:
        return RunPipeline(before, document);
    }
    return absl::OkStatus();
  }

  absl::Status RunPipeline(const bson::Document& before, const bson::Document& document) {
    frame_.root = document;
    MAYFLY_RETURN_IF_ERROR(inner_.Bind(spec_.let, frame_));
    MAYFLY_RETURN_IF_ERROR(CheckVariables());
    MAYFLY_ASSIGN_OR_RETURN(
        std::unique_ptr<Stream> stream,
        spec_.pipeline->MakeStream(std::make_unique<OneRow>(before.view()), inner_.runtime()));
    Row row;
    MAYFLY_ASSIGN_OR_RETURN(bool more, stream->Next(&row));
    if (!more) return absl::OkStatus();
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

  absl::Status Replace(const bson::Document& before, bson::Document after) {
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
  const std::unique_ptr<MergeTarget> target_;
  Frame frame_;
  InnerRuntime inner_;
  bson::ObjectIdGenerator ids_;
};

class MergeStage final : public Stage {
 public:
  MergeStage(const StageRow& row, MergeSpec spec) : Stage(row), spec_(std::move(spec)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    if (!runtime.host) return base::Error(base::ErrorCode::kInternalError, "$merge needs a host");
    std::vector<std::string> on;
    for (const MergeSpec::On& field : spec_.on) on.push_back(field.dotted);
    MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<MergeTarget> target,
                            runtime.host->OpenMerge(spec_.target, on));
    return std::make_unique<MergeStream>(std::move(source), spec_, std::move(target), runtime);
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
