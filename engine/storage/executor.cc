#include "engine/storage/executor.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "engine/storage/open_files.h"

namespace mayfly::engine {
namespace {

// A copy that shares nothing: it goes to another thread, and what absl::Status shares is counted in
// a library that the thread sanitizer does not see into.
absl::Status CopyOf(const absl::Status& status) {
  if (status.ok()) return status;
  absl::Status copy(status.code(), status.message());
  status.ForEachPayload([&copy](absl::string_view type, const absl::Cord& payload) {
    copy.SetPayload(type, payload);
  });
  return copy;
}

}  // namespace

Executor::Executor(std::string name, std::unique_ptr<Backend> backend, Shared shared)
    : name_(std::move(name)), shared_(shared), backend_(std::move(backend)) {}

Executor::~Executor() {
  if (backend_->is_open()) backend_->Close(Closing::kKeep);
}

void Executor::Submit(OperationOptions options, Body body, Done done) {
  Waiting waiting{.options = options, .body = std::move(body), .done = std::move(done)};
  if (options.priority == Priority::kBackground) waiting.since_us = shared_.clock->MonotonicUs();
  absl::Status refusal;
  bool lead = false;
  {
    std::lock_guard lock(mutex_);
    if (!refusal_.ok()) {
      refusal = CopyOf(refusal_);
    } else if (queue_.size() >= static_cast<size_t>(kMaxQueued)) {
      refusal = base::Error(base::ErrorCode::kExceededTimeLimit,
                            base::StrCat("too many operations wait for database ", name_));
    } else {
      queue_.Push(std::move(waiting));
      PublishWaitingLocked();
      lead = !std::exchange(leader_, true);
    }
  }
  if (!refusal.ok()) waiting.done(std::move(refusal));
  if (lead) shared_.threads->Schedule([self = shared_from_this()] { self->Lead(); });
}

bool Executor::TryRunInline(OperationOptions options, Body& body, Done& done, Deferrer* deferrer) {
  if (options.durability == Durability::kSynced) return false;
  if (deferrer != nullptr && open_group_of_.load(std::memory_order_relaxed) == deferrer) {
    // A read belongs to the group as well: it has seen what is not committed yet.
    ++inline_operations_;
    RunWrite(options, body, std::move(done));
    if (group_.finished.size() >= kMaxInlineGroup) CommitGroup(nullptr).IgnoreError();
    return true;
  }
  if (!TryLead()) return false;
  // Opening takes long, and may have to close another one first.
  if (!backend_->is_open()) [[unlikely]] {
    ReleaseRole();
    return false;
  }
  if (options.access == Access::kRead) {
    absl::Status status = RunRead(options, body);
    ReleaseRole();
    done(std::move(status));
  } else if (deferrer != nullptr && WantsCompany()) {
    open_group_of_.store(deferrer, std::memory_order_relaxed);
    inline_operations_ = 1;
    RunWrite(options, body, std::move(done));
    deferrer->Defer([self = shared_from_this()] { self->FinishInlineGroup(); });
  } else {
    absl::Status result;
    RunWrite(options, body, [&result](absl::Status status) { result = std::move(status); });
    CommitGroup(nullptr).IgnoreError();
    ReleaseRole();
    done(std::move(result));
  }
  return true;
}

bool Executor::WantsCompany() {
  if (alone_left_ == 0) return true;
  --alone_left_;
  return false;
}

void Executor::FinishInlineGroup() {
  open_group_of_.store(nullptr, std::memory_order_relaxed);
  alone_length_ = inline_operations_ > 1 ? 0 : std::clamp(2 * alone_length_, kAloneMin, kAloneMax);
  alone_left_ = alone_length_;
  CommitGroup(nullptr).IgnoreError();
  ReleaseRole();
}

bool Executor::TryLead() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || leader_ || !refusal_.ok()) return false;
  leader_ = true;
  return true;
}

void Executor::ReleaseRole() {
  // Work put off goes to a thread of the pool: this one may be the network's.
  bool more = backend_->is_open() && backend_->maintenance_due();
  {
    std::lock_guard lock(mutex_);
    more |= queue_.size() > 0 || batch_.Settle();
    if (!more) {
      leader_ = false;
      role_released_.notify_all();
    }
  }
  if (more) shared_.threads->Schedule([self = shared_from_this()] { self->Lead(); });
}

void Executor::Lead() {
  while (batch_.Settle() || NextBatch()) {
    if (!Batch::IsRead(batch_.current_class())) FinishReads();
    if (group_.finished.size() >= static_cast<size_t>(kMaxGroupSize)) {
      CommitGroup(nullptr).IgnoreError();
    }
    Waiting waiting = batch_.Pop();
    if (waiting.resume != nullptr) {
      // It may run for long, so nobody waits for it to be answered.
      FinishReads();
      CommitGroup(nullptr).IgnoreError();
      GiveRoleTo(waiting.resume);
      return;
    }
    Start(std::move(waiting));
  }
}

bool Executor::NextBatch() {
  FinishReads();
  CommitGroup(nullptr).IgnoreError();
  if (backend_->is_open()) backend_->BetweenGroups();
  std::lock_guard lock(mutex_);
  if (queue_.size() == 0) {
    leader_ = false;
    role_released_.notify_all();
    return false;
  }
  const bool choose = queue_.foreground() > 0 && queue_.background() > 0;
  const int64_t now_us = choose ? shared_.clock->MonotonicUs() : 0;
  queue_.Take(static_cast<size_t>(kMaxGroupSize), now_us - kBackgroundAgeUs, batch_);
  PublishWaitingLocked();
  return batch_.Settle();
}

void Executor::PublishWaitingLocked() {
  background_since_us_.store(queue_.background_since_us(), std::memory_order_relaxed);
  background_waiting_.store(queue_.background(), std::memory_order_relaxed);
  foreground_waiting_.store(queue_.foreground(), std::memory_order_relaxed);
}

void Executor::GiveRoleTo(Resume* resume) {
  std::lock_guard lock(mutex_);
  resume->granted = true;
  resume->changed.notify_one();
}

absl::Status Executor::EnsureOpen() {
  if (backend_->is_open()) [[likely]]
    return absl::OkStatus();
  MAYFLY_RETURN_IF_ERROR(backend_->Open());
  shared_.open_files->Opened(shared_from_this());
  return absl::OkStatus();
}

void Executor::Start(Waiting waiting) {
  absl::Status refusal;
  if (refusing_.load(std::memory_order_relaxed)) {
    std::lock_guard lock(mutex_);
    refusal = CopyOf(refusal_);
  } else {
    refusal = EnsureOpen();
  }
  if (!refusal.ok()) {
    waiting.done(std::move(refusal));
  } else if (waiting.options.access == Access::kRead) {
    absl::Status status = RunRead(waiting.options, waiting.body);
    finished_reads_.emplace_back(std::move(waiting.done), std::move(status));
  } else {
    RunWrite(waiting.options, waiting.body, std::move(waiting.done));
  }
}

absl::Status Executor::RunRead(OperationOptions options, Body& body) {
  used_.store(true, std::memory_order_relaxed);
  operations_.fetch_add(1, std::memory_order_relaxed);
  Operation operation(*this, *backend_, group_, options);
  absl::Status status = operation.Execute(body);
  if (status.ok()) RunOldestFirst(operation.on_commit());
  return status;
}

void Executor::RunWrite(OperationOptions options, Body& body, Done done) {
  used_.store(true, std::memory_order_relaxed);
  operations_.fetch_add(1, std::memory_order_relaxed);
  Operation operation(*this, *backend_, group_, options);
  absl::Status status = operation.Execute(body);
  group_.finished.push_back({.status = std::move(status),
                             .durability = options.durability,
                             .done = std::move(done),
                             .on_commit = std::move(operation.on_commit()),
                             .on_rollback = std::move(operation.on_rollback())});
}

void Executor::FinishReads() {
  for (auto& [done, status] : finished_reads_) done(std::move(status));
  finished_reads_.clear();
}

absl::Status Executor::RunBeforeCommit(Hooks& on_commit, Hooks& on_rollback) {
  if (group_.before_commit.empty()) return absl::OkStatus();
  Operation operation(*this, *backend_, group_, {.access = Access::kWrite});
  Body body = [this](Transaction& transaction) {
    // A hook may register another one.
    for (size_t i = 0; i < group_.before_commit.size(); ++i) {
      auto hook = std::move(group_.before_commit[i]);
      MAYFLY_RETURN_IF_ERROR(hook(transaction));
    }
    return absl::OkStatus();
  };
  absl::Status status = operation.Execute(body);
  on_commit = std::move(operation.on_commit());
  on_rollback = std::move(operation.on_rollback());
  return status;
}

absl::Status Executor::CommitGroup(Operation* yielding) {
  if (group_.finished.empty() && yielding == nullptr) return absl::OkStatus();
  bool any_ok = yielding != nullptr;
  for (const Finished& each : group_.finished) any_ok |= each.status.ok();
  Hooks on_commit;
  Hooks on_rollback;
  if (any_ok && group_.error.ok()) group_.error = RunBeforeCommit(on_commit, on_rollback);
  absl::Status status = group_.error;
  if (status.ok() && backend_->in_write()) {
    status = backend_->Commit();
    if (status.ok()) commits_.fetch_add(1, std::memory_order_relaxed);
  }
  if (!status.ok() || !any_ok) backend_->Rollback();

  std::vector<Finished> finished = std::exchange(group_.finished, {});
  group_.Clear();
  if (status.ok()) {
    for (Finished& each : finished) RunOldestFirst(each.on_commit);
    if (yielding != nullptr) RunOldestFirst(yielding->on_commit());
    RunOldestFirst(on_commit);
  } else {
    RunNewestFirst(on_rollback, 0);
    if (yielding != nullptr) RunNewestFirst(yielding->on_rollback(), 0);
    for (auto it = finished.rbegin(); it != finished.rend(); ++it)
      RunNewestFirst(it->on_rollback, 0);
  }
  Answer(std::move(finished), status);
  return status;
}

void Executor::Answer(std::vector<Finished> finished, const absl::Status& status) {
  std::vector<Done> after_sync;
  for (Finished& each : finished) {
    if (each.status.ok()) each.status = CopyOf(status);
    if (each.status.ok() && each.durability == Durability::kSynced) {
      after_sync.push_back(std::move(each.done));
    } else {
      each.done(std::move(each.status));
    }
  }
  if (!after_sync.empty()) backend_->WhenSynced(std::move(after_sync));
}

bool Executor::ShouldYield(Operation& operation) {
  // The rest of the batch waits as well.
  const size_t foreground = foreground_waiting_.load(std::memory_order_relaxed) + batch_.left();
  const size_t background = background_waiting_.load(std::memory_order_relaxed);
  if (refusing_.load(std::memory_order_relaxed)) return true;
  if (operation.written_bytes() > kWrittenBytesMax) return true;
  if (foreground == 0 && background == 0) [[likely]]
    return false;
  const bool is_background = operation.options().priority == Priority::kBackground;
  if (is_background && foreground > 0) return true;
  const int64_t now_us = shared_.clock->MonotonicUs();
  if (!is_background && foreground == 0 &&
      now_us - background_since_us_.load(std::memory_order_relaxed) < kBackgroundAgeUs) {
    return false;
  }
  if (operation.slice_start_us() == 0) operation.set_slice_start_us(now_us);
  return now_us - operation.slice_start_us() >= kSliceUs;
}

absl::Status Executor::Yield(Operation& operation) {
  const bool others_wait = batch_.left() > 0 ||
                           foreground_waiting_.load(std::memory_order_relaxed) > 0 ||
                           background_waiting_.load(std::memory_order_relaxed) > 0 ||
                           refusing_.load(std::memory_order_relaxed);
  if (!others_wait && operation.written_bytes() <= kWrittenBytesMax) return absl::OkStatus();
  backend_->SuspendCursors();
  FinishReads();
  if (operation.writable()) {
    absl::Status status = CommitGroup(&operation);
    operation.Restart();
    MAYFLY_RETURN_IF_ERROR(status);
    if (!others_wait) {
      backend_->BetweenGroups();
      return absl::OkStatus();
    }
  }
  if (WaitForTurn(operation)) operation.set_slice_start_us(0);
  if (!refusing_.load(std::memory_order_relaxed)) return EnsureOpen();
  std::lock_guard lock(mutex_);
  return CopyOf(refusal_);
}

bool Executor::WaitForTurn(Operation& operation) {
  Resume resume;
  Waiting waiting{.options = operation.options(), .resume = &resume};
  if (waiting.options.priority == Priority::kBackground) {
    waiting.since_us = shared_.clock->MonotonicUs();
  }
  {
    std::lock_guard lock(mutex_);
    if (!refusal_.ok()) return false;
    queue_.Push(std::move(waiting));
    PublishWaitingLocked();
  }
  ThreadPool::Task lead = [self = shared_from_this()] { self->Lead(); };
  const bool started = shared_.threads->TryStart(lead);
  std::unique_lock lock(mutex_);
  if (!started) {
    queue_.Remove(&resume, operation.options().priority);
    PublishWaitingLocked();
    return false;
  }
  resume.changed.wait(lock, [&] { return resume.granted; });
  return true;
}

absl::Status Executor::Open() {
  if (!TryLead()) return absl::OkStatus();
  absl::Status status = EnsureOpen();
  ReleaseRole();
  return status;
}

void Executor::Shut(absl::Status reason, Closing closing) {
  {
    std::unique_lock lock(mutex_);
    if (refusal_.ok()) refusal_ = std::move(reason);
    refusing_.store(true, std::memory_order_relaxed);
    role_released_.wait(lock, [&] { return !leader_; });
    leader_ = true;
  }
  CloseFile(closing);
  std::lock_guard lock(mutex_);
  leader_ = false;
  role_released_.notify_all();
}

bool Executor::TryCloseFile() {
  if (!TryLead()) return false;
  CloseFile(Closing::kKeep);
  ReleaseRole();
  return true;
}

void Executor::CloseFile(Closing closing) {
  if (!backend_->is_open()) return;
  backend_->Close(closing);
  shared_.open_files->Forget(this);
}

void Executor::TryMaintain() {
  if (!TryLead()) return;
  if (backend_->is_open()) backend_->BetweenGroups();
  ReleaseRole();
}

DatabaseStats Executor::Stats() const {
  DatabaseStats stats;
  stats.commits = commits_.load(std::memory_order_relaxed);
  stats.operations = operations_.load(std::memory_order_relaxed);
  stats.queued = static_cast<int64_t>(foreground_waiting_.load(std::memory_order_relaxed) +
                                      background_waiting_.load(std::memory_order_relaxed));
  backend_->AddSizes(stats);
  return stats;
}

absl::StatusOr<int> Executor::Vacuum(Transaction& transaction, int pages, int64_t keep_bytes) {
  // All transactions of an executor's operations are made by it.
  Operation& operation = static_cast<Operation&>(transaction);
  MAYFLY_RETURN_IF_ERROR(operation.PrepareWrite());
  return backend_->Vacuum(pages, keep_bytes);
}

absl::Status Executor::Sync() {
  return Run({.access = Access::kWrite, .durability = Durability::kSynced},
             [](Transaction&) { return absl::OkStatus(); });
}

}  // namespace mayfly::engine
