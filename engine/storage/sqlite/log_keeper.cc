#include "engine/storage/sqlite/log_keeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "engine/storage/sqlite/format.h"
#include "engine/storage/sqlite/sync_timer.h"

namespace mayfly::engine {
namespace {

// A page and its header in the log.
constexpr int64_t kFrameBytes = 4096 + 24;

absl::Status SystemError(std::string_view doing, const std::string& path) {
  return base::Error(
      base::ErrorCode::kOutOfDiskSpace,
      base::StrCat("cannot ", doing, " ", path, ": ", std::generic_category().message(errno)));
}

// So that files made in the folder are still there after power loss.
absl::Status SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return SystemError("open", folder);
  absl::Status status = fsync(fd) == 0 ? absl::OkStatus() : SystemError("sync", folder);
  close(fd);
  return status;
}

int64_t SizeOf(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

}  // namespace

LogKeeper::LogKeeper(Setup setup)
    : setup_(std::move(setup)), copy_frames_(std::max(1, setup_.max_frames / 4)) {}

LogKeeper::~LogKeeper() = default;

absl::Status LogKeeper::Open() {
  std::lock_guard lock(mutex_);
  open_ = true;
  frames_ = 0;
  copied_ = 0;
  copying_ = false;
  final_due_ = false;
  idle_ = false;
  empty_due_ = false;
  return absl::OkStatus();
}

void LogKeeper::Close(Closing closing) {
  {
    std::unique_lock lock(mutex_);
    open_ = false;
    job_ended_.wait(lock, [&] { return jobs_ == 0; });
  }
  if (closing == Closing::kKeep && synced_ != committed_) {
    absl::Status status = SyncLog();
    if (!status.ok()) MAYFLY_LOG(err, "storage", "{}", base::MessageOf(status));
    synced_ = committed_.load();
  }
  if (log_file_ >= 0) close(log_file_);
  log_file_ = -1;
  std::lock_guard lock(helper_mutex_);
  helper_.Close();
}

bool LogKeeper::BeginJobLocked() {
  if (!open_) return false;
  ++jobs_;
  return true;
}

void LogKeeper::EndJob() {
  std::lock_guard lock(mutex_);
  --jobs_;
  job_ended_.notify_all();
}

void LogKeeper::Committed(int frames) {
  committed_.fetch_add(1);
  frames_.store(frames, std::memory_order_relaxed);
  int copied = copied_.load(std::memory_order_relaxed);
  if (frames < copied) {
    copied = 0;
    copied_.store(0, std::memory_order_relaxed);
  }
  if (frames - copied >= copy_frames_) StartCopy();
  if (!armed_.load() && !armed_.exchange(true)) setup_.timer->Arm(shared_from_this());
}

bool LogKeeper::Tick() {
  const int64_t committed = committed_.load();
  if (committed != synced_.load()) {
    std::lock_guard lock(mutex_);
    sync_wanted_ = true;
    StartSyncLocked();
  }
  if (committed != ticked_at_) {
    ticked_at_ = committed;
    idle_ticks_ = 0;
    return true;
  }
  if (++idle_ticks_ < kIdleTicks) return true;
  if (frames_.load() > copied_.load() || IsLong()) {
    // One that still runs began before and may not go to the end.
    if (copying_.load()) return true;
    idle_.store(true);
    StartCopy();
  }
  idle_ticks_ = 0;
  armed_.store(false);
  return committed_.load() != ticked_at_ && !armed_.exchange(true);
}

void LogKeeper::WhenSynced(std::vector<Database::Done> waiting) {
  std::lock_guard lock(mutex_);
  std::move(waiting.begin(), waiting.end(), std::back_inserter(waiting_));
  StartSyncLocked();
}

void LogKeeper::StartSyncLocked() {
  if (syncing_ || !BeginJobLocked()) return;
  syncing_ = true;
  setup_.threads->Schedule([self = shared_from_this()] { self->SyncLoop(); });
}

void LogKeeper::SyncLoop() {
  for (;;) {
    std::vector<Database::Done> waiting;
    {
      std::lock_guard lock(mutex_);
      if (waiting_.empty() && !sync_wanted_) {
        syncing_ = false;
        --jobs_;
        job_ended_.notify_all();
        return;
      }
      waiting.swap(waiting_);
      sync_wanted_ = false;
    }
    const int64_t committed = committed_.load();
    absl::Status status = committed == synced_.load() ? absl::OkStatus() : SyncLog();
    if (status.ok()) {
      synced_.store(committed);
    } else {
      MAYFLY_LOG(err, "storage", "{}", base::MessageOf(status));
    }
    for (Database::Done& done : waiting) done(status);
  }
}

absl::Status LogKeeper::SyncLog() {
  // A descriptor of its own is safe here: SQLite keeps its locks on the database file and the
  // shared memory only.
  const std::string path = setup_.path + "-wal";
  if (log_file_ < 0) {
    log_file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (log_file_ < 0) return errno == ENOENT ? absl::OkStatus() : SystemError("open", path);
    MAYFLY_RETURN_IF_ERROR(SyncFolderOf(path));
  }
  return fdatasync(log_file_) == 0 ? absl::OkStatus() : SystemError("sync", path);
}

void LogKeeper::StartCopy() {
  if (copying_.exchange(true)) return;
  std::lock_guard lock(mutex_);
  if (!BeginJobLocked()) {
    copying_.store(false);
    return;
  }
  setup_.copiers->Schedule([self = shared_from_this()] {
    if (!self->Copy()) return self->EndJob();
    // On another thread: whoever has the leader role is not kept back by anyone.
    self->setup_.threads->Schedule([self] {
      self->setup_.maintain();
      self->EndJob();
    });
  });
}

bool LogKeeper::IsLong() const {
  return SizeOf(setup_.path + "-wal") > setup_.max_frames * kFrameBytes;
}

bool LogKeeper::Copy() {
  const bool idle = idle_.exchange(false);
  const bool to_the_end = idle || frames_.load() >= setup_.max_frames;
  absl::Status status = CopyOnHelper(to_the_end ? kRoundsBeforeFinal : 1);
  if (!status.ok()) MAYFLY_LOG(err, "storage", "{}: {}", setup_.path, base::MessageOf(status));
  if (status.ok() && to_the_end) {
    empty_due_.store(idle && IsLong());
    final_due_.store(true);
    return true;
  }
  copying_.store(false);
  return false;
}

absl::Status LogKeeper::EnsureHelperLocked() {
  return helper_.is_open() ? absl::OkStatus() : OpenHelperConnection(setup_.path, helper_);
}

absl::Status LogKeeper::CopyOnHelper(int rounds) {
  std::lock_guard lock(helper_mutex_);
  MAYFLY_RETURN_IF_ERROR(EnsureHelperLocked());
  for (int i = 0; i < rounds; ++i) {
    MAYFLY_ASSIGN_OR_RETURN(const Connection::LogState state, helper_.CheckpointPassive());
    copied_.store(state.copied, std::memory_order_relaxed);
    MAYFLY_RETURN_IF_ERROR(helper_.SyncFile());
  }
  return absl::OkStatus();
}

void LogKeeper::FinalCopy(Connection& storage) {
  if (!final_due_.exchange(false)) return;
  const bool empty = empty_due_.exchange(false);
  // Emptying needs the log for itself.
  std::unique_lock<std::mutex> helper_rests(helper_mutex_, std::defer_lock);
  if (empty) helper_rests.lock();
  absl::StatusOr<Connection::LogState> state =
      empty ? storage.CheckpointTruncate() : storage.CheckpointPassive();
  if (state.ok()) {
    copied_.store(state->copied, std::memory_order_relaxed);
  } else {
    MAYFLY_LOG(err, "storage", "{}: {}", setup_.path, base::MessageOf(state.status()));
  }
  copying_.store(false);
}

void LogKeeper::AddSizes(DatabaseStats& stats) {
  stats.file_bytes = SizeOf(setup_.path);
  stats.log_bytes = SizeOf(setup_.path + "-wal");
  bool counted = false;
  {
    std::lock_guard lock(mutex_);
    counted = BeginJobLocked();
  }
  if (!counted) return;
  // A copy may take long: then the figure of last time is good enough.
  if (std::unique_lock lock(helper_mutex_, std::try_to_lock); lock.owns_lock()) {
    if (EnsureHelperLocked().ok()) {
      const absl::StatusOr<int64_t> pages = helper_.QueryInt("PRAGMA freelist_count");
      const absl::StatusOr<int64_t> page_bytes = helper_.QueryInt("PRAGMA page_size");
      if (pages.ok() && page_bytes.ok()) free_bytes_ = *pages * *page_bytes;
    }
  }
  stats.free_bytes = free_bytes_.load(std::memory_order_relaxed);
  EndJob();
}

}  // namespace mayfly::engine
