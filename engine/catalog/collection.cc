#include "engine/catalog/collection.h"

#include <algorithm>

namespace mayfly::engine {
namespace {

LastWriteRule RuleOf(const std::vector<std::shared_ptr<const Index>>& indexes) {
  for (const auto& index : indexes) {
    if (!index->spec.IsLastWriteTtl()) continue;
    const int32_t seconds = *index->spec.expire_after_seconds;
    if (seconds == kNeverExpires) return {LastWriteRule::Mode::kNoDefault, 0};
    return {LastWriteRule::Mode::kDefault, seconds};
  }
  return {};
}

}  // namespace

void Collection::Assign(State state) {
  state_ = std::move(state);
  last_write_rule_ = RuleOf(state_.indexes);
  next_due_ms_ = 0;
  ++version_;
}

std::vector<std::shared_ptr<const Index>> Collection::ReadyIndexes() const {
  std::vector<std::shared_ptr<const Index>> ready = state_.indexes;
  std::erase_if(ready, [](const auto& index) { return index->building; });
  return ready;
}

int Collection::CountedIndexes() const {
  const auto ready = std::count_if(state_.indexes.begin(), state_.indexes.end(),
                                   [](const auto& index) { return !index->building; });
  return static_cast<int>(ready) - (state_.options.clustered ? 1 : 0);
}

std::shared_ptr<const Index> Collection::FindIndex(std::string_view name) const {
  for (const auto& index : state_.indexes) {
    if (index->spec.name == name) return index;
  }
  return nullptr;
}

}  // namespace mayfly::engine
