// How others learn of documents that expiry has removed: a log, change streams.
#pragma once

#include <cstdint>
#include <string>

#include "bson/value.h"

namespace mayfly::engine {

// Why a document is removed; observers tell a user's delete from expiry by it.
enum class RemovalReason : uint8_t { kUser, kLastWriteTtl, kDateTtl, kEpochTtl, kCapped };

struct RemovedDocument {
  std::string ns;
  bson::Document document;  // as it was
  RemovalReason reason = RemovalReason::kLastWriteTtl;
  int64_t due_ms = 0;      // since when it was expired
  int64_t removed_ms = 0;  // the `now` of what removed it
};

// Told about each document that one of the rules of expiry has removed, by the purge or because it
// stood in the way of a new one. Called after the commit, by a thread of its database; must be
// quick.
class RemovalObserver {
 public:
  virtual ~RemovalObserver() = default;
  virtual void OnRemoved(RemovedDocument removed) = 0;
};

}  // namespace mayfly::engine
