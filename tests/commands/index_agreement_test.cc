// Every operator through a collection scan and through every index that can serve it: the same
// documents. Documents and filters are random; the seed is printed, MAYFLY_SEED repeats a run.
#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "bson/compare.h"
#include "bson/json.h"
#include "engine/query/filter_families.h"
#include "gtest/gtest.h"
#include "tests/support/random_filters.h"
#include "tests/support/test_server.h"

namespace mayfly::commands {
namespace {

using base::StrCat;
using test::RandomFilters;

constexpr int kDocuments = 120;
constexpr int kFilters = 18;  // for each index
constexpr int kPlaceFilters = 8;
constexpr int kNoQueryExecutionPlans = 291;

struct IndexRow {
  const char* spec;      // without the name
  bool arrays = true;    // documents may have arrays
  bool complete = true;  // has all documents, so that a hint leaves none out
};

constexpr IndexRow kIndexes[] = {
    {"key: {a: 1}"},
    {"key: {a: -1}"},
    {"key: {a: 1}", false},
    {"key: {a: 1, b: 1}"},
    {"key: {a: 1, b: -1}", false},
    {"key: {b: -1, a: 1}"},
    {"key: {'a.x': 1}"},
    {"key: {'a.x': 1, 'a.y': -1}"},
    {"key: {a: 1}, sparse: true", true, false},
    {"key: {a: 1, b: 1}, sparse: true", true, false},
    {"key: {a: 1}, partialFilterExpression: {b: {$gt: 0}}", true, false},
    {"key: {b: 1}, partialFilterExpression: {a: {$exists: true}}", true, false},
    {"key: {a: 1}, collation: {locale: 'en', strength: 2}"},
    {"key: {b: 1, a: 1}, collation: {locale: 'en', strength: 1}", false},
    {"key: {a: 'hashed'}", false},
    {"key: {b: 1, a: 'hashed'}", false},
    {"key: {'$**': 1}"},
    {"key: {'$**': -1}", false},
    {"key: {'a.$**': 1}"},
    {"key: {'$**': 1}, wildcardProjection: {'a.x': 1, b: 1}"},
    {"key: {b: 1, '$**': 1}, wildcardProjection: {b: 0}", false},
    {"key: {'$**': 1, b: 1}, wildcardProjection: {b: 0}", false},
};

constexpr const char* kSphereIndexes[] = {
    "key: {g: '2dsphere'}",
    "key: {g: '2dsphere', a: 1}",
    "key: {b: 1, g: '2dsphere'}",
    "key: {g: '2dsphere'}, partialFilterExpression: {b: {$gt: 0}}",
};

constexpr const char* kPlaneIndexes[] = {
    "key: {g: '2d'}",
    "key: {g: '2d', a: 1}",
};

constexpr const char* kTextIndexes[] = {
    "key: {t: 'text'}",
    "key: {t: 'text', a: 1}",
    "key: {'$**': 'text'}",
};

class IndexAgreementTest : public testing::Test {
 protected:
  // A new collection with the index and some documents.
  std::string MakeCollection(const char* spec, RandomFilters::Shape shape) {
    std::string name = StrCat("c", collections_++);
    EXPECT_EQ(server_.RunCode("db", StrCat("{createIndexes: '", name, "', indexes: [{", spec,
                                           ", name: 'i'}]}")),
              0)
        << spec;
    for (int id = 0; id < kDocuments; ++id) {
      // Some are refused: two arrays under one index.
      server_.Run("db",
                  StrCat("{insert: '", name, "', documents: [", random_.Document(id, shape), "]}"));
    }
    return name;
  }

  std::string Find(const std::string& collection, const std::string& filter,
                   const std::string& rest) {
    return server_.RunText(
        "db", StrCat("{find: '", collection, "', filter: ", filter,
                     ", projection: {_id: 1}, sort: {_id: 1}, batchSize: 1000", rest, "}"));
  }

  // What the documents of a reply have in `a` and `b`, in an order of its own: plans that read the
  // entries only have an order of fields and documents of their own.
  std::vector<std::string> Fields(const std::string& command) {
    std::vector<std::string> all;
    const bson::Document reply = server_.Run("db", command);
    const bson::ValueView cursor = reply.view().Find("cursor");
    if (!cursor.IsDocument()) return {bson::ToShellText(reply.view().Find("errmsg"))};
    for (const bson::Element& element : cursor.AsDocument().Find("firstBatch").AsDocument()) {
      const bson::View document = element.value.AsDocument();
      all.push_back(StrCat(bson::ToShellText(document.Find("a")), " ",
                           bson::ToShellText(document.Find("b")), " ", document.Count()));
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  // The same filter without a hint, with the index if it can serve it, and by a scan; found,
  // sorted, counted.
  void Compare(const std::string& collection, const std::string& filter, bool complete) {
    const std::string collation = random_.OneOf({"", "", ", collation: {locale: 'en', strength: 2}",
                                                 ", collation: {locale: 'en', strength: 1}"});
    const std::string scan = StrCat(collation, ", hint: {$natural: 1}");
    const std::string found = Find(collection, filter, scan);
    EXPECT_EQ(Find(collection, filter, collation), found) << filter << collation;
    const std::string order = random_.OneOf(
        {"{a: 1, _id: 1}", "{a: -1, b: -1, _id: 1}", "{b: 1, _id: 1}", "{'a.x': 1, _id: 1}"});
    const auto sorted = [&](const std::string& rest) {
      return server_.RunText(
          "db", StrCat("{find: '", collection, "', filter: ", filter, ", sort: ", order,
                       ", projection: {_id: 1}, batchSize: 1000", rest, "}"));
    };
    EXPECT_EQ(sorted(collation), sorted(scan)) << filter << collation << " by " << order;
    const auto count = [&](const std::string& rest) {
      return server_.RunText("db",
                             StrCat("{count: '", collection, "', query: ", filter, rest, "}"));
    };
    EXPECT_EQ(count(collation), count(scan)) << filter << collation;
    const auto fields = [&](const std::string& rest) {
      return Fields(StrCat("{find: '", collection, "', filter: ", filter,
                           ", projection: {a: 1, b: 1, _id: 0}, batchSize: 1000", rest, "}"));
    };
    EXPECT_EQ(fields(collation), fields(scan)) << filter << collation;
    // Which of equal values stands for all depends on the way, and under a collation shows.
    const auto distinct = [&](const std::string& rest) {
      const bson::Document reply = server_.Run(
          "db", StrCat("{distinct: '", collection, "', key: 'a', query: ", filter, rest, "}"));
      return bson::Value(reply.view().Find("values"));
    };
    if (collation.empty()) {
      EXPECT_EQ(bson::Compare(distinct(""), distinct(scan)), 0) << filter;
    }
    if (!complete) return;
    const std::string hint = StrCat(collation, ", hint: 'i'");
    const std::string command = StrCat("{find: '", collection, "', filter: ", filter, hint, "}");
    if (server_.RunCode("db", command) == kNoQueryExecutionPlans) return;
    EXPECT_EQ(Find(collection, filter, hint), found) << filter << hint;
    EXPECT_EQ(sorted(hint), sorted(scan)) << filter << hint << " by " << order;
    EXPECT_EQ(count(hint), count(scan)) << filter << hint;
    EXPECT_EQ(fields(hint), fields(scan)) << filter << hint;
  }

  const uint64_t seed_ = test::SeedFromEnvironment();
  testing::ScopedTrace trace_{__FILE__, __LINE__, StrCat("MAYFLY_SEED=", seed_)};
  RandomFilters random_{seed_};
  test::TestServer server_;
  int collections_ = 0;
};

TEST_F(IndexAgreementTest, EveryOperatorThroughEveryIndex_FindsWhatTheScanFinds) {
  for (const IndexRow& row : kIndexes) {
    SCOPED_TRACE(row.spec);
    const std::string collection = MakeCollection(row.spec, {.arrays = row.arrays});
    for (int i = 0; i < kFilters && !HasFailure(); ++i) {
      Compare(collection, random_.Filter(), row.complete);
    }
  }
}

TEST_F(IndexAgreementTest, PlacesThroughIndexes_AreThoseOfTheScan) {
  for (const char* spec : kSphereIndexes) {
    SCOPED_TRACE(spec);
    const std::string collection = MakeCollection(spec, {.arrays = false});
    const bool complete = std::string_view(spec).find("partial") == std::string_view::npos;
    for (int i = 0; i < kPlaceFilters && !HasFailure(); ++i) {
      Compare(collection, random_.SphereFilter(), complete);
    }
  }
  for (const char* spec : kPlaneIndexes) {
    SCOPED_TRACE(spec);
    const std::string collection = MakeCollection(spec, {.arrays = false, .points_on_plane = true});
    for (int i = 0; i < kPlaceFilters && !HasFailure(); ++i) {
      Compare(collection, random_.PlaneFilter(), true);
    }
  }
}

TEST_F(IndexAgreementTest, NearFindsWhatTheAreaHolds) {
  for (const bool plane : {false, true}) {
    const char* spec = plane ? kPlaneIndexes[0] : kSphereIndexes[0];
    SCOPED_TRACE(spec);
    const std::string collection =
        MakeCollection(spec, {.arrays = false, .points_on_plane = plane});
    for (int i = 0; i < kPlaceFilters && !HasFailure(); ++i) {
      const RandomFilters::Pair pair = plane ? random_.NearOnPlane() : random_.NearOnSphere();
      // Shapes are near if a part of them is, within only as a whole.
      const std::string points = plane ? "" : ", $or: [{'g.type': 'Point'}, {g: {$type: 'array'}}]";
      EXPECT_EQ(Find(collection, StrCat("{g: ", pair.special, points, "}"), ""),
                Find(collection, StrCat("{g: ", pair.plain, points, "}"), ", hint: {$natural: 1}"))
          << pair.special;
    }
  }
}

TEST_F(IndexAgreementTest, TextFindsTheWords) {
  for (const char* spec : kTextIndexes) {
    SCOPED_TRACE(spec);
    const std::string collection = MakeCollection(spec, {.arrays = false});
    for (int i = 0; i < kPlaceFilters && !HasFailure(); ++i) {
      const RandomFilters::Pair pair = random_.Text();
      EXPECT_EQ(Find(collection, pair.special, ""),
                Find(collection, pair.plain, ", hint: {$natural: 1}"))
          << pair.special;
    }
  }
}

// A new operator must be written by the generator, too.
TEST(RandomFiltersTest, WriteEveryOperator) {
  const std::vector<std::string_view> kLeftOut = {"$sampleRate"};  // random itself
  RandomFilters random(1);
  for (int i = 0; i < 2000; ++i) {
    random.Filter();
    random.SphereFilter();
    random.PlaneFilter();
    random.NearOnPlane();
    random.NearOnSphere();
    random.Text();
  }
  for (const engine::FilterFamily& family : engine::FilterFamilies()) {
    for (const engine::FilterRow& row : family.rows) {
      if (row.support != base::Support::kFull) continue;
      if (std::find(kLeftOut.begin(), kLeftOut.end(), row.name) != kLeftOut.end()) continue;
      EXPECT_TRUE(random.used().contains(row.name)) << row.name;
    }
  }
}

}  // namespace
}  // namespace mayfly::commands
