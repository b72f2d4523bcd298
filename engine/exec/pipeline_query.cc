#include "engine/exec/pipeline_query.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/exec/basic_streams.h"
#include "engine/exec/find_query.h"
#include "engine/exec/scan_streams.h"
#include "engine/query/query_shape.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;

constexpr int kMaxViewDepth = 20;

class EmptyStream : public Stream {
 public:
  absl::StatusOr<bool> Next(Row*) override { return false; }
};

std::vector<OrderField> OrderOf(const SortPattern* sort) {
  std::vector<OrderField> order;
  if (sort == nullptr) return order;
  for (const SortPattern::Part& part : sort->parts()) {
    if (part.meta != SortPattern::Part::Meta::kNone) return {};
    order.push_back({.path = part.dotted, .descending = part.descending});
  }
  return order;
}

const FilterNode& EverythingFilter() {
  static const FilterPtr everything = *ParseFilter(bson::View(), FilterParseContext());
  return *everything;
}

}  // namespace

// $collStats is about the view itself.
bool ReportsOnView(bson::View pipeline) {
  const bson::ValueView first = pipeline.First().value;
  return first.IsDocument() && first.AsDocument().First().key == "$collStats";
}

bson::Document ConcatArrays(bson::View first, bson::View second) {
  bson::Builder builder;
  builder.OpenArray("a");
  for (const bson::Element& element : first) builder.Push(element.value);
  for (const bson::Element& element : second) builder.Push(element.value);
  builder.Close();
  const bson::Document holder = builder.Finish();
  return bson::Document(holder.Find("a").AsDocument());
}

absl::StatusOr<ResolvedView> ResolveView(const Catalog& catalog, const Collection& view) {
  ResolvedView resolved{.collection = view.options().view_on, .pipeline = view.options().pipeline};
  for (int depth = 1; depth < kMaxViewDepth; ++depth) {
    const auto below = catalog.Find(resolved.collection);
    if (below == nullptr || !below->IsView()) return resolved;
    resolved.collection = below->options().view_on;
    resolved.pipeline = ConcatArrays(below->options().pipeline, resolved.pipeline);
  }
  return Error(
      ErrorCode::kViewDepthLimitExceeded,
      base::StrCat("View depth too deep or view cycle detected; maximum depth is ", kMaxViewDepth));
}

const text::Index* PipelineQuery::TextIndexInside(const Namespace& ns) {
  if (catalog_ == nullptr || ns.database != database_) return nullptr;
  auto& index = text_indexes_inside_[ns.collection];
  if (index == nullptr) index = TextIndexOf(catalog_->Find(ns.collection).get());
  return index.get();
}

PipelineContext PipelineQuery::MakePipelineContext(std::string_view collection) {
  PipelineContext context;
  context.expressions.variables = &variables_;
  context.expressions.evaluation = &context_.evaluation;
  context.ns = {.database = database_, .collection = std::string(collection)};
  context.text_index_of = [this](const Namespace& ns) { return TextIndexInside(ns); };
  return context;
}

absl::StatusOr<std::shared_ptr<PipelineQuery>> PipelineQuery::Parse(const PipelineRequest& request,
                                                                    Catalog* catalog,
                                                                    ExecutionContext& context,
                                                                    PipelineReporter* reporter) {
  std::shared_ptr<PipelineQuery> query(new PipelineQuery(catalog, context));
  context.reporter = reporter;
  query->database_ = request.database;
  const auto named = catalog == nullptr || request.collection.empty()
                         ? nullptr
                         : catalog->Find(request.collection);
  MAYFLY_ASSIGN_OR_RETURN(query->collation_, ResolveCollation(request.collation, named.get()));
  context.evaluation.strings = query->collation_.get();
  context.runtime.evaluation = &context.evaluation;
  context.runtime.host = query.get();
  context.runtime.allow_disk_use = request.allow_disk_use;
  MAYFLY_RETURN_IF_ERROR(DefineLet(request.let, context.evaluation, &query->variables_));
  query->hint_ = bson::Value(request.hint);

  std::string collection = request.collection;
  bson::Document pipeline(request.pipeline);
  if (named != nullptr && named->IsView() && !ReportsOnView(request.pipeline)) {
    MAYFLY_ASSIGN_OR_RETURN(const ResolvedView resolved, ResolveView(*catalog, *named));
    collection = resolved.collection;
    pipeline = ConcatArrays(resolved.pipeline, request.pipeline);
  }
  const auto stored = catalog == nullptr ? nullptr : catalog->Find(collection);
  query->text_index_ = TextIndexOf(stored.get());
  PipelineContext parse = query->MakePipelineContext(collection);
  parse.text_index = query->text_index_.get();
  parse.expressions.strict_api = request.strict_api;
  MAYFLY_ASSIGN_OR_RETURN(query->pipeline_, ParsePipeline(pipeline, parse));
  if (catalog != nullptr && !query->pipeline_->HasOwnSource())
    query->source_ = catalog->Find(collection);
  MAYFLY_RETURN_IF_ERROR(query->CheckCollationOfViews(named.get()));
  return query;
}

absl::Status PipelineQuery::CheckCollationOfViews(const Collection* named) const {
  const auto check = [&](const Collection* view) -> absl::Status {
    if (view == nullptr || !view->IsView() ||
        SameCollation(view->options().strings.get(), collation_.get())) {
      return absl::OkStatus();
    }
    return Error(ErrorCode::kOptionNotSupportedOnView,
                 base::StrCat("Cannot override a view's default collation for ", view->ns()));
  };
  MAYFLY_RETURN_IF_ERROR(check(named));
  if (catalog_ == nullptr) return absl::OkStatus();
  for (const Namespace& ns : pipeline_->Namespaces()) {
    if (ns.database == database_)
      MAYFLY_RETURN_IF_ERROR(check(catalog_->Find(ns.collection).get()));
  }
  return absl::OkStatus();
}

absl::StatusOr<PlanChoice> PipelineQuery::PlanSource() const {
  const bson::ValueView hint = hint_;
  if (pipeline_->BeginsWithNear() && hint.IsDocument() && hint.AsDocument().Has("$natural")) {
    return Error(ErrorCode::kBadValue, "$natural is no hint for $geoNear");
  }
  const FilterNode* filter = pipeline_->LeadingFilter();
  const IndexFilter* index_filter = nullptr;
  if (!source_->index_filters().empty()) [[unlikely]] {
    index_filter =
        FindIndexFilter(*source_, PlanShape(filter == nullptr ? EverythingFilter() : *filter, {}));
  }
  return ChoosePlanWithAlternatives({.collection = *source_,
                                     .filter = filter == nullptr ? EverythingFilter() : *filter,
                                     .order = OrderOf(pipeline_->LeadingSort()),
                                     .strings = collation_.get(),
                                     .hint = hint_,
                                     .min = {},
                                     .max = {},
                                     .index_filter = index_filter});
}

absl::StatusOr<std::unique_ptr<Stream>> PipelineQuery::MakeStream() {
  if (pipeline_->HasOwnSource()) return pipeline_->MakeStream(nullptr, context_.runtime);
  if (source_ == nullptr)
    return pipeline_->MakeStream(std::make_unique<EmptyStream>(), context_.runtime);
  MAYFLY_ASSIGN_OR_RETURN(const PlanChoice choice, PlanSource());
  context_.index_keys = pipeline_->NeededFields().metadata;
  std::unique_ptr<Stream> stream = MakeScanStream(context_, source_, choice.winner);
  const FilterNode* filter = pipeline_->LeadingFilter();
  if (filter != nullptr && !choice.winner.exact) {
    stream = MakeFilterStream(context_.evaluation, *filter, std::move(stream));
  }
  if (const TextSearch* text = filter == nullptr ? nullptr : FindText(*filter); text != nullptr) {
    stream = MakeTextScoreStream(*text, std::move(stream));
  }
  Pipeline::Done done{.filter = filter != nullptr,
                      .sort = choice.winner.sorted && pipeline_->LeadingSort() != nullptr};
  context_.holds_documents =
      (pipeline_->LeadingSort() != nullptr && !done.sort) || pipeline_->BeginsWithNear();
  return pipeline_->MakeStream(std::move(stream), context_.runtime, done);
}

absl::StatusOr<std::unique_ptr<Stream>> PipelineQuery::OpenStored(
    const std::shared_ptr<Collection>& collection, const FilterNode* filter,
    const Pipeline& pipeline, const Runtime& runtime) {
  const FilterNode* leading = pipeline.LeadingFilter();
  const FilterNode* planned = filter != nullptr ? filter : leading;
  PlanRequest request{.collection = *collection,
                      .filter = planned == nullptr ? EverythingFilter() : *planned,
                      .order = OrderOf(pipeline.LeadingSort()),
                      .strings = context_.evaluation.strings,
                      .hint = {},
                      .min = {},
                      .max = {}};
  MAYFLY_ASSIGN_OR_RETURN(const AccessPath path, ChoosePlan(request));
  std::unique_ptr<Stream> stream = MakeScanStream(context_, collection, path);
  if (planned != nullptr && !path.exact)
    stream = MakeFilterStream(*runtime.evaluation, *planned, std::move(stream));
  if (const TextSearch* text = planned == nullptr ? nullptr : FindText(*planned); text != nullptr) {
    stream = MakeTextScoreStream(*text, std::move(stream));
  }
  Pipeline::Done done{.filter = filter == nullptr && leading != nullptr};
  done.sort =
      path.sorted && pipeline.LeadingSort() != nullptr && (done.filter || leading == nullptr);
  return pipeline.MakeStream(std::move(stream), runtime, done);
}

absl::StatusOr<std::unique_ptr<Stream>> PipelineQuery::OpenView(const Collection& view,
                                                                const FilterNode* filter,
                                                                const Pipeline& pipeline,
                                                                const Runtime& runtime) {
  MAYFLY_ASSIGN_OR_RETURN(const ResolvedView resolved, ResolveView(*catalog_, view));
  MAYFLY_ASSIGN_OR_RETURN(
      auto definition, ParsePipeline(resolved.pipeline, MakePipelineContext(resolved.collection)));
  view_pipelines_.push_back(std::move(definition));
  MAYFLY_ASSIGN_OR_RETURN(auto stream, OpenCollection({database_, resolved.collection}, nullptr,
                                                      *view_pipelines_.back(), runtime));
  if (filter != nullptr) {
    stream = MakeFilterStream(*runtime.evaluation, *filter, std::move(stream));
  }
  return pipeline.MakeStream(std::move(stream), runtime);
}

absl::StatusOr<std::unique_ptr<Stream>> PipelineQuery::OpenCollection(const Namespace& ns,
                                                                      const FilterNode* filter,
                                                                      const Pipeline& pipeline,
                                                                      const Runtime& runtime) {
  if (ns.database != database_) {
    return Error(ErrorCode::kFailedToParse, base::StrCat("a pipeline on database '", database_,
                                                         "' cannot read ", ns.ToString()));
  }
  const auto collection = catalog_ == nullptr ? nullptr : catalog_->Find(ns.collection);
  if (pipeline.HasOwnSource()) return pipeline.MakeStream(nullptr, runtime);
  if (collection == nullptr) return pipeline.MakeStream(std::make_unique<EmptyStream>(), runtime);
  if (collection->IsView()) return OpenView(*collection, filter, pipeline, runtime);
  return OpenStored(collection, filter, pipeline, runtime);
}

bool PipelineQuery::HasIndexOn(const Namespace& ns, std::string_view path) {
  const auto collection = catalog_ == nullptr ? nullptr : catalog_->Find(ns.collection);
  if (collection == nullptr || collection->IsView()) return false;
  return std::any_of(collection->indexes().begin(), collection->indexes().end(),
                     [&](const auto& index) {
                       const IndexSpec& spec = index->spec;
                       return !spec.hidden && !spec.sparse && !spec.partial_filter.has_value() &&
                              spec.fields.front().path == path &&
                              (spec.fields.front().kind == IndexKind::kAscending ||
                               spec.fields.front().kind == IndexKind::kDescending ||
                               spec.fields.front().kind == IndexKind::kHashed) &&
                              bson::SameOrder(index->strings.get(), context_.evaluation.strings);
                     });
}

absl::StatusOr<std::vector<PipelineHost::GeoIndex>> PipelineQuery::GeoIndexes(const Namespace& ns) {
  const auto collection = catalog_ == nullptr ? nullptr : catalog_->Find(ns.collection);
  if (collection == nullptr) {
    return Error(ErrorCode::kNamespaceNotFound,
                 base::StrCat("$geoNear: collection ", ns.ToString(), " does not exist"));
  }
  std::vector<GeoIndex> result;
  for (const auto& index : collection->indexes()) {
    if (index->spec.hidden) continue;
    for (const IndexField& field : index->spec.fields) {
      if (field.kind != IndexKind::kGeo2d && field.kind != IndexKind::kGeo2dSphere) continue;
      result.push_back({.path = field.path, .sphere = field.kind == IndexKind::kGeo2dSphere});
    }
  }
  return result;
}

absl::StatusOr<std::vector<bson::Document>> PipelineQuery::Report(std::string_view stage,
                                                                  bson::ValueView spec,
                                                                  const Namespace& ns) {
  if (context_.reporter == nullptr) {
    return Error(ErrorCode::kIllegalOperation, base::StrCat(stage, " is not allowed here"));
  }
  return context_.reporter->Report(stage, spec, ns);
}

}  // namespace mayfly::engine
