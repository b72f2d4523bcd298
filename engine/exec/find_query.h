// A query over one collection: parsed once, planned, and run as a stream of result documents.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"
#include "engine/expression/sort_pattern.h"
#include "engine/expression/variables.h"
#include "engine/plan/planner.h"
#include "engine/projection/projection.h"
#include "engine/query/collation.h"
#include "engine/query/filter.h"
#include "engine/query/near.h"
#include "engine/stream/stream.h"
#include "engine/text/index.h"

namespace mayfly::engine {

// What a find asks for. Views must live until Parse returns.
struct FindRequest {
  bson::View filter;
  bson::View sort;
  bson::View projection;
  int64_t skip = 0;
  int64_t limit = 0;  // 0: none
  bson::ValueView hint;
  bson::View min;
  bson::View max;
  bson::ValueView collation;  // missing: the collection's default
  bson::View let;
  bool return_key = false;
  bool show_record_id = false;
  bool has_moment = true;  // for $$NOW and $$CLUSTER_TIME, see ParseContext
};

// A parsed query. Immutable; must outlive the streams made of it.
class FindQuery {
 public:
  // `evaluation` must outlive the query, and its `strings` is set to the collation in force.
  // `collection` may be null.
  static absl::StatusOr<std::shared_ptr<const FindQuery>> Parse(const FindRequest& request,
                                                                const Collection* collection,
                                                                EvaluationContext* evaluation);

  const FilterNode& filter() const { return *filter_; }
  // The filter's $near, or null.
  const Near* near() const { return near_; }
  const Collation* collation() const { return collation_.get(); }
  const Variables& variables() const { return variables_; }
  bool has_hint() const { return natural_ != 0 || !hint_.IsMissing(); }
  int64_t skip() const { return skip_; }
  int64_t limit() const { return limit_; }  // 0: none

  // See engine/query/query_shape.h.
  std::string PlanShape() const;
  // What planCacheSetFilter has set for queries of this shape; null: nothing.
  const IndexFilter* IndexFilterOf(const Collection& collection) const;

  absl::StatusOr<PlanChoice> Plan(const Collection& collection) const;
  absl::StatusOr<AccessPath> ChoosePath(const Collection& collection) const;

  // The whole query as a stream: found, filtered, sorted, skipped, limited, projected.
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(
      ExecutionContext& context, const std::shared_ptr<Collection>& collection) const;
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(ExecutionContext& context,
                                                     const std::shared_ptr<Collection>& collection,
                                                     const AccessPath& path) const;
  // The positions of the key's fields from which the result is made when the documents themselves
  // are not needed; empty: they are.
  std::vector<int> CoveredFields(const AccessPath& path) const;
  // The same up to and without the projection; rows keep their record ids.
  absl::StatusOr<std::unique_ptr<Stream>> MakeUnprojectedStream(
      ExecutionContext& context, const std::shared_ptr<Collection>& collection) const;
  // `document` as the projection shows it.
  absl::StatusOr<bson::Document> Project(const EvaluationContext& evaluation,
                                         bson::View document) const;

 private:
  FindQuery() = default;

  // Errors: 40218 for metadata that is not there, those of CheckFieldPath.
  absl::Status CheckSort() const;
  PlanRequest MakePlanRequest(const Collection& collection) const;
  std::unique_ptr<Stream> Unprojected(ExecutionContext& context,
                                      const std::shared_ptr<Collection>& collection,
                                      const AccessPath& path, std::vector<int> covered) const;

  CollationPtr collation_;
  Variables variables_;
  FilterPtr filter_;
  const Near* near_ = nullptr;
  std::unique_ptr<const text::Index> text_index_;
  std::optional<SortPattern> sort_;
  std::vector<OrderField> order_;
  int natural_ = 0;  // 1 or -1: {$natural: ...}
  std::optional<Projection> projection_;
  bool shows_metadata_ = false;  // the projection has a {$meta: ...}
  bson::Document sort_document_;
  bson::Document projection_document_;
  bson::Document collation_document_;
  bson::Value hint_;
  bson::Document min_;
  bson::Document max_;
  int64_t skip_ = 0;
  int64_t limit_ = 0;
  bool return_key_ = false;
  bool show_record_id_ = false;
};

// The collation in force: the one asked for, else the collection's; null: simple.
absl::StatusOr<CollationPtr> ResolveCollation(bson::ValueView requested,
                                              const Collection* collection);

// Puts the variables of a command's `let`, constant expressions, into `*variables`.
absl::Status DefineLet(bson::View let, const EvaluationContext& evaluation, Variables* variables);

}  // namespace mayfly::engine
