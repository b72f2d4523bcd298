#include "engine/exec/pipeline_targets.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/catalog/namespace.h"
#include "engine/collection/new_document.h"
#include "engine/collection/writer.h"
#include "engine/exec/modify.h"
#include "engine/plan/planner.h"
#include "engine/query/filter.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

absl::Status CheckTarget(const WriteContext& write, std::string_view database,
                         const Namespace& target) {
  if (target.database != database) {
    return Error(
        ErrorCode::kIllegalOperation,
        StrCat(
            "this server writes a pipeline's result only into the pipeline's own database, not to ",
            target.ToString()));
  }
  MAYFLY_RETURN_IF_ERROR(CheckCreatableCollectionName(target.database, target.collection));
  const auto collection = write.catalog.Find(target.collection);
  if (collection != nullptr && collection->IsView()) {
    return Error(ErrorCode::kCommandNotSupportedOnView,
                 StrCat("Namespace ", target.ToString(), " is a view, not a collection"));
  }
  return absl::OkStatus();
}

Uuid RandomUuid(const WriteContext& write) {
  Uuid uuid;
  write.evaluation.random->Fill(uuid.data(), uuid.size());
  uuid[6] = static_cast<uint8_t>((uuid[6] & 0x0F) | 0x40);
  uuid[8] = static_cast<uint8_t>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

absl::Status InsertInto(CollectionWriter& writer, bson::View document) {
  base::Random& random = *writer.context().evaluation.random;
  bson::ObjectIdGenerator ids(random);
  bson::Document scratch;
  const NewDocumentContext context{.ids = ids, .now_ms = writer.context().evaluation.now_ms};
  MAYFLY_ASSIGN_OR_RETURN(const bson::View ready, PrepareNewDocument(document, context, &scratch));
  return writer.Insert(ready).status();
}

// Writes into a collection of another name, which takes the target's place at the end.
class CollectionOut : public OutWriter {
 public:
  CollectionOut(const WriteContext& write, std::shared_ptr<Collection> temporary,
                std::string target)
      : write_(write), writer_(write, std::move(temporary)), target_(std::move(target)) {}

  absl::Status Write(bson::View document) override { return InsertInto(writer_, document); }

  absl::Status Finish() override {
    writer_.Flush();
    if (const auto old = write_.catalog.Find(target_); old != nullptr) {
      MAYFLY_RETURN_IF_ERROR(write_.catalog.Drop(write_.transaction, *old));
    }
    return write_.catalog.Rename(write_.transaction, *writer_.collection(), target_);
  }

 private:
  WriteContext write_;
  CollectionWriter writer_;
  std::string target_;
};

class CollectionMerge : public MergeTarget {
 public:
  CollectionMerge(const WriteContext& write, ExecutionContext& context,
                  std::shared_ptr<Collection> collection)
      : context_(context), writer_(write, std::move(collection)) {}

  absl::StatusOr<std::optional<bson::Document>> Find(bson::View key) override {
    std::optional<bson::Document> found;
    MAYFLY_RETURN_IF_ERROR(Visit(key, [&](const Match& match) -> absl::StatusOr<bool> {
      found.emplace(match.record.document);
      return false;
    }));
    return found;
  }

  absl::Status Insert(bson::View document) override {
    const absl::Status status = InsertInto(writer_, document);
    writer_.Flush();
    return status;
  }

  absl::Status Replace(bson::View before, bson::View after) override {
    bson::Builder key;
    key.Append("_id", before.Find("_id"));
    const absl::Status status =
        Visit(key.Finish(), [&](const Match& match) -> absl::StatusOr<bool> {
          MAYFLY_RETURN_IF_ERROR(writer_.Replace(match.id, match.record, after));
          return false;
        });
    writer_.Flush();
    return status;
  }

 private:
  absl::Status Visit(bson::View key, absl::FunctionRef<absl::StatusOr<bool>(const Match&)> visit) {
    bson::Builder equalities;
    for (const bson::Element& element : key) {
      equalities.OpenDocument(element.key).Append("$eq", element.value).Close();
    }
    const bson::Document document = equalities.Finish();
    FilterParseContext parse;
    parse.features.expr = false;
    MAYFLY_ASSIGN_OR_RETURN(const FilterPtr filter, ParseFilter(document, parse));
    const PlanRequest request{.collection = *writer_.collection(),
                              .filter = *filter,
                              .order = {},
                              .strings = nullptr,
                              .hint = {},
                              .min = {},
                              .max = {}};
    MAYFLY_ASSIGN_OR_RETURN(const AccessPath path, ChoosePlan(request));
    return VisitMatches(context_, writer_.collection(), *filter, path, Positions::kIgnore,
                        Many::kOne, visit);
  }

  ExecutionContext& context_;
  CollectionWriter writer_;
};

bool CoversExactly(const Index& index, const std::vector<std::string>& on) {
  if (!index.spec.unique || index.building || index.spec.partial_filter.has_value()) return false;
  std::set<std::string> fields;
  for (const IndexField& field : index.spec.fields) fields.insert(field.path);
  return fields == std::set<std::string>(on.begin(), on.end());
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutWriter>> MakeOutWriter(const WriteContext& write,
                                                         std::string_view database,
                                                         const Namespace& target) {
  MAYFLY_RETURN_IF_ERROR(CheckTarget(write, database, target));
  const auto old = write.catalog.Find(target.collection);
  if (old != nullptr && old->options().capped) {
    return Error(17152, StrCat("namespace '", target.ToString(),
                               "' is capped so it can't be used for $out"));
  }
  Uuid uuid = RandomUuid(write);
  const std::string temporary = StrCat("tmp.agg_out.", write.evaluation.random->NextU64());
  CollectionOptions options;
  if (old != nullptr) options = old->options();
  MAYFLY_ASSIGN_OR_RETURN(auto collection, write.catalog.Create(write.transaction, temporary,
                                                                std::move(options), uuid));
  if (old != nullptr) {
    for (const auto& index : old->indexes()) {
      if (index->spec.IsId()) continue;
      MAYFLY_RETURN_IF_ERROR(
          write.catalog.AddIndex(write.transaction, *collection, index->spec).status());
    }
  }
  return std::make_unique<CollectionOut>(write, std::move(collection), target.collection);
}

absl::StatusOr<std::unique_ptr<MergeTarget>> MakeMergeTarget(const WriteContext& write,
                                                             ExecutionContext& context,
                                                             std::string_view database,
                                                             const Namespace& target,
                                                             const std::vector<std::string>& on) {
  MAYFLY_RETURN_IF_ERROR(CheckTarget(write, database, target));
  auto collection = write.catalog.Find(target.collection);
  const bool by_id = on.empty() || (on.size() == 1 && on.front() == "_id");
  const bool covered =
      by_id || (collection != nullptr &&
                std::any_of(collection->indexes().begin(), collection->indexes().end(),
                            [&](const auto& index) { return CoversExactly(*index, on); }));
  if (!covered) return Error(51183, "Cannot find index to verify that join fields will be unique");
  if (collection == nullptr) {
    Uuid uuid = RandomUuid(write);
    MAYFLY_ASSIGN_OR_RETURN(collection, write.catalog.Create(write.transaction, target.collection,
                                                             CollectionOptions(), uuid));
  }
  return std::make_unique<CollectionMerge>(write, context, std::move(collection));
}

}  // namespace mayfly::engine
