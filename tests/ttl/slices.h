// Purge slices by hand, with a clock that ticks whenever it is looked at, so that a slice ends
// after a number of steps.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"
#include "ttl/purge_slice.h"

namespace mayfly::ttl {

class TickingClock : public base::Clock {
 public:
  explicit TickingClock(const base::Clock& wall) : wall_(wall) {}
  int64_t NowMs() const override { return wall_.NowMs(); }
  int64_t MonotonicUs() const override { return ++ticks_; }
  int64_t SinceBootMs() const override { return wall_.SinceBootMs(); }

 private:
  const base::Clock& wall_;
  mutable std::atomic<int64_t> ticks_{0};
};

class SliceTest : public testing::Test {
 protected:
  std::string Run(std::string_view command) { return server_.RunText("db", command); }
  int Code(std::string_view command) { return server_.RunCode("db", command); }

  // One slice of so many ticks; the clock is looked at once for each document or step.
  SliceResult Slice(int64_t ticks, engine::RemovalObserver* observer = nullptr) {
    SliceResult result;
    const absl::Status status =
        InOperation([&](engine::DatabaseHandle& database, engine::Transaction& t) -> absl::Status {
          MAYFLY_ASSIGN_OR_RETURN(result, RunPurgeSlice(database, t, ticking_, {.max_us = ticks},
                                                        &progress_, &turn_, observer));
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    if (!result.more) turn_ = PurgeTurn();
    return result;
  }

  absl::Status InOperation(
      absl::FunctionRef<absl::Status(engine::DatabaseHandle&, engine::Transaction&)> body) {
    const auto handle = server_.services().engine.Open("db", engine::Store::IfMissing::kCreate);
    if (!handle.ok()) return handle.status();
    return (*handle)->storage().Run(
        {.access = engine::Access::kWrite},
        [&](engine::Transaction& transaction) { return body(**handle, transaction); });
  }

  engine::SweepState SweepOf(std::string_view collection) {
    engine::SweepState sweep;
    const absl::Status status =
        InOperation([&](engine::DatabaseHandle& database, engine::Transaction& t) -> absl::Status {
          MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, database.GetCatalog(t));
          const auto found = catalog->Find(collection);
          if (found != nullptr) sweep = found->sweep();
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return sweep;
  }

  // Inserts {_id, u: _id, v: scattered, ...more} for `from` <= _id < `to`.
  void Insert(int from, int to, std::string_view more = "") {
    for (int first = from; first < to; first += 500) {
      std::string documents;
      for (int i = first; i < std::min(to, first + 500); ++i) {
        documents += base::StrCat("{_id: ", i, ", u: ", i, ", v: ", i * 7919 % 1009, more, "},");
      }
      documents.pop_back();
      Run(base::StrCat("{insert: 'c', documents: [", documents, "]}"));
    }
  }
  void MakeCollection() {
    ASSERT_EQ(Code("{createIndexes: 'c', indexes: ["
                   "{key: {_ts: 1}, name: 'r', expireAfterSeconds: 100}, "
                   "{key: {v: 1}, name: 'v'}, {key: {u: 1}, name: 'u', unique: true}, "
                   "{key: {v: -1, u: 1}, name: 'vu'}]}"),
              0);
  }

  test::TestServer server_;
  TickingClock ticking_{server_.clock()};
  DatabaseProgress progress_;
  PurgeTurn turn_;
};

}  // namespace mayfly::ttl
