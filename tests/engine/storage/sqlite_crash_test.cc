// Killing the process: every acknowledged write is there afterwards. The victim is this same
// executable, started again with the name of one test and the folder in an environment variable.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "tests/engine/storage/store_fixture.h"

extern char** environ;

namespace mayfly::engine {
namespace {

constexpr const char* kFolderVariable = "MAYFLY_CRASH_TEST_FOLDER";
constexpr int kWriters = 4;

// Writes until killed; each acknowledged write is reported on standard error as one int: writer +
// kWriters * number.
TEST(SqliteCrashVictim, WritesUntilKilled) {
  const char* folder = std::getenv(kFolderVariable);
  if (folder == nullptr)
    return;  // started as a test; it does its work as the victim of the other one
  auto store = OpenSqliteStore({.path = folder, .sync_interval_ms = 10, .max_wal_frames = 100});
  ASSERT_TRUE(store.ok());
  auto database = (*store)->Get("db", Store::IfMissing::kCreate).value();
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      for (int number = 0;; ++number) {
        const int id = writer + kWriters * number;
        const Durability durability =
            number % 8 == 0 ? Durability::kSynced : Durability::kCommitted;
        const absl::Status status = database->Run(
            {.access = Access::kWrite, .durability = durability}, [&](Transaction& t) {
              const std::string key = std::to_string(id);
              MAYFLY_RETURN_IF_ERROR(t.PutKey(kCatalogSpace, "a" + key, std::string(500, 'x')));
              return t.PutKey(kCatalogSpace, "b" + key, key);
            });
        if (!status.ok() || write(STDERR_FILENO, &id, sizeof id) != sizeof id) return;
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

// Starts the victim, kills it after `acknowledged` reports, and returns all it reported.
std::vector<int> RunVictim(const std::string& folder, size_t acknowledged) {
  std::array<int, 2> pipe_ends;
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::string filter = "--gtest_filter=SqliteCrashVictim.*";
  std::string program = "/proc/self/exe";
  std::array<char*, 3> arguments = {program.data(), filter.data(), nullptr};
  setenv(kFolderVariable, folder.c_str(), 1);
  pid_t child = 0;
  const int spawned =
      posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  unsetenv(kFolderVariable);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  std::vector<int> reported;
  int id = 0;
  while (spawned == 0 && read(pipe_ends[0], &id, sizeof id) == sizeof id) {
    reported.push_back(id);
    if (reported.size() == acknowledged) kill(child, SIGKILL);
  }
  close(pipe_ends[0]);
  if (spawned == 0) waitpid(child, nullptr, 0);
  return reported;
}

TEST(SqliteCrashTest, ProcessKilled_EveryAcknowledgedWriteIsThere) {
  test::TempDir dir;
  size_t total = 0;
  for (const size_t acknowledged : {1, 60, 400}) {
    const std::vector<int> reported = RunVictim(dir.path(), acknowledged);
    ASSERT_GE(reported.size(), acknowledged);
    total += reported.size();
    auto store = OpenSqliteStore({.path = dir.path()});
    ASSERT_TRUE(store.ok()) << store.status();
    auto database = (*store)->Get("db", Store::IfMissing::kNull);
    ASSERT_TRUE(database.ok()) << database.status();
    ASSERT_NE(*database, nullptr);
    ASSERT_TRUE((*database)
                    ->Run({},
                          [&](Transaction& t) {
                            for (const int id : reported) {
                              const std::string key = std::to_string(id);
                              MAYFLY_ASSIGN_OR_RETURN(auto a, t.GetKey(kCatalogSpace, "a" + key));
                              EXPECT_TRUE(a.has_value()) << id;
                              MAYFLY_ASSIGN_OR_RETURN(auto b, t.GetKey(kCatalogSpace, "b" + key));
                              EXPECT_EQ(b, key);
                            }
                            return absl::OkStatus();
                          })
                    .ok());
  }
  EXPECT_GE(total, 461u);
}

}  // namespace
}  // namespace mayfly::engine
