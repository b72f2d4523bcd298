#include "commands/kept_settings.h"

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "bson/builder.h"
#include "commands/parameters.h"
#include "engine/catalog/record.h"
#include "engine/collection/writer.h"

namespace mayfly::commands {
namespace {

struct Place {
  std::string_view database;
  std::string_view collection;
  std::string_view id;
};
constexpr Place kConcerns = {"config", "settings", "ReadWriteConcernDefaults"};
constexpr Place kFeatureVersion = {"admin", "system.version", "featureCompatibilityVersion"};

constexpr Place kUserWriteBlock = {"config", "user_writes_critical_sections", "global"};

Place ClusterParameterPlace(std::string_view name) { return {"config", "clusterParameters", name}; }

struct Found {
  engine::RecordId id;
  bson::Document document;
};

// There are a handful of documents in such a collection.
absl::StatusOr<std::optional<Found>> Find(engine::Transaction& transaction,
                                          const engine::Collection& collection,
                                          std::string_view id) {
  const auto cursor =
      transaction.NewRecordCursor(collection.state().records, engine::Direction::kForward);
  cursor->Seek(0);
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more) return std::nullopt;
    const bson::View document = engine::ReadRecord(cursor->value()).document;
    const bson::ValueView own = document.Find("_id");
    if (own.IsString() && own.AsString() == id)
      return Found{cursor->id(), bson::Document(document)};
  }
}

// Puts the document, which has its `_id`, in the place of the one before.
absl::Status Keep(Services& services, const Place& place, bson::View document) {
  engine::Engine& engine = services.engine;
  MAYFLY_ASSIGN_OR_RETURN(const auto handle,
                          engine.Open(place.database, engine::Store::IfMissing::kCreate));
  const int64_t now_ms = services.clock.NowMs();
  return handle->storage().Run(
      {.access = engine::Access::kWrite}, [&](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, handle->GetCatalog(transaction));
        auto collection = catalog->Find(place.collection);
        if (collection == nullptr) {
          MAYFLY_ASSIGN_OR_RETURN(
              collection, catalog->Create(transaction, place.collection, {}, engine.NewUuid()));
        }
        engine::EvaluationContext evaluation;
        evaluation.now_ms = now_ms;
        engine::CollectionWriter writer({.transaction = transaction,
                                         .catalog = *catalog,
                                         .evaluation = evaluation,
                                         .modified_ms = handle->StampModification(now_ms)},
                                        collection);
        MAYFLY_ASSIGN_OR_RETURN(const auto found, Find(transaction, *collection, place.id));
        if (!found.has_value()) return writer.Insert(document).status();
        MAYFLY_ASSIGN_OR_RETURN(const auto bytes,
                                transaction.GetRecord(collection->state().records, found->id));
        const std::string before(bytes.value_or(""));
        return writer.Replace(found->id, engine::ReadRecord(before), document);
      });
}

absl::StatusOr<std::optional<bson::Document>> Load(Services& services, const Place& place) {
  MAYFLY_ASSIGN_OR_RETURN(const auto handle,
                          services.engine.Open(place.database, engine::Store::IfMissing::kNull));
  if (handle == nullptr) return std::nullopt;
  std::optional<bson::Document> document;
  MAYFLY_RETURN_IF_ERROR(
      handle->storage().Run({}, [&](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, handle->GetCatalog(transaction));
        const auto collection = catalog->Find(place.collection);
        if (collection == nullptr || collection->IsView()) return absl::OkStatus();
        MAYFLY_ASSIGN_OR_RETURN(auto found, Find(transaction, *collection, place.id));
        if (found.has_value()) document = std::move(found->document);
        return absl::OkStatus();
      }));
  return document;
}

// A value that this version does not take is passed over: the default is in force then.
absl::Status LoadClusterParameter(Services& services, const ClusterParameterRow& row,
                                  ServerState& state) {
  MAYFLY_ASSIGN_OR_RETURN(const auto document, Load(services, ClusterParameterPlace(row.name)));
  if (!document.has_value()) return absl::OkStatus();
  bson::Builder fields;
  for (const bson::Element& element : document->view()) {
    if (element.key != "_id" && element.key != "clusterParameterTime") fields.Append(element);
  }
  auto value = ReadClusterParameter(row, fields.Finish());
  if (!value.ok()) return absl::OkStatus();
  const bson::ValueView time = document->view().Find("clusterParameterTime");
  state.SetClusterParameter(
      row.name,
      {.value = *std::move(value),
       .time = time.type() == bson::Type::kTimestamp ? time.AsTimestamp() : bson::Timestamp{}});
  return absl::OkStatus();
}

std::optional<bson::Document> DocumentIn(bson::View document, std::string_view key) {
  const bson::ValueView value = document.Find(key);
  if (!value.IsDocument()) return std::nullopt;
  return bson::Document(value.AsDocument());
}

}  // namespace

absl::Status KeepDefaultConcerns(Services& services, const DefaultConcerns& concerns) {
  bson::Builder document;
  document.String("_id", kConcerns.id);
  if (concerns.read.has_value()) document.Document("defaultReadConcern", *concerns.read);
  if (concerns.write.has_value()) document.Document("defaultWriteConcern", *concerns.write);
  document.Timestamp("updateOpTime", concerns.set_time);
  document.Date("updateWallClockTime", concerns.set_ms);
  return Keep(services, kConcerns, document.Finish());
}

absl::Status KeepFeatureVersion(Services& services, std::string_view version) {
  bson::Builder document;
  document.String("_id", kFeatureVersion.id).String("version", version);
  return Keep(services, kFeatureVersion, document.Finish());
}

absl::Status KeepUserWriteBlock(Services& services, bool on, std::string_view reason) {
  bson::Builder document;
  document.String("_id", kUserWriteBlock.id).Bool("blockUserWrites", on);
  document.String("reason", reason);
  return Keep(services, kUserWriteBlock, document.Finish());
}

absl::Status KeepClusterParameter(Services& services, std::string_view name,
                                  const ClusterParameterValue& value) {
  bson::Builder document;
  document.String("_id", name).Timestamp("clusterParameterTime", value.time);
  document.AppendAll(value.value);
  return Keep(services, ClusterParameterPlace(name), document.Finish());
}

absl::Status LoadKeptSettings(Services& services, ServerState& state) {
  MAYFLY_ASSIGN_OR_RETURN(const auto concerns, Load(services, kConcerns));
  if (concerns.has_value()) {
    const std::lock_guard lock(state.mutex);
    state.default_concerns.read = DocumentIn(*concerns, "defaultReadConcern");
    state.default_concerns.write = DocumentIn(*concerns, "defaultWriteConcern");
    const bson::ValueView time = concerns->view().Find("updateOpTime");
    if (time.type() == bson::Type::kTimestamp) state.default_concerns.set_time = time.AsTimestamp();
    const bson::ValueView set = concerns->view().Find("updateWallClockTime");
    state.default_concerns.set_ms = set.type() == bson::Type::kDate ? set.AsDate() : 0;
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto version, Load(services, kFeatureVersion));
  if (version.has_value() && version->view().Find("version").IsString()) {
    bson::Builder value;
    value.Append("version", version->view().Find("version"));
    services.parameters.SetByServer("featureCompatibilityVersion",
                                    bson::Value::FromDocument(value.Finish()));
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto block, Load(services, kUserWriteBlock));
  if (block.has_value() && block->view().Find("blockUserWrites").IsBool()) {
    const bson::ValueView reason = block->view().Find("reason");
    state.user_write_block.Set(block->view().Find("blockUserWrites").AsBool(),
                               reason.IsString() ? reason.AsString() : std::string_view());
  }
  for (const ClusterParameterRow& row : ClusterParameterRows()) {
    MAYFLY_RETURN_IF_ERROR(LoadClusterParameter(services, row, state));
  }
  return absl::OkStatus();
}

}  // namespace mayfly::commands
