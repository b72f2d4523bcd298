#include "ttl/backlog.h"

#include <algorithm>

#include "base/status.h"
#include "ttl/due_source.h"

namespace mayfly::ttl {

absl::Status AddBacklog(engine::Transaction& transaction, const engine::Collection& collection,
                        int64_t now_ms, int64_t limit, Backlog* sum) {
  for (const auto& source : MakeDueSources(collection, PurgeKinds(), now_ms)) {
    MAYFLY_ASSIGN_OR_RETURN(const auto oldest_ms, source->OldestDueMs(transaction));
    if (!oldest_ms.has_value()) continue;
    sum->oldest_due_ms = std::min(sum->oldest_due_ms.value_or(*oldest_ms), *oldest_ms);
    auto cursor = transaction.NewKeyCursor(source->space(), engine::Direction::kForward);
    cursor->Seek(source->start());
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more || cursor->key() >= source->end()) break;
      if (sum->documents >= limit) {
        sum->partial = true;
        break;
      }
      ++sum->documents;
    }
  }
  return absl::OkStatus();
}

}  // namespace mayfly::ttl
