#include "engine/exec/find_query.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "engine/aggregate/sort.h"
#include "engine/exec/basic_streams.h"
#include "engine/exec/near_stream.h"
#include "engine/exec/projection_streams.h"
#include "engine/exec/scan_streams.h"
#include "engine/expression/expression.h"
#include "engine/query/natural_order.h"
#include "engine/query/query_shape.h"
#include "engine/query/text_filter.h"

namespace mayfly::engine {
namespace {

std::vector<OrderField> OrderOf(const SortPattern& sort) {
  std::vector<OrderField> order;
  for (const SortPattern::Part& part : sort.parts()) {
    if (part.meta != SortPattern::Part::Meta::kNone) return {};
    order.push_back({.path = part.dotted, .descending = part.descending});
  }
  return order;
}

}  // namespace

absl::StatusOr<CollationPtr> ResolveCollation(bson::ValueView requested,
                                              const Collection* collection) {
  if (!requested.IsDocument() || requested.AsDocument().empty()) {
    return collection == nullptr ? CollationPtr() : collection->options().strings;
  }
  return ParseCollation(requested.AsDocument());
}

absl::Status DefineLet(bson::View let, const EvaluationContext& evaluation, Variables* variables) {
  for (const bson::Element& element : let) {
    if (element.key == "NOW" || element.key == "CLUSTER_TIME") {
      return base::Error(4738901, base::StrCat("'let' cannot define ", element.key));
    }
    MAYFLY_RETURN_IF_ERROR(CheckVariableNameForWrite(element.key));
    ParseContext context;
    context.variables = variables;
    context.evaluation = &evaluation;
    context.has_moment = false;
    MAYFLY_ASSIGN_OR_RETURN(const ExpressionPtr expression,
                            ParseExpression(element.value, context));
    Dependencies reads;
    expression->AddDependencies(&reads);
    if (reads.whole_document || !reads.paths.empty()) {
      return base::Error(4890500, "'let' cannot refer to the fields of a document");
    }
    Frame frame(evaluation);
    MAYFLY_ASSIGN_OR_RETURN(bson::Value value, expression->Evaluate(frame));
    variables->DefineConstant(element.key, std::move(value));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const FindQuery>> FindQuery::Parse(const FindRequest& request,
                                                                  const Collection* collection,
                                                                  EvaluationContext* evaluation) {
  std::shared_ptr<FindQuery> query(new FindQuery());
  MAYFLY_ASSIGN_OR_RETURN(query->collation_, ResolveCollation(request.collation, collection));
  evaluation->strings = query->collation_.get();
  MAYFLY_RETURN_IF_ERROR(DefineLet(request.let, *evaluation, &query->variables_));
  query->text_index_ = TextIndexOf(collection);
  FilterParseContext filter;
  filter.text_index = query->text_index_.get();
  filter.strings = query->collation_.get();
  filter.variables = &query->variables_;
  filter.evaluation = evaluation;
  filter.has_moment = request.has_moment;
  MAYFLY_ASSIGN_OR_RETURN(query->filter_, ParseFilter(request.filter, filter));
  query->near_ = FindNear(*query->filter_);

  MAYFLY_ASSIGN_OR_RETURN(const auto natural, NaturalOrder(request.sort));
  query->natural_ = natural.value_or(0);
  if (!natural.has_value() && !request.sort.empty()) {
    MAYFLY_ASSIGN_OR_RETURN(query->sort_, SortPattern::Parse(request.sort));
    MAYFLY_RETURN_IF_ERROR(query->CheckSort());
    query->order_ = OrderOf(*query->sort_);
  }
  if (!request.projection.empty()) {
    ProjectionContext projection;
    projection.filter = query->filter_.get();
    projection.strings = query->collation_.get();
    projection.variables = &query->variables_;
    projection.evaluation = evaluation;
    MAYFLY_ASSIGN_OR_RETURN(query->projection_, Projection::Parse(request.projection, projection));
    Dependencies needed;
    query->projection_->AddDependencies(&needed);
    query->shows_metadata_ = needed.metadata;
  }
  // An empty document is no hint.
  if (!request.hint.IsDocument() || !request.hint.AsDocument().empty()) {
    query->hint_ = bson::Value(request.hint);
  }
  query->sort_document_ = bson::Document(request.sort);
  query->projection_document_ = bson::Document(request.projection);
  if (request.collation.IsDocument()) {
    query->collation_document_ = bson::Document(request.collation.AsDocument());
  }
  query->min_ = bson::Document(request.min);
  query->max_ = bson::Document(request.max);
  query->skip_ = request.skip;
  query->limit_ = request.limit;
  query->return_key_ = request.return_key;
  query->show_record_id_ = request.show_record_id;
  return query;
}

absl::Status FindQuery::CheckSort() const {
  using Meta = SortPattern::Part::Meta;
  for (const SortPattern::Part& part : sort_->parts()) {
    if (part.meta == Meta::kTextScore && FindText(*filter_) == nullptr) {
      return base::Error(40218, "query requires text score metadata, but it is not available");
    }
    if (part.meta == Meta::kDistance && near_ == nullptr) {
      return base::Error(40218,
                         "query requires $geoNear distance metadata, but it is not available");
    }
    if (part.meta == Meta::kNone) MAYFLY_RETURN_IF_ERROR(CheckFieldPath(part.dotted));
  }
  return absl::OkStatus();
}

std::string FindQuery::PlanShape() const {
  return engine::PlanShape(*filter_, {.sort = sort_document_,
                                      .projection = projection_document_,
                                      .collation = collation_document_});
}

const IndexFilter* FindQuery::IndexFilterOf(const Collection& collection) const {
  if (collection.index_filters().empty()) [[likely]]
    return nullptr;
  return FindIndexFilter(collection, PlanShape());
}

PlanRequest FindQuery::MakePlanRequest(const Collection& collection) const {
  return {.collection = collection,
          .filter = *filter_,
          .order = order_,
          .strings = collation_.get(),
          .hint = hint_,
          .min = min_,
          .max = max_,
          .index_filter = IndexFilterOf(collection)};
}

absl::StatusOr<PlanChoice> FindQuery::Plan(const Collection& collection) const {
  if (near_ != nullptr) MAYFLY_RETURN_IF_ERROR(CheckNearIndex(collection, *near_));
  if (natural_ != 0 && hint_.IsMissing()) {
    PlanChoice choice;
    choice.winner.direction = natural_ < 0 ? Direction::kBackward : Direction::kForward;
    choice.winner.sorted = true;
    return choice;
  }
  return ChoosePlanWithAlternatives(MakePlanRequest(collection));
}

absl::StatusOr<AccessPath> FindQuery::ChoosePath(const Collection& collection) const {
  if (natural_ != 0 || near_ != nullptr) {
    MAYFLY_ASSIGN_OR_RETURN(PlanChoice choice, Plan(collection));
    return std::move(choice.winner);
  }
  return ChoosePlan(MakePlanRequest(collection));
}

absl::StatusOr<std::unique_ptr<Stream>> FindQuery::MakeStream(
    ExecutionContext& context, const std::shared_ptr<Collection>& collection) const {
  MAYFLY_ASSIGN_OR_RETURN(const AccessPath path, ChoosePath(*collection));
  return MakeStream(context, collection, path);
}

absl::StatusOr<std::unique_ptr<Stream>> FindQuery::MakeUnprojectedStream(
    ExecutionContext& context, const std::shared_ptr<Collection>& collection) const {
  MAYFLY_ASSIGN_OR_RETURN(const AccessPath path, ChoosePath(*collection));
  return Unprojected(context, collection, path, {});
}

std::vector<int> FindQuery::CoveredFields(const AccessPath& path) const {
  if (path.kind != AccessPath::Kind::kIndexScan || !projection_.has_value()) return {};
  const Index& index = *path.index;
  // Keys hold the strings of a collation as what they sort by.
  const bool tells = path.exact && index.spec.special == IndexKind::kAscending &&
                     index.strings == nullptr && !index.IsMultikey();
  const bool reads_rows = (sort_.has_value() && !path.sorted) || near_ != nullptr || return_key_;
  if (!tells || reads_rows) return {};
  const auto paths = projection_->CoveredPaths();
  if (!paths.has_value() || paths->empty()) return {};
  std::vector<int> fields;
  for (size_t i = 0; i < index.spec.fields.size(); ++i) {
    if (std::find(paths->begin(), paths->end(), index.spec.fields[i].path) != paths->end()) {
      fields.push_back(static_cast<int>(i));
    }
  }
  return fields.size() == paths->size() ? fields : std::vector<int>();
}

std::unique_ptr<Stream> FindQuery::Unprojected(ExecutionContext& context,
                                               const std::shared_ptr<Collection>& collection,
                                               const AccessPath& path,
                                               std::vector<int> covered) const {
  std::unique_ptr<Stream> stream =
      covered.empty() ? MakeScanStream(context, collection, path)
                      : MakeCoveredStream(context, collection, path, std::move(covered));
  if (!path.exact && filter_->kind() != FilterKind::kAlwaysTrue) {
    stream = MakeFilterStream(context.evaluation, *filter_, std::move(stream));
  }
  if (const TextSearch* text = FindText(*filter_); text != nullptr) {
    stream = MakeTextScoreStream(*text, std::move(stream));
  }
  if (near_ != nullptr && !sort_.has_value()) {
    stream = MakeNearStream(context, collection, *filter_, *near_, std::move(stream));
  }
  if (sort_.has_value() && !path.sorted) {
    context.runtime.evaluation = &context.evaluation;
    context.holds_documents = true;
    const std::optional<int64_t> limit = limit_ > 0 ? std::optional(limit_ + skip_) : std::nullopt;
    stream = std::make_unique<SortStream>(std::move(stream), *sort_, limit, context.runtime);
  }
  if (skip_ > 0) stream = MakeSkipStream(skip_, std::move(stream));
  if (limit_ > 0) stream = MakeLimitStream(limit_, std::move(stream));
  return stream;
}

absl::StatusOr<bson::Document> FindQuery::Project(const EvaluationContext& evaluation,
                                                  bson::View document) const {
  if (!projection_.has_value()) return bson::Document(document);
  MatchContext match(evaluation);
  return projection_->Apply(document, match);
}

absl::StatusOr<std::unique_ptr<Stream>> FindQuery::MakeStream(
    ExecutionContext& context, const std::shared_ptr<Collection>& collection,
    const AccessPath& path) const {
  context.index_keys = shows_metadata_;
  std::unique_ptr<Stream> stream = Unprojected(context, collection, path, CoveredFields(path));
  if (return_key_) return MakeReturnKeyStream(context, path.index, std::move(stream));
  if (projection_.has_value()) {
    stream = MakeProjectionStream(context, *projection_, std::move(stream));
  }
  if (show_record_id_) stream = MakeRecordIdStream(std::move(stream));
  return stream;
}

}  // namespace mayfly::engine
