#include "ttl/removal_log.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"

namespace mayfly::ttl {
namespace {

// What an entry takes besides its document.
constexpr size_t kEntryBytes = 128;

std::string_view RuleName(engine::RemovalReason reason) {
  switch (reason) {
    case engine::RemovalReason::kLastWriteTtl:
      return "lastWrite";
    case engine::RemovalReason::kDateTtl:
      return "date";
    case engine::RemovalReason::kEpochTtl:
      return "epoch";
    case engine::RemovalReason::kUser:
    case engine::RemovalReason::kCapped:
      break;
  }
  return "none";
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

size_t SizeOf(const engine::RemovedDocument& removed) {
  return removed.document.bytes().size() + kEntryBytes;
}

}  // namespace

std::string RemovalLogLine(const engine::RemovedDocument& removed) {
  const bson::View document = removed.document.view();
  bson::Builder line;
  line.String("ns", removed.ns).Append("_id", document.Find("_id"));
  line.String("rule", RuleName(removed.reason));
  line.Date("due", removed.due_ms).Date("removed", removed.removed_ms);
  line.Document("document", document);
  return bson::ToCanonicalJson(line.Finish());
}

absl::StatusOr<std::unique_ptr<RemovalLog>> RemovalLog::Open(const std::string& path) {
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "ae"));
  if (file == nullptr) {
    return base::Error(base::ErrorCode::kFileStreamFailed,
                       base::StrCat("cannot open ", path, ": ", std::strerror(errno)));
  }
  return std::make_unique<RemovalLog>(
      [file = std::move(file), path, failed = false](const std::string& line) mutable {
        const bool ok = std::fwrite(line.data(), 1, line.size(), file.get()) == line.size() &&
                        std::fputc('\n', file.get()) != EOF && std::fflush(file.get()) == 0;
        if (!ok && !std::exchange(failed, true)) {
          MAYFLY_LOG(err, "TTL", "cannot write to the log of removals {}: {}", path,
                     std::strerror(errno));
        }
        if (ok) failed = false;
        return ok;
      });
}

RemovalLog::RemovalLog(Sink sink) : sink_(std::move(sink)), thread_([this] { Loop(); }) {}

RemovalLog::~RemovalLog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void RemovalLog::OnRemoved(engine::RemovedDocument removed) {
  const size_t size = SizeOf(removed);
  const std::lock_guard lock(mutex_);
  if (queued_bytes_ + size > kMaxQueuedBytes) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  queued_bytes_ += size;
  queue_.push_back(std::move(removed));
  if (queue_.size() == 1) changed_.notify_all();
}

void RemovalLog::Flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !writing_; });
}

void RemovalLog::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::deque<engine::RemovedDocument> taken = std::exchange(queue_, {});
    writing_ = true;
    lock.unlock();
    for (const engine::RemovedDocument& removed : taken) {
      const bool ok = sink_(RemovalLogLine(removed));
      (ok ? written_ : dropped_).fetch_add(1, std::memory_order_relaxed);
      // Only now is there room for as much again.
      const std::lock_guard relock(mutex_);
      queued_bytes_ -= SizeOf(removed);
    }
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

}  // namespace mayfly::ttl
