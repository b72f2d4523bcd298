#include "engine/storage/thread_pool.h"

#include <atomic>
#include <latch>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mayfly::engine {
namespace {

TEST(ThreadPoolTest, Fresh_HasNoThreads) {
  ThreadPool pool({});
  EXPECT_EQ(pool.threads(), 0);
}

TEST(ThreadPoolTest, MoreTasksThanThreads_AllRunWithinTheBound) {
  std::atomic<int> ran = 0;
  {
    ThreadPool pool({.threads_max = 3});
    for (int i = 0; i < 100; ++i) pool.Schedule([&] { ++ran; });
    EXPECT_LE(pool.threads(), 3);
  }
  EXPECT_EQ(ran, 100);
}

TEST(ThreadPoolTest, AllThreadsBusy_TryStartIsRefusedAndTheTaskKept) {
  std::latch running(2);
  std::latch release(1);
  ThreadPool pool({.threads_max = 2});
  bool ran = false;
  ThreadPool::Task task = [&] { ran = true; };
  for (int i = 0; i < 2; ++i) {
    pool.Schedule([&] {
      running.count_down();
      release.wait();
    });
  }
  running.wait();
  EXPECT_FALSE(pool.TryStart(task));
  release.count_down();
  task();
  EXPECT_TRUE(ran);
}

TEST(ThreadPoolTest, TryStartWithRoom_RunsAtOnceBesideABlockedTask) {
  std::latch release(1);
  std::latch started(1);
  ThreadPool pool({.threads_max = 2});
  pool.Schedule([&] { release.wait(); });
  ThreadPool::Task task = [&] { started.count_down(); };
  EXPECT_TRUE(pool.TryStart(task));
  started.wait();
  release.count_down();
}

TEST(ThreadPoolTest, IdleThreads_EndAndAreReplaced) {
  ThreadPool pool({.threads_max = 4, .idle_ms = 0});
  for (int round = 0; round < 20; ++round) {
    std::latch ran(1);
    pool.Schedule([&] { ran.count_down(); });
    ran.wait();
    while (pool.threads() > 0) std::this_thread::yield();
  }
}

TEST(ThreadPoolTest, Closed_TasksRunOnTheCaller) {
  ThreadPool pool({});
  pool.Close();
  std::thread::id ran_on;
  pool.Schedule([&] { ran_on = std::this_thread::get_id(); });
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  ThreadPool::Task task = [] {};
  EXPECT_FALSE(pool.TryStart(task));
}

}  // namespace
}  // namespace mayfly::engine
