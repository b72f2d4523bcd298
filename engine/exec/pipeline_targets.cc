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

absl::Status CheckTarget(const WriteContext& write, const Namespace& target) {
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
  const EvaluationContext& evaluation = writer.context().evaluation;
  const NewDocumentContext context{
      .ids = ids, .now_ms = evaluation.now_ms, .cluster_clock = evaluation.cluster_clock};
  MAYFLY_ASSIGN_OR_RETURN(const bson::View ready, PrepareNewDocument(document, context, &scratch));
  return writer.Insert(ready).status();
}

bool SameIndexes(const Collection& a, const Collection& b) {
  const auto specs = [](const Collection& collection) {
    std::set<std::string_view> stored;
    for (const auto& index : collection.ReadyIndexes()) stored.insert(index->spec.stored.bytes());
    return stored;
  };
  return specs(a) == specs(b);
}

class CollectionOut : public OutTarget {
 public:
  CollectionOut(const WriteContext& write, const Namespace& target, std::string_view temporary)
      : write_(write), target_(target), temporary_(temporary) {}

  absl::Status Create() override {
    const auto old = Old();
    CollectionOptions options;
    if (old != nullptr) options = old->options();
    options.temporary = true;
    MAYFLY_ASSIGN_OR_RETURN(const auto collection,
                            write_.catalog.Create(write_.transaction, temporary_,
                                                  std::move(options), RandomUuid(write_)));
    if (old == nullptr) return absl::OkStatus();
    for (const auto& index : old->ReadyIndexes()) {
      if (index->spec.IsId()) continue;
      MAYFLY_RETURN_IF_ERROR(
          write_.catalog.AddIndex(write_.transaction, *collection, index->spec).status());
    }
    return absl::OkStatus();
  }

  absl::Status Write(bson::View document) override {
    if (!writer_.has_value()) {
      MAYFLY_ASSIGN_OR_RETURN(auto collection, Made());
      writer_.emplace(write_, std::move(collection));
    }
    return InsertInto(*writer_, document);
  }

  absl::Status Finish() override {
    MAYFLY_ASSIGN_OR_RETURN(const auto made, Made());
    if (const auto old = Old(); old != nullptr) {
      const bool is_same = old->options().stored.bytes() == made->options().stored.bytes() &&
                           SameIndexes(*old, *made);
      if (!is_same) {
        return Error(ErrorCode::kCommandFailed,
                     StrCat("options or indexes of ", old->ns(), " have changed during $out"));
      }
      MAYFLY_RETURN_IF_ERROR(write_.catalog.Drop(write_.transaction, *old));
    }
    if (write_.expiry_listener != nullptr) {
      write_.expiry_listener->OnRulesChanged(target_.database);
    }
    return write_.catalog.Rename(write_.transaction, *made, target_.collection);
  }

  absl::Status Drop() override {
    const auto made = write_.catalog.Find(temporary_);
    return made == nullptr ? absl::OkStatus() : write_.catalog.Drop(write_.transaction, *made);
  }

 private:
  std::shared_ptr<Collection> Old() const { return write_.catalog.Find(target_.collection); }

  absl::StatusOr<std::shared_ptr<Collection>> Made() const {
    auto made = write_.catalog.Find(temporary_);
    if (made != nullptr) return made;
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("the collection that $out fills was dropped: ", temporary_));
  }

  WriteContext write_;
  const Namespace target_;
  const std::string temporary_;
  std::optional<CollectionWriter> writer_;  // from the first document on
};

class CollectionMerge : public MergeTarget {
 public:
  CollectionMerge(const WriteContext& write, ExecutionContext& context, const Namespace& target,
                  bool has_nulls)
      : write_(write), context_(context), target_(target), has_nulls_(has_nulls) {}

  bool HasNulls() const override { return has_nulls_; }

  absl::StatusOr<std::optional<bson::Document>> Find(bson::View key) override {
    std::optional<bson::Document> found;
    if (!OpenExisting()) return found;
    const auto keep = [&](const Match& match) -> absl::StatusOr<bool> {
      found.emplace(match.record.document);
      return false;
    };
    MAYFLY_RETURN_IF_ERROR(Visit(key, context_.evaluation.strings, keep));
    return found;
  }

  absl::Status Insert(bson::View document) override {
    if (!OpenExisting()) {
      MAYFLY_ASSIGN_OR_RETURN(auto made,
                              write_.catalog.Create(write_.transaction, target_.collection,
                                                    CollectionOptions(), RandomUuid(write_)));
      writer_.emplace(write_, std::move(made));
    }
    const absl::Status status = InsertInto(*writer_, document);
    writer_->Flush();
    return status;
  }

  absl::StatusOr<bool> Replace(bson::View before, bson::View after) override {
    if (!OpenExisting()) return false;
    bson::Builder key;
    key.Append("_id", before.Find("_id"));
    bool replaced = false;
    // By the collation of its `_id` index.
    const CollationPtr own = writer_->collection()->options().strings;
    const bson::StringComparator* const strings = own.get();
    const absl::Status status =
        Visit(key.Finish(), strings, [&](const Match& match) -> absl::StatusOr<bool> {
          if (match.record.document.bytes() != before.bytes()) return false;
          MAYFLY_RETURN_IF_ERROR(writer_->Replace(match.id, match.record, after));
          replaced = true;
          return false;
        });
    writer_->Flush();
    MAYFLY_RETURN_IF_ERROR(status);
    return replaced;
  }

 private:
  // False if there is no such collection. Others may drop or make it while a look-up lets them run.
  bool OpenExisting() {
    if (writer_.has_value() && !writer_->collection()->dropped()) return true;
    writer_.reset();
    auto collection = write_.catalog.Find(target_.collection);
    if (collection == nullptr) return false;
    writer_.emplace(write_, std::move(collection));
    return true;
  }

  absl::Status Visit(bson::View key, const bson::StringComparator* strings,
                     absl::FunctionRef<absl::StatusOr<bool>(const Match&)> visit) {
    bson::Builder equalities;
    for (const bson::Element& element : key) {
      equalities.OpenDocument(element.key).Append("$eq", element.value).Close();
    }
    const bson::Document document = equalities.Finish();
    FilterParseContext parse;
    parse.features.expr = false;
    parse.strings = strings;
    MAYFLY_ASSIGN_OR_RETURN(const FilterPtr filter, ParseFilter(document, parse));
    const PlanRequest request{.collection = *writer_->collection(),
                              .filter = *filter,
                              .order = {},
                              .strings = strings,
                              .hint = {},
                              .min = {},
                              .max = {}};
    MAYFLY_ASSIGN_OR_RETURN(const AccessPath path, ChoosePlan(request));
    return VisitMatches(context_, writer_->collection(), *filter, path, Positions::kIgnore,
                        Many::kOne, visit);
  }

  WriteContext write_;
  ExecutionContext& context_;
  const Namespace target_;
  const bool has_nulls_;
  std::optional<CollectionWriter> writer_;
};

// Unique in just these fields, and for strings that are equal in the pipeline.
bool CoversExactly(const Index& index, const std::vector<std::string>& on,
                   const bson::StringComparator* strings) {
  if (!bson::SameOrder(index.strings.get(), strings)) return false;
  if (!(index.spec.unique || index.spec.IsId()) || index.building ||
      index.spec.partial_filter.has_value())
    return false;
  std::set<std::string> fields;
  for (const IndexField& field : index.spec.fields) fields.insert(field.path);
  return fields == std::set<std::string>(on.begin(), on.end());
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutTarget>> PipelineTargets::OpenOut(const Namespace& target,
                                                                    std::string_view temporary) {
  MAYFLY_RETURN_IF_ERROR(CheckTarget(write_, target));
  const auto old = write_.catalog.Find(target.collection);
  if (old != nullptr && old->options().capped) {
    return Error(17152, StrCat("namespace '", target.ToString(),
                               "' is capped so it can't be used for $out"));
  }
  return std::make_unique<CollectionOut>(write_, target, temporary);
}

absl::StatusOr<std::unique_ptr<MergeTarget>> PipelineTargets::OpenMerge(
    const Namespace& target, const std::vector<std::string>& on) {
  MAYFLY_RETURN_IF_ERROR(CheckTarget(write_, target));
  const auto collection = write_.catalog.Find(target.collection);
  const bool by_id = on.empty() || (on.size() == 1 && on.front() == "_id");
  bool covered = on.empty() || (collection == nullptr && by_id);
  bool has_nulls = covered;
  if (collection != nullptr && !covered) {
    for (const auto& index : collection->indexes()) {
      if (!CoversExactly(*index, on, context_.evaluation.strings)) continue;
      covered = true;
      has_nulls = has_nulls || !index->spec.sparse;
    }
  }
  if (!covered) return Error(51183, "Cannot find index to verify that join fields will be unique");
  return std::make_unique<CollectionMerge>(write_, context_, target, has_nulls);
}

}  // namespace mayfly::engine
