// $facet: several pipelines over the same documents, each giving one array.
#include "base/limits.h"
#include "base/strings.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/aggregate/sub_pipeline.h"
#include "engine/expression/field_path.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

struct Facet {
  std::string name;
  std::unique_ptr<Pipeline> pipeline;
};

// Rows that others own, one after the other.
class SharedRows final : public Stream {
 public:
  explicit SharedRows(const std::vector<Row>& rows) : rows_(rows) {}
  absl::StatusOr<bool> Next(Row* row) override {
    if (next_ >= rows_.size()) return false;
    const Row& from = rows_[next_++];
    row->Borrow(from.doc(), from.record_id);
    row->sort_key = from.sort_key;
    row->text_score = from.text_score;
    return true;
  }

 private:
  const std::vector<Row>& rows_;
  size_t next_ = 0;
};

class FacetStream final : public StageStream {
 public:
  FacetStream(std::unique_ptr<Stream> source, const std::vector<Facet>& facets,
              const Runtime& runtime)
      : StageStream(std::move(source)), facets_(facets), runtime_(runtime) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (done_) return false;
    done_ = true;
    MAYFLY_RETURN_IF_ERROR(Fill());
    bson::Builder out;
    for (const Facet& facet : facets_) {
      out.OpenArray(facet.name);
      MAYFLY_RETURN_IF_ERROR(Run(*facet.pipeline, &out));
      out.Close();
    }
    rows_.clear();
    *row = Row();
    row->Own(out.Finish());
    return true;
  }

 private:
  absl::Status Fill() {
    int64_t bytes = 0;
    while (true) {
      Row row;
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(&row));
      if (!more) break;
      row.MakeOwned();
      bytes += row.doc().size();
      rows_.push_back(std::move(row));
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
      MAYFLY_RETURN_IF_ERROR(CheckMemory(runtime_, bytes, "$facet"));
    }
    DropSource();
    return absl::OkStatus();
  }

  absl::Status Run(const Pipeline& pipeline, bson::Builder* out) const {
    MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<Stream> stream,
                            pipeline.MakeStream(std::make_unique<SharedRows>(rows_), runtime_));
    Row row;
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(bool more, stream->Next(&row));
      if (!more) return absl::OkStatus();
      out->PushDocument(row.doc());
      if (out->size() > static_cast<size_t>(base::kMaxInternalBsonSize)) {
        return base::Error(base::ErrorCode::kBSONObjectTooLarge,
                           base::StrCat("BSONObj size: ", out->size(),
                                        " is invalid. Size must be between 0 and 16793600(16MB)"));
      }
    }
  }

  const std::vector<Facet>& facets_;
  const Runtime& runtime_;
  std::vector<Row> rows_;
  bool done_ = false;
};

class FacetStage final : public Stage {
 public:
  FacetStage(const StageRow& row, std::vector<Facet> facets)
      : Stage(row), facets_(std::move(facets)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<FacetStream>(std::move(source), facets_, runtime);
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kNeedsAll; }
  void AddNamespaces(std::vector<Namespace>* out) const override {
    for (const Facet& facet : facets_) {
      for (const Namespace& ns : facet.pipeline->Namespaces()) out->push_back(ns);
    }
  }

 private:
  const std::vector<Facet> facets_;
};

absl::Status CheckStages(const bson::Element& facet) {
  if (!facet.value.IsArray()) {
    return base::Error(40170, base::StrCat("arguments to $facet must be arrays, ", facet.key,
                                           " is type ", bson::TypeName(facet.value.type())));
  }
  for (const bson::Element& stage : facet.value.AsDocument()) {
    if (stage.value.IsDocument()) continue;
    return base::Error(40171,
                       base::StrCat("elements of arrays in $facet spec must be non-empty objects, ",
                                    facet.key, " argument contained an element of type ",
                                    bson::TypeName(stage.value.type())));
  }
  return absl::OkStatus();
}

absl::Status ParseFacet(bson::ValueView operand, const StageRow& row,
                        const PipelineContext& context, std::vector<StagePtr>* out) {
  if (!operand.IsDocument() || operand.AsDocument().empty()) {
    return base::Error(40169, "the $facet specification must be a non-empty object");
  }
  std::vector<Facet> facets;
  for (const bson::Element& element : operand.AsDocument()) {
    MAYFLY_RETURN_IF_ERROR(CheckFieldName(element.key));
    MAYFLY_RETURN_IF_ERROR(CheckStages(element));
    Variables inner(context.expressions.variables);
    MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<Pipeline> pipeline,
                            ParseSubPipeline(element.value.AsDocument(), context,
                                             PipelinePlace::kFacet, context.ns, inner));
    facets.push_back({std::string(element.key), std::move(pipeline)});
  }
  out->push_back(std::make_unique<FacetStage>(row, std::move(facets)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kFacetRow = {.name = "$facet",
                            .parse = ParseFacet,
                            .help = "runs several pipelines over the same documents",
                            .in_facet = false};

}  // namespace mayfly::engine
