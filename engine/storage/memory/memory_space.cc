#include "engine/storage/memory/memory_space.h"

#include <utility>

namespace mayfly::engine {
namespace {

size_t SizeOf(RecordId) { return sizeof(RecordId); }
size_t SizeOf(std::string_view key) { return key.size(); }

}  // namespace

MemorySpaces::MemorySpaces() {
  spaces_.emplace(kCatalogSpace, std::make_unique<MemorySpace>(MemorySpace{.entries = KeyMap()}));
}

RecordMap* MemorySpaces::Records(SpaceId space) {
  auto it = spaces_.find(space);
  return it == spaces_.end() ? nullptr : std::get_if<RecordMap>(&it->second->entries);
}

KeyMap* MemorySpaces::Keys(SpaceId space) {
  auto it = spaces_.find(space);
  return it == spaces_.end() ? nullptr : std::get_if<KeyMap>(&it->second->entries);
}

SpaceId MemorySpaces::Create(SpaceKind kind) {
  const SpaceId id = next_++;
  auto space = std::make_unique<MemorySpace>();
  if (kind == SpaceKind::kKeys) space->entries = KeyMap();
  spaces_.emplace(id, std::move(space));
  undo_.push_back(SpaceChange{.space = id});
  ++epoch_;
  return id;
}

bool MemorySpaces::Drop(SpaceId space) {
  auto it = spaces_.find(space);
  if (it == spaces_.end()) return false;
  bytes_ -= it->second->bytes;
  undo_.push_back(SpaceChange{.space = space, .before = std::move(it->second)});
  spaces_.erase(it);
  ++epoch_;
  return true;
}

template <typename Map, typename Key>
std::optional<std::string> MemorySpaces::Set(Map& map, MemorySpace& space, const Key& key,
                                             std::optional<std::string> value) {
  std::optional<std::string> before;
  int64_t change = 0;
  auto it = map.find(key);
  if (it != map.end()) {
    change -= static_cast<int64_t>(SizeOf(key) + it->second.size());
    before = std::move(it->second);
  }
  if (value.has_value()) {
    change += static_cast<int64_t>(SizeOf(key) + value->size());
    if (it != map.end()) {
      it->second = *std::move(value);
    } else {
      map.emplace(key, *std::move(value));
    }
  } else if (it != map.end()) {
    map.erase(it);
  }
  space.bytes += change;
  bytes_ += change;
  ++epoch_;
  return before;
}

bool MemorySpaces::SetRecord(SpaceId space, RecordId id, std::optional<std::string> value) {
  RecordMap* map = Records(space);
  if (map == nullptr) return false;
  undo_.push_back(RecordChange{
      .space = space, .id = id, .before = Set(*map, *spaces_[space], id, std::move(value))});
  return true;
}

bool MemorySpaces::SetKey(SpaceId space, std::string_view key, std::optional<std::string> value) {
  KeyMap* map = Keys(space);
  if (map == nullptr) return false;
  undo_.push_back(KeyChange{.space = space,
                            .key = std::string(key),
                            .before = Set(*map, *spaces_[space], key, std::move(value))});
  return true;
}

bool MemorySpaces::DeleteRecords(SpaceId space, RecordId first, RecordId last) {
  const RecordMap* map = Records(space);
  if (map == nullptr) return false;
  for (auto it = map->lower_bound(first); it != map->end() && it->first <= last;) {
    const RecordId id = it->first;
    SetRecord(space, id, std::nullopt);
    it = map->lower_bound(id);
  }
  return true;
}

bool MemorySpaces::DeleteKeys(SpaceId space, std::string_view first, std::string_view last) {
  const KeyMap* map = Keys(space);
  if (map == nullptr) return false;
  for (auto it = map->lower_bound(first); it != map->end() && it->first <= last;) {
    const std::string key = it->first;
    SetKey(space, key, std::nullopt);
    it = map->lower_bound(key);
  }
  return true;
}

void MemorySpaces::UndoTo(size_t mark) {
  while (undo_.size() > mark) {
    Change change = std::move(undo_.back());
    undo_.pop_back();
    Undo(change);
  }
  ++epoch_;
}

void MemorySpaces::Undo(Change& change) {
  if (auto* record = std::get_if<RecordChange>(&change)) {
    Set(*Records(record->space), *spaces_[record->space], record->id, std::move(record->before));
  } else if (auto* key = std::get_if<KeyChange>(&change)) {
    Set(*Keys(key->space), *spaces_[key->space], std::string_view(key->key),
        std::move(key->before));
  } else {
    auto& space = std::get<SpaceChange>(change);
    if (space.before == nullptr) {
      spaces_.erase(space.space);
    } else {
      bytes_ += space.before->bytes;
      spaces_[space.space] = std::move(space.before);
    }
  }
}

}  // namespace mayfly::engine
