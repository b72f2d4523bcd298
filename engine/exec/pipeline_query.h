// An aggregation over collections and views of one database: the pipeline, its source and what its
// stages ask for.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "engine/aggregate/host.h"
#include "engine/aggregate/pipeline.h"
#include "engine/catalog/catalog.h"
#include "engine/exec/execution_context.h"
#include "engine/plan/planner.h"
#include "engine/query/collation.h"
#include "engine/stream/stream.h"
#include "engine/text/index.h"

namespace mayfly::engine {

// Facts for stages that report ($collStats, $currentOp ...), known only to commands.
class PipelineReporter {
 public:
  virtual ~PipelineReporter() = default;
  virtual absl::StatusOr<std::vector<bson::Document>> Report(std::string_view stage,
                                                             bson::ValueView spec,
                                                             const Namespace& ns) = 0;
};

struct PipelineRequest {
  std::string database;
  std::string collection;  // empty for {aggregate: 1}
  bson::View pipeline;     // an array
  bson::ValueView collation;
  bson::View let;
  bson::ValueView hint;
  bool allow_disk_use = true;
  bool strict_api = false;  // what is not in API version 1 is refused
};

// Parsed once, run once. Must outlive its stream.
class PipelineQuery : public PipelineHost {
 public:
  // Views are resolved: `request.collection` may name one. `context` must outlive the query; its
  // `evaluation.strings` and `runtime` are set.
  static absl::StatusOr<std::shared_ptr<PipelineQuery>> Parse(const PipelineRequest& request,
                                                              Catalog* catalog,
                                                              ExecutionContext& context,
                                                              PipelineReporter* reporter);

  const Pipeline& pipeline() const { return *pipeline_; }
  // The stored collection that is read; null if it does not exist or the pipeline has its own
  // source.
  const std::shared_ptr<Collection>& source() const { return source_; }

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream();
  // How the source is found, for explain. Only if source() is not null.
  absl::StatusOr<PlanChoice> PlanSource() const;

  absl::StatusOr<std::unique_ptr<Stream>> OpenCollection(const Namespace& ns,
                                                         const FilterNode* filter,
                                                         const Pipeline& pipeline,
                                                         const Runtime& runtime) override;
  bool HasIndexOn(const Namespace& ns, std::string_view path) override;
  absl::StatusOr<std::vector<GeoIndex>> GeoIndexes(const Namespace& ns) override;
  absl::StatusOr<std::vector<bson::Document>> Report(std::string_view stage, bson::ValueView spec,
                                                     const Namespace& ns) override;

 private:
  PipelineQuery(Catalog* catalog, ExecutionContext& context)
      : catalog_(catalog), context_(context) {}

  absl::StatusOr<std::unique_ptr<Stream>> OpenStored(const std::shared_ptr<Collection>& collection,
                                                     const FilterNode* filter,
                                                     const Pipeline& pipeline,
                                                     const Runtime& runtime);
  absl::StatusOr<std::unique_ptr<Stream>> OpenView(const Collection& view, const FilterNode* filter,
                                                   const Pipeline& pipeline,
                                                   const Runtime& runtime);
  // A view is read with its own collation and no other, so all views of a pipeline share one.
  absl::Status CheckCollationOfViews(const Collection* named) const;
  PipelineContext MakePipelineContext(std::string_view collection);
  const text::Index* TextIndexInside(const Namespace& ns);

  Catalog* catalog_;  // null if the database does not exist
  ExecutionContext& context_;
  std::string database_;
  CollationPtr collation_;
  Variables variables_;
  bson::Value hint_;
  std::unique_ptr<const text::Index> text_index_;
  std::map<std::string, std::unique_ptr<const text::Index>> text_indexes_inside_;  // by collection
  std::unique_ptr<Pipeline> pipeline_;
  std::shared_ptr<Collection> source_;
  std::vector<std::unique_ptr<Pipeline>> view_pipelines_;  // of views opened by stages
};

// A view's definition down to the stored collection: its name and all pipelines in one array.
struct ResolvedView {
  std::string collection;
  bson::Document pipeline;  // an array's bytes
};
// Error: 165 ViewDepthLimitExceeded, 5 GraphContainsCycle.
absl::StatusOr<ResolvedView> ResolveView(const Catalog& catalog, const Collection& view);

// The bytes of the array `first` followed by the elements of `second`.
bson::Document ConcatArrays(bson::View first, bson::View second);

}  // namespace mayfly::engine
