// A cursor over a map of the memory store. Keeps an iterator while nothing is written, and
// otherwise seeks past the last key it returned.
#pragma once

#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "engine/storage/memory/memory_space.h"

namespace mayfly::engine {

// `Find` is a pointer to member: MemorySpaces::Records or MemorySpaces::Keys.
template <typename Map, Map* (MemorySpaces::*Find)(SpaceId)>
class MemoryWalk {
 public:
  using Key = typename Map::key_type;

  MemoryWalk(MemorySpaces& spaces, SpaceId space, Direction direction)
      : spaces_(spaces), space_(space), direction_(direction) {}

  void Seek(Key key) {
    bound_ = std::move(key);
    inclusive_ = true;
    placed_ = false;
  }

  absl::StatusOr<bool> Next() {
    Map* map = (spaces_.*Find)(space_);
    if (map == nullptr) {
      return base::Error(base::ErrorCode::kInternalError,
                         base::StrCat("no space ", space_, " of this kind"));
    }
    if (placed_ && epoch_ == spaces_.epoch()) {
      if (!Step(*map)) return false;
    } else if (!Place(*map)) {
      return false;
    }
    bound_ = at_->first;
    inclusive_ = false;
    return true;
  }

  const Key& key() const { return at_->first; }
  std::string_view value() const { return at_->second; }

 private:
  bool Step(Map& map) {
    if (direction_ == Direction::kForward) {
      ++at_;
      placed_ = at_ != map.end();
    } else if (at_ == map.begin()) {
      placed_ = false;
    } else {
      --at_;
    }
    return placed_;
  }

  bool Place(Map& map) {
    epoch_ = spaces_.epoch();
    placed_ = false;
    if (direction_ == Direction::kForward) {
      at_ = !bound_.has_value() ? map.begin()
            : inclusive_        ? map.lower_bound(*bound_)
                                : map.upper_bound(*bound_);
      placed_ = at_ != map.end();
    } else {
      at_ = !bound_.has_value() ? map.end()
            : inclusive_        ? map.upper_bound(*bound_)
                                : map.lower_bound(*bound_);
      placed_ = at_ != map.begin();
      if (placed_) --at_;
    }
    return placed_;
  }

  MemorySpaces& spaces_;
  const SpaceId space_;
  const Direction direction_;
  std::optional<Key> bound_;  // the last key returned, or the one sought
  bool inclusive_ = true;
  bool placed_ = false;  // `at_` is the entry returned last, if the epoch is still the same
  uint64_t epoch_ = 0;
  typename Map::iterator at_;
};

class MemoryRecordCursor final : public RecordCursor {
 public:
  MemoryRecordCursor(MemorySpaces& spaces, SpaceId space, Direction direction)
      : walk_(spaces, space, direction) {}
  void Seek(RecordId id) override { walk_.Seek(id); }
  absl::StatusOr<bool> Next() override { return walk_.Next(); }
  RecordId id() const override { return walk_.key(); }
  std::string_view value() const override { return walk_.value(); }

 private:
  MemoryWalk<RecordMap, &MemorySpaces::Records> walk_;
};

class MemoryKeyCursor final : public KeyCursor {
 public:
  MemoryKeyCursor(MemorySpaces& spaces, SpaceId space, Direction direction)
      : walk_(spaces, space, direction) {}
  void Seek(std::string_view key) override { walk_.Seek(std::string(key)); }
  absl::StatusOr<bool> Next() override { return walk_.Next(); }
  std::string_view key() const override { return walk_.key(); }
  std::string_view value() const override { return walk_.value(); }

 private:
  MemoryWalk<KeyMap, &MemorySpaces::Keys> walk_;
};

}  // namespace mayfly::engine
