#include "commands/modify_statement.h"

#include <utility>

#include "base/status.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "engine/collection/new_document.h"
#include "engine/exec/find_query.h"
#include "engine/exec/modify.h"
#include "engine/update/update.h"

namespace mayfly::commands {
namespace {

using engine::Many;
using engine::Match;
using engine::Positions;

bool SelectsById(bson::View query) {
  const bson::Element first = query.First();
  return first.key == "_id" && query.Count() == 1 && !first.value.IsContainer() &&
         first.value.type() != bson::Type::kRegex;
}

// One statement while it runs.
class Runner {
 public:
  Runner(CommandContext& context, const engine::WriteContext& write, std::string_view name,
         const ModifyStatement& statement)
      : context_(context),
        write_(write),
        name_(name),
        statement_(statement),
        execution_(MakeExecutionContext(context)) {}

  absl::StatusOr<ModifyResult> Run() {
    MAYFLY_ASSIGN_OR_RETURN(collection_, FindStored(context_, name_));
    MAYFLY_RETURN_IF_ERROR(Parse());
    if (collection_ != nullptr) {
      writer_.emplace(write_, collection_);
      execution_.before_yield = [this] { writer_->Flush(); };
      MAYFLY_RETURN_IF_ERROR(VisitAll());
    }
    if (result_.matched == 0 && statement_.upsert && update_ != nullptr) {
      MAYFLY_RETURN_IF_ERROR(Upsert());
    }
    return std::move(result_);
  }

 private:
  absl::Status Parse() {
    // At most one document has that `_id`; its order among others is of no interest, as in MongoDB
    // not even whether the sort makes sense.
    if (!SelectsById(statement_.query)) sort_ = statement_.sort;
    const engine::FindRequest request{.filter = statement_.query,
                                      .sort = sort_,
                                      .projection = statement_.fields,
                                      .limit = sort_.empty() ? 0 : 1,
                                      .hint = statement_.hint,
                                      .collation = statement_.collation,
                                      .let = statement_.let};
    MAYFLY_ASSIGN_OR_RETURN(
        query_, engine::FindQuery::Parse(request, collection_.get(), &execution_.evaluation));
    if (statement_.update.IsMissing()) return absl::OkStatus();
    engine::UpdateParseContext parse;
    parse.evaluation = &execution_.evaluation;
    parse.variables = &query_->variables();
    parse.array_filters = statement_.array_filters;
    parse.constants = statement_.constants;
    parse.multi = statement_.multi;
    parse.keep_empty_timestamps = statement_.keep_empty_timestamps;
    MAYFLY_ASSIGN_OR_RETURN(update_, engine::Update::Parse(statement_.update, parse));
    return absl::OkStatus();
  }

  Positions WantedPositions() const {
    const bool wanted = (update_ != nullptr && update_->needs_matched_index());
    return wanted ? Positions::kRecord : Positions::kIgnore;
  }

  absl::Status VisitAll() {
    const auto visit = [this](const Match& match) { return Visit(match); };
    const bool ordered = !sort_.empty() || (query_->near() != nullptr && !statement_.multi);
    if (ordered) return VisitFirstInOrder(visit);
    MAYFLY_ASSIGN_OR_RETURN(const engine::AccessPath path, query_->ChoosePath(*collection_));
    return engine::VisitMatches(execution_, collection_, query_->filter(), path, WantedPositions(),
                                statement_.multi ? Many::kAll : Many::kOne, visit);
  }

  absl::Status VisitFirstInOrder(absl::FunctionRef<absl::StatusOr<bool>(const Match&)> visit) {
    engine::RecordId id = engine::kNoRecord;
    {
      MAYFLY_ASSIGN_OR_RETURN(const auto stream,
                              query_->MakeUnprojectedStream(execution_, collection_));
      engine::Row row;
      MAYFLY_ASSIGN_OR_RETURN(const bool found, stream->Next(&row));
      if (!found) return absl::OkStatus();
      id = row.record_id;
    }
    bool go_on = true;
    return engine::VisitRecord(execution_, *collection_, query_->filter(), id, WantedPositions(),
                               visit, &go_on);
  }

  absl::StatusOr<bool> Visit(const Match& match) {
    ++result_.matched;
    if (update_ == nullptr) {
      MAYFLY_RETURN_IF_ERROR(KeepForReturn(match.record.document));
      MAYFLY_RETURN_IF_ERROR(
          writer_->Remove(match.id, match.record, {.reason = engine::RemovalReason::kUser}));
      ++result_.deleted;
      return statement_.multi;
    }
    const engine::UpdateApplyContext apply{.evaluation = &execution_.evaluation,
                                           .matched_index = match.array_index};
    MAYFLY_ASSIGN_OR_RETURN(const auto changed, update_->Apply(match.record.document, apply));
    if (statement_.return_before) MAYFLY_RETURN_IF_ERROR(KeepForReturn(match.record.document));
    if (changed.has_value()) {
      MAYFLY_RETURN_IF_ERROR(writer_->Replace(match.id, match.record, *changed));
      ++result_.modified;
    }
    if (statement_.return_after) {
      MAYFLY_RETURN_IF_ERROR(
          KeepForReturn(changed.has_value() ? changed->view() : match.record.document));
    }
    return statement_.multi;
  }

  absl::Status KeepForReturn(bson::View document) {
    if (!statement_.return_before && !statement_.return_after) return absl::OkStatus();
    MAYFLY_ASSIGN_OR_RETURN(const bson::Document projected,
                            query_->Project(execution_.evaluation, document));
    result_.document = bson::Value::FromDocument(projected);
    return absl::OkStatus();
  }

  absl::Status Upsert() {
    const engine::UpdateApplyContext apply{.evaluation = &execution_.evaluation,
                                           .matched_index = std::nullopt};
    const bson::ObjectId generated = context_.services.engine.object_ids().Next(context_.now_ms);
    MAYFLY_ASSIGN_OR_RETURN(const bson::Document document,
                            update_->MakeUpsertDocument(query_->filter(), apply, generated));
    MAYFLY_RETURN_IF_ERROR(engine::CheckId(document.Find("_id")));
    if (collection_ == nullptr) {
      MAYFLY_ASSIGN_OR_RETURN(collection_, FindOrCreate(context_, name_));
      writer_.emplace(write_, collection_);
    }
    const engine::NewDocumentContext preparation{.ids = context_.services.engine.object_ids(),
                                                 .now_ms = context_.now_ms,
                                                 .keep_empty_timestamps = true};
    bson::Document scratch;
    MAYFLY_ASSIGN_OR_RETURN(const bson::View ready,
                            engine::PrepareNewDocument(document, preparation, &scratch));
    MAYFLY_RETURN_IF_ERROR(writer_->Insert(ready).status());
    result_.upserted_id = bson::Value(ready.Find("_id"));
    if (statement_.return_after) {
      MAYFLY_ASSIGN_OR_RETURN(const bson::Document projected,
                              query_->Project(execution_.evaluation, ready));
      result_.document = bson::Value::FromDocument(projected);
    }
    return absl::OkStatus();
  }

  CommandContext& context_;
  engine::WriteContext write_;
  std::string_view name_;
  const ModifyStatement& statement_;
  bson::View sort_;
  engine::ExecutionContext execution_;
  std::shared_ptr<engine::Collection> collection_;
  std::optional<engine::CollectionWriter> writer_;
  std::shared_ptr<const engine::FindQuery> query_;
  std::unique_ptr<const engine::Update> update_;
  ModifyResult result_;
};

}  // namespace

absl::StatusOr<ModifyResult> RunModify(CommandContext& context, const engine::WriteContext& write,
                                       std::string_view collection_name,
                                       const ModifyStatement& statement) {
  return Runner(context, write, collection_name, statement).Run();
}

}  // namespace mayfly::commands
