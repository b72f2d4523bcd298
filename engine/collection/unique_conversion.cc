#include "engine/collection/unique_conversion.h"

#include <string>
#include <utility>

#include "base/status.h"
#include "engine/catalog/record.h"
#include "engine/index/index_keys.h"

namespace mayfly::engine {
namespace {

constexpr size_t kMaxDuplicateKeys = 100;

absl::Status CheckInterrupt(const WriteContext& context) {
  return context.evaluation.interrupt == nullptr ? absl::OkStatus()
                                                 : context.evaluation.interrupt->Check();
}

// The `_id` of a visible record; missing if it is gone or expired.
absl::StatusOr<bson::Value> VisibleId(const WriteContext& context, const Collection& collection,
                                      RecordId id) {
  MAYFLY_ASSIGN_OR_RETURN(const auto bytes,
                          context.transaction.GetRecord(collection.state().records, id));
  if (!bytes.has_value()) return bson::Value();
  const RecordView record = ReadRecord(*bytes);
  if (record.header.IsExpired(collection.last_write_rule(), context.evaluation.now_ms)) {
    return bson::Value();
  }
  return bson::Value(record.document.Find("_id"));
}

}  // namespace

absl::StatusOr<DuplicateIds> FindDuplicates(const WriteContext& context,
                                            const Collection& collection, const Index& index) {
  DuplicateIds duplicates;
  std::string fields;
  std::vector<RecordId> holders;
  const auto finish_key = [&]() -> absl::Status {
    if (holders.size() > 1) {
      std::vector<bson::Value> ids;
      for (const RecordId holder : holders) {
        MAYFLY_ASSIGN_OR_RETURN(bson::Value id, VisibleId(context, collection, holder));
        if (!id.view().IsMissing()) ids.push_back(std::move(id));
      }
      if (ids.size() > 1) duplicates.push_back(std::move(ids));
    }
    holders.clear();
    return absl::OkStatus();
  };
  auto cursor = context.transaction.NewKeyCursor(index.space, Direction::kForward);
  while (duplicates.size() < kMaxDuplicateKeys) {
    MAYFLY_RETURN_IF_ERROR(CheckInterrupt(context));
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more) break;
    const IndexEntry entry = ParseEntry(index, cursor->key(), cursor->value());
    const RecordId id = entry.id;
    if (entry.fields != fields) {
      std::string next(entry.fields);
      MAYFLY_RETURN_IF_ERROR(finish_key());
      fields = std::move(next);
    }
    holders.push_back(id);
  }
  MAYFLY_RETURN_IF_ERROR(finish_key());
  return duplicates;
}

absl::Status ConvertToUnique(const WriteContext& context, Collection& collection,
                             const Index& index) {
  auto converted = std::make_shared<Index>(index);
  converted->spec = WithUnique(index.spec);
  MAYFLY_ASSIGN_OR_RETURN(converted->space, context.transaction.CreateSpace(SpaceKind::kKeys));
  {
    auto cursor = context.transaction.NewKeyCursor(index.space, Direction::kForward);
    while (true) {
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(context));
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more) break;
      const std::string key(cursor->key());
      const std::string value(cursor->value());
      const IndexEntry entry = ParseEntry(index, key, value);
      MAYFLY_ASSIGN_OR_RETURN(const bson::Value id, VisibleId(context, collection, entry.id));
      if (id.view().IsMissing()) continue;
      MAYFLY_RETURN_IF_ERROR(
          context.transaction.PutKey(converted->space, EntryKey(*converted, entry.fields, entry.id),
                                     EntryValue(*converted, entry.type_bits, entry.id)));
    }
  }
  const SpaceId old_space = index.space;
  MAYFLY_RETURN_IF_ERROR(context.transaction.DropSpace(old_space));
  return context.catalog.Modify(context.transaction, collection, [&](Collection::State& state) {
    for (auto& entry : state.indexes) {
      if (entry->space == old_space) entry = converted;
    }
  });
}

}  // namespace mayfly::engine
