#include "engine/catalog/collection.h"

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

std::shared_ptr<const Index> Collection::FindIndex(std::string_view name) const {
  for (const auto& index : state_.indexes) {
    if (index->spec.name == name) return index;
  }
  return nullptr;
}

}  // namespace mayfly::engine
