#include "ttl/backfill.h"

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/catalog/record.h"
#include "engine/collection/writer.h"
#include "engine/index/expiry_index.h"

namespace mayfly::ttl {
namespace {

using engine::Collection;
using engine::ExpiryBackfill;
using engine::ExpiryEntry;
using engine::RecordId;
using engine::RecordView;

// Records looked at in one step.
constexpr int kRun = 256;

using EntryOf = absl::FunctionRef<std::optional<ExpiryEntry>(RecordId, const RecordView&)>;

// One step: the entries of the next records go into `space`. Answers how far it came.
absl::StatusOr<ExpiryBackfill> Step(engine::Transaction& transaction, const Collection& collection,
                                    ExpiryBackfill todo, engine::SpaceId space, EntryOf entry_of) {
  auto cursor =
      transaction.NewRecordCursor(collection.state().records, engine::Direction::kForward);
  cursor->Seek(todo.next);
  std::vector<std::string> keys;
  for (int i = 0; i < kRun; ++i) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more || cursor->id() >= todo.end) {
      todo.next = todo.end;
      break;
    }
    const auto entry = entry_of(cursor->id(), engine::ReadRecord(cursor->value()));
    if (entry.has_value()) keys.push_back(engine::ExpiryKey(*entry));
    todo.next = cursor->id() + 1;
  }
  cursor.reset();
  for (const std::string& key : keys) {
    MAYFLY_RETURN_IF_ERROR(transaction.PutKey(space, key, {}));
  }
  return todo;
}

absl::Status StepLastWrite(const engine::WriteContext& write, Collection& collection) {
  MAYFLY_ASSIGN_OR_RETURN(
      const ExpiryBackfill left,
      Step(write.transaction, collection, collection.state().backfill, collection.state().expiry,
           [](RecordId id, const RecordView& record) {
             return engine::ExpiryEntryOf(record.header, id);
           }));
  return write.catalog.Modify(write.transaction, collection,
                              [&](Collection::State& state) { state.backfill = left; });
}

absl::Status StepEpoch(const engine::WriteContext& write, Collection& collection) {
  const std::string attribute = collection.epoch_rule().attribute;
  bool milliseconds = false;
  MAYFLY_ASSIGN_OR_RETURN(
      const ExpiryBackfill left,
      Step(write.transaction, collection, collection.epoch_rule().backfill,
           collection.epoch_rule().space, [&](RecordId id, const RecordView& record) {
             milliseconds |= engine::LooksLikeMilliseconds(record.document.Find(attribute));
             return engine::EpochEntryOf(attribute, record.document, id);
           }));
  if (milliseconds) engine::WarnOfMilliseconds(collection);
  return write.catalog.Modify(write.transaction, collection,
                              [&](Collection::State& state) { state.epoch.backfill = left; });
}

bool NeedsLastWrite(const Collection& collection) {
  return collection.last_write_rule().is_on() && !collection.state().backfill.done();
}

bool NeedsEpoch(const Collection& collection) {
  return collection.epoch_rule().is_on() && !collection.epoch_rule().backfill.done();
}

}  // namespace

bool NeedsBackfill(const Collection& collection) {
  return NeedsLastWrite(collection) || NeedsEpoch(collection);
}

absl::Status BackfillEntries(const engine::WriteContext& write,
                             const std::shared_ptr<Collection>& collection,
                             absl::FunctionRef<bool()> spent) {
  while (NeedsBackfill(*collection)) {
    if (NeedsLastWrite(*collection)) {
      MAYFLY_RETURN_IF_ERROR(StepLastWrite(write, *collection));
    } else {
      MAYFLY_RETURN_IF_ERROR(StepEpoch(write, *collection));
    }
    if (spent()) break;
  }
  return absl::OkStatus();
}

}  // namespace mayfly::ttl
