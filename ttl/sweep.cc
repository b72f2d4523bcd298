#include "ttl/sweep.h"

#include "base/status.h"
#include "engine/index/index_keys.h"

namespace mayfly::ttl {
namespace {

// Entries looked at in one step.
constexpr int kStep = 256;

// Runs of neighbouring dead entries.
class DeadRuns {
 public:
  void Dead(std::string_view key) {
    if (open_) {
      runs_.back().last.assign(key);
    } else {
      runs_.push_back({.first = std::string(key), .last = std::string(key)});
    }
    open_ = true;
  }
  void Alive() { open_ = false; }

  absl::Status Delete(engine::Transaction& transaction, engine::SpaceId space) const {
    for (const auto& [first, last] : runs_) {
      MAYFLY_RETURN_IF_ERROR(first == last ? transaction.DeleteKey(space, first)
                                           : transaction.DeleteKeys(space, first, last));
    }
    return absl::OkStatus();
  }

 private:
  struct Run {
    std::string first;
    std::string last;
  };
  std::vector<Run> runs_;
  bool open_ = false;
};

}  // namespace

Sweep::Sweep(const engine::WriteContext& write, std::shared_ptr<engine::Collection> collection,
             std::shared_ptr<CollectionProgress> progress, absl::FunctionRef<bool()> spent)
    : write_(write),
      collection_(std::move(collection)),
      progress_(std::move(progress)),
      spent_(spent),
      at_(collection_->sweep()) {}

std::shared_ptr<const engine::Index> Sweep::NextIndex() const {
  std::shared_ptr<const engine::Index> next;
  for (const auto& index : collection_->indexes()) {
    if (index->space < at_.space) continue;
    if (next == nullptr || index->space < next->space) next = index;
  }
  return next;
}

absl::StatusOr<bool> Sweep::IsDead(engine::RecordId id) {
  if (progress_->removed_is_complete) return progress_->removed.Contains(id);
  MAYFLY_ASSIGN_OR_RETURN(const auto record,
                          write_.transaction.GetRecord(collection_->state().records, id));
  return !record.has_value();
}

absl::Status Sweep::Run() {
  while (const auto index = NextIndex()) {
    if (at_.space != index->space) {
      at_.space = index->space;
      at_.key.clear();
    }
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, Step(*index));
      if (!more) break;
      if (spent_()) return write_.catalog.SetSweep(write_.transaction, collection_, at_);
    }
    ++at_.space;
    at_.key.clear();
  }
  return Finish();
}

absl::StatusOr<bool> Sweep::Step(const engine::Index& index) {
  DeadRuns runs;
  bool more = true;
  {
    auto cursor = write_.transaction.NewKeyCursor(index.space, engine::Direction::kForward);
    cursor->Seek(at_.key);
    for (int i = 0; i < kStep; ++i) {
      MAYFLY_ASSIGN_OR_RETURN(more, cursor->Next());
      if (!more) break;
      const engine::IndexEntry entry = engine::ParseEntry(index, cursor->key(), cursor->value());
      if (i == kStep - 1) at_.key.assign(cursor->key());
      MAYFLY_ASSIGN_OR_RETURN(const bool dead, IsDead(entry.id));
      if (dead) {
        runs.Dead(cursor->key());
        ++removed_;
      } else {
        runs.Alive();
      }
    }
  }
  MAYFLY_RETURN_IF_ERROR(runs.Delete(write_.transaction, index.space));
  return more;
}

absl::Status Sweep::Finish() {
  MAYFLY_RETURN_IF_ERROR(write_.catalog.SetSweep(write_.transaction, collection_, {}));
  write_.transaction.OnCommit([progress = progress_] {
    progress->removed.Clear();
    progress->removed_is_complete = false;
  });
  return absl::OkStatus();
}

}  // namespace mayfly::ttl
