// The spaces of one database of the memory store, and how to undo changes to them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

using RecordMap = absl::btree_map<RecordId, std::string>;
using KeyMap = absl::btree_map<std::string, std::string, std::less<>>;

struct MemorySpace {
  std::variant<RecordMap, KeyMap> entries;
  int64_t bytes = 0;  // of keys and values
};

class MemorySpaces {
 public:
  MemorySpaces();

  // Null if there is no such space of that kind.
  RecordMap* Records(SpaceId space);
  KeyMap* Keys(SpaceId space);

  SpaceId Create(SpaceKind kind);
  bool Drop(SpaceId space);
  // `value` absent: delete. False if there is no such space of that kind.
  bool SetRecord(SpaceId space, RecordId id, std::optional<std::string> value);
  bool SetKey(SpaceId space, std::string_view key, std::optional<std::string> value);

  // Everything from `first` to `last`, both included.
  bool DeleteRecords(SpaceId space, RecordId first, RecordId last);
  bool DeleteKeys(SpaceId space, std::string_view first, std::string_view last);

  // Changes since the last Forget(), as a position to go back to.
  size_t mark() const { return undo_.size(); }
  void UndoTo(size_t mark);
  void Forget() { undo_.clear(); }
  // Changes with every change of an entry or space, so that cursors know when their place may be
  // gone.
  uint64_t epoch() const { return epoch_; }
  int64_t bytes() const { return bytes_; }
  // Of one space; nullopt if there is none.
  std::optional<int64_t> BytesOf(SpaceId space) const {
    const auto it = spaces_.find(space);
    if (it == spaces_.end()) return std::nullopt;
    return it->second->bytes;
  }

 private:
  struct RecordChange {
    SpaceId space;
    RecordId id;
    std::optional<std::string> before;
  };
  struct KeyChange {
    SpaceId space;
    std::string key;
    std::optional<std::string> before;
  };
  struct SpaceChange {
    SpaceId space;
    std::unique_ptr<MemorySpace> before = nullptr;  // null: the space was created
  };
  using Change = std::variant<RecordChange, KeyChange, SpaceChange>;

  void Undo(Change& change);
  template <typename Map, typename Key>
  std::optional<std::string> Set(Map& map, MemorySpace& space, const Key& key,
                                 std::optional<std::string> value);

  absl::flat_hash_map<SpaceId, std::unique_ptr<MemorySpace>> spaces_;
  SpaceId next_ = kCatalogSpace + 1;
  std::vector<Change> undo_;
  uint64_t epoch_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace mayfly::engine
