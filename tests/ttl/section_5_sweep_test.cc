// Removal of very many at once: documents first, index entries in a sweep. Until the sweep is done
// there are entries without a document, and nobody may notice.
#include <algorithm>
#include <string>

#include "base/status.h"
#include "base/strings.h"
#include "gmock/gmock.h"
#include "tests/ttl/slices.h"

namespace mayfly::ttl {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kMany = 2000;
constexpr int kStay = 50;

class SweepTest : public SliceTest {
 protected:
  // 2,000 documents due and gone, 50 that stay, and all entries of those that are gone.
  void MakePending() {
    MakeCollection();
    Insert(0, kMany);
    server_.clock().AdvanceMs(100'000);
    Insert(kMany, kMany + kStay);
    int64_t removed = 0;
    while (removed < kMany) {
      const SliceResult result = Slice(3);
      ASSERT_TRUE(result.more);
      removed += result.removed;
    }
    ASSERT_EQ(removed, kMany);
    ASSERT_TRUE(SweepOf("c").pending);
    ASSERT_FALSE(SweepOf("c").has_begun());
  }
  void Finish() {
    for (int i = 0; Slice(3).more; ++i) ASSERT_LT(i, 10'000);
    EXPECT_FALSE(SweepOf("c").pending);
    EXPECT_THAT(Validate(),
                HasSubstr("valid: true, repairMode: \"None\", repaired: false, readOnly: false, "
                          "warnings: []"));
  }
  std::string Validate() { return Run("{validate: 'c', full: true}"); }
  std::string KeysPerIndex(int n) {
    return base::StrCat("keysPerIndex: { _id_: ", n, ", r: ", n, ", v: ", n, ", u: ", n,
                        ", vu: ", n, " }");
  }
};

TEST_F(SweepTest, FewGoRowByRow) {
  MakeCollection();
  Insert(0, 900);
  server_.clock().AdvanceMs(100'000);
  int64_t removed = 0;
  bool more = true;
  while (more) {
    const SliceResult result = Slice(20);
    more = result.more;
    removed += result.removed;
    EXPECT_FALSE(SweepOf("c").pending);
  }
  EXPECT_EQ(removed, 900);
  EXPECT_THAT(Validate(), HasSubstr("valid: true"));
}

TEST_F(SweepTest, ManyGoDocumentsFirst) {
  MakePending();
  EXPECT_THAT(Validate(), HasSubstr("valid: true"));
  EXPECT_THAT(Validate(), HasSubstr("wait for the sweep"));
  EXPECT_THAT(Validate(), HasSubstr(KeysPerIndex(kStay)));
  Finish();
  EXPECT_THAT(Validate(), HasSubstr(KeysPerIndex(kStay)));
}

TEST_F(SweepTest, ReadersDoNotSeePendingEntries) {
  MakePending();
  const std::string n = base::StrCat("n: ", kStay);
  EXPECT_THAT(Run("{count: 'c'}"), HasSubstr(n));
  EXPECT_THAT(Run("{count: 'c', query: {v: {$gte: 0}}, hint: 'v'}"), HasSubstr(n));
  EXPECT_THAT(Run("{count: 'c', query: {u: {$lt: 2010}}, hint: 'u'}"), HasSubstr("n: 10"));
  EXPECT_THAT(Run("{find: 'c', filter: {_id: 5}}"), HasSubstr("firstBatch: []"));
  EXPECT_THAT(Run("{find: 'c', filter: {u: {$in: [1, 2, 2001, 3]}}}"),
              HasSubstr("firstBatch: [ { _id: 2001, u: 2001"));
  EXPECT_THAT(Run("{find: 'c', sort: {u: 1}, limit: 1, projection: {_id: 0, u: 1}}"),
              HasSubstr("firstBatch: [ { u: 2000 } ]"));
  EXPECT_THAT(Run("{find: 'c', sort: {u: -1}, limit: 1, projection: {_id: 0, u: 1}}"),
              HasSubstr(base::StrCat("firstBatch: [ { u: ", kMany + kStay - 1, " } ]")));
  EXPECT_THAT(Run("{distinct: 'c', key: 'u', query: {u: {$lt: 2003}}}"),
              HasSubstr("values: [ 2000, 2001, 2002 ]"));
  EXPECT_THAT(Run("{aggregate: 'c', pipeline: [{$match: {u: {$gte: 0}}}, {$count: 'n'}], "
                  "cursor: {}}"),
              HasSubstr(n));
  EXPECT_THAT(Run("{aggregate: 'c', pipeline: [{$limit: 1}, {$lookup: {from: 'c', pipeline: "
                  "[{$match: {u: {$lt: 2002}}}], as: 'l'}}, {$project: {n: {$size: '$l'}}}], "
                  "cursor: {}}"),
              HasSubstr("n: 2"));
  EXPECT_THAT(
      Run("{update: 'c', updates: [{q: {u: {$lt: 2001}}, u: {$set: {w: 1}}, multi: true}]}"),
      HasSubstr("n: 1"));
  EXPECT_THAT(Run("{delete: 'c', deletes: [{q: {u: {$lt: 2001}}, limit: 0}]}"), HasSubstr("n: 1"));
  Finish();
  EXPECT_THAT(Validate(), HasSubstr(KeysPerIndex(kStay - 1)));
}

TEST_F(SweepTest, TheSameUniqueKeysAreFree) {
  MakePending();
  EXPECT_THAT(Run("{insert: 'c', documents: [{_id: 1, u: 1, v: 1}, {_id: 'x', u: 2, v: 2}]}"),
              HasSubstr("n: 2, ok"));
  EXPECT_THAT(Run("{update: 'c', updates: [{q: {_id: 3}, u: {$set: {u: 3, v: 3}}, upsert: true}]}"),
              HasSubstr("upserted"));
  // An update that takes the key of one that is gone, and one that is truly taken.
  EXPECT_THAT(Run("{update: 'c', updates: [{q: {_id: 2000}, u: {$set: {u: 4}}}]}"),
              HasSubstr("nModified: 1"));
  EXPECT_THAT(Run("{insert: 'c', documents: [{_id: 'y', u: 4}]}"), HasSubstr("code: 11000"));
  EXPECT_THAT(Validate(), HasSubstr("valid: true"));
  Finish();
  for (const char* filter : {"{_id: 1}", "{u: 1}", "{u: 2}", "{_id: 'x'}", "{u: 3}", "{u: 4}"}) {
    EXPECT_THAT(Run(base::StrCat("{count: 'c', query: ", filter, "}")), HasSubstr("n: 1"))
        << filter;
  }
  EXPECT_THAT(Run("{insert: 'c', documents: [{_id: 1}]}"), HasSubstr("code: 11000"));
  EXPECT_THAT(Validate(), HasSubstr(KeysPerIndex(kStay + 3)));
}

TEST_F(SweepTest, NewIndexesAndDroppedOnes) {
  MakePending();
  for (int i = 0; i < 5; ++i) Slice(3);
  ASSERT_TRUE(SweepOf("c").has_begun());
  EXPECT_EQ(Code("{createIndexes: 'c', indexes: [{key: {u: 1, _id: 1}, name: 'n', unique: true}]}"),
            0);
  EXPECT_EQ(Code("{dropIndexes: 'c', index: 'v'}"), 0);
  Finish();
}

TEST_F(SweepTest, AfterACrashTheSweepGoesOn) {
  MakePending();
  for (int i = 0; i < 20; ++i) Slice(3);
  ASSERT_TRUE(SweepOf("c").has_begun());
  progress_.clear();
  turn_ = PurgeTurn();
  Finish();
  EXPECT_THAT(Validate(), HasSubstr(KeysPerIndex(kStay)));
}

TEST_F(SweepTest, WhatIsDueMeanwhileGoesToo) {
  MakePending();
  for (int i = 0; i < 20; ++i) Slice(3);
  ASSERT_TRUE(SweepOf("c").has_begun());
  server_.clock().AdvanceMs(100'000);
  Insert(5000, 5010);
  Slice(3);
  Finish();
  EXPECT_THAT(Validate(), HasSubstr(KeysPerIndex(10)));
  // So many that the sweep has to begin anew.
  Insert(6000, 6000 + kMany);
  server_.clock().AdvanceMs(100'000);
  int64_t removed = 0;
  while (removed < kMany + 10) removed += Slice(3).removed;
  for (int i = 0; i < 20; ++i) Slice(3);
  ASSERT_TRUE(SweepOf("c").has_begun());
  Insert(0, kMany);
  server_.clock().AdvanceMs(100'000);
  Finish();
  EXPECT_THAT(Run("{count: 'c'}"), HasSubstr("n: 0"));
  EXPECT_THAT(Validate(), HasSubstr(KeysPerIndex(0)));
}

TEST_F(SweepTest, TheRuleMayGoBeforeTheSweepIsDone) {
  MakePending();
  EXPECT_EQ(Code("{dropIndexes: 'c', index: 'r'}"), 0);
  for (int i = 0; Slice(3).more; ++i) ASSERT_LT(i, 10'000);
  EXPECT_FALSE(SweepOf("c").pending);
  EXPECT_THAT(Validate(), Not(HasSubstr("wait for the sweep")));
}

TEST_F(SweepTest, RenamedAndDropped) {
  MakePending();
  server_.Run("admin", "{renameCollection: 'db.c', to: 'db.d'}");
  EXPECT_TRUE(SweepOf("d").pending);
  Slice(3);
  Run("{drop: 'd'}");
  EXPECT_FALSE(Slice(3).more);
  // A collection of the same name does not inherit anything.
  MakeCollection();
  Insert(0, 10);
  EXPECT_FALSE(SweepOf("c").pending);
  EXPECT_THAT(Validate(), HasSubstr("valid: true"));
}

TEST_F(SweepTest, DatesAndEpochsGoDocumentsFirstToo) {
  ASSERT_EQ(Code("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: "
                 "10}, {key: {v: 1}, name: 'v'}]}"),
            0);
  Run("{updateTimeToLive: 'c', timeToLiveSpecification: {enabled: true, attributeName: 'exp'}}");
  const int64_t now_ms = test::TestServer::kStartMs;
  Insert(0, 1500, base::StrCat(", at: [{$date: ", now_ms, "}, {$date: ", now_ms + 1, "}]"));
  Insert(1500, 3000, base::StrCat(", exp: ", now_ms / 1000 + 5));
  server_.clock().AdvanceMs(60'000);
  bool swept = false;
  int64_t removed = 0;
  for (bool more = true; more;) {
    const SliceResult result = Slice(5);
    more = result.more;
    removed += result.removed;
    swept |= SweepOf("c").pending;
  }
  EXPECT_TRUE(swept);
  EXPECT_EQ(removed, 3000);
  EXPECT_THAT(Run("{count: 'c'}"), HasSubstr("n: 0"));
  EXPECT_THAT(Validate(), HasSubstr("valid: true"));
  EXPECT_THAT(Validate(), HasSubstr("keysPerIndex: { _id_: 0, at: 0, v: 0 }"));
}

TEST_F(SweepTest, WrittenSinceStays) {
  MakeCollection();
  Insert(0, kMany);
  server_.clock().AdvanceMs(50'000);
  Run("{update: 'c', updates: [{q: {_id: {$gte: 1500}}, u: {$set: {w: 1}}, multi: true}]}");
  server_.clock().AdvanceMs(50'000);
  int64_t removed = 0;
  for (bool more = true; more;) {
    const SliceResult result = Slice(5);
    more = result.more;
    removed += result.removed;
  }
  EXPECT_EQ(removed, 1500);
  EXPECT_THAT(Validate(), HasSubstr(KeysPerIndex(500)));
}

}  // namespace
}  // namespace mayfly::ttl
