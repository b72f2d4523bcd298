// The SQLite store: StoreImpl over a folder with one database file for each database.
#include <utility>

#include "base/status.h"
#include "engine/storage/sqlite/folder.h"
#include "engine/storage/sqlite/sqlite_backend.h"
#include "engine/storage/sqlite/sync_timer.h"
#include "engine/storage/store_impl.h"

namespace mayfly::engine {
namespace {

// Copying logs is never as urgent as a client, but a log that nobody copies grows.
constexpr int kCopierNiceness = 10;
constexpr int kCopiersMax = 4;

class SqliteMedium final : public Medium {
 public:
  SqliteMedium(const StoreOptions& options, std::unique_ptr<Folder> folder)
      : max_wal_frames_(options.max_wal_frames),
        folder_(std::move(folder)),
        timer_(options.sync_interval_ms) {}

  std::vector<std::string> List() override { return folder_->Databases(); }

  std::unique_ptr<Backend> MakeBackend(const std::string& name, ThreadPool& threads,
                                       absl::AnyInvocable<void()> maintain) override {
    const std::string path = folder_->PathOf(name);
    return std::make_unique<SqliteBackend>(
        path, std::make_shared<LogKeeper>(LogKeeper::Setup{.path = path,
                                                           .max_frames = max_wal_frames_,
                                                           .threads = &threads,
                                                           .copiers = &copiers_,
                                                           .timer = &timer_,
                                                           .maintain = std::move(maintain)}));
  }

  absl::Status Remove(const std::string& name) override { return folder_->Remove(name); }

  void StopTimers() override {
    timer_.Close();
    copiers_.Close();
  }
  void Close() override { folder_.reset(); }

 private:
  const int max_wal_frames_;
  std::unique_ptr<Folder> folder_;
  SyncTimer timer_;
  ThreadPool copiers_{{.threads_max = kCopiersMax, .niceness = kCopierNiceness}};
};

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const StoreOptions& options) {
  ConfigureSqlite();
  MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<Folder> folder, Folder::Open(options.path));
  return std::make_unique<StoreImpl>(options,
                                     std::make_unique<SqliteMedium>(options, std::move(folder)));
}

}  // namespace mayfly::engine
