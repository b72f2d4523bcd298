// Every operator through a collection scan and through every index that can serve it: the same
// documents. Documents and filters are random; the seed is printed, MAYFLY_SEED repeats a run.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace mayfly::commands {
namespace {

using base::StrCat;

constexpr int kDocuments = 120;
constexpr int kFilters = 60;  // for each index
constexpr int kNoQueryExecutionPlans = 291;

uint64_t Seed() {
  const char* given = std::getenv("MAYFLY_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10)
                          : base::Random::FromSystem().NextU64();
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::string OneOf(const std::vector<std::string>& choices) {
    return choices[random_.Below(choices.size())];
  }

  std::string Scalar() {
    return OneOf({"1",
                  "2",
                  "3",
                  "-1",
                  "0",
                  "2.5",
                  "{$numberLong: '2'}",
                  "{$numberDouble: 'NaN'}",
                  "{$numberDouble: 'Infinity'}",
                  "null",
                  "true",
                  "false",
                  "'x'",
                  "'X'",
                  "'xy'",
                  "''",
                  "{$minKey: 1}",
                  "{$maxKey: 1}",
                  "{$numberDecimal: '2'}",
                  "{$date: '2020-01-01T00:00:00Z'}"});
  }

  std::string Value(bool arrays) {
    const uint64_t kind = random_.Below(arrays ? 10 : 7);
    if (kind < 5) return Scalar();
    if (kind == 5) return "{}";
    if (kind == 6) return StrCat("{x: ", Scalar(), ", y: ", Scalar(), "}");
    if (kind == 7) return "[]";
    if (kind == 8) return StrCat("[", Scalar(), ", ", Scalar(), "]");
    return StrCat("[{x: ", Scalar(), "}, {x: ", Scalar(), ", y: ", Scalar(), "}, [", Scalar(),
                  "]]");
  }

  std::string Document(int id, bool arrays) {
    std::string document = StrCat("{_id: ", id);
    for (const char* field : {"a", "b"}) {
      if (random_.Below(5) != 0) document += StrCat(", ", field, ": ", Value(arrays));
    }
    return document + "}";
  }

  std::string Condition(int depth) {
    switch (random_.Below(depth > 1 ? 14 : 17)) {
      case 0:
        return StrCat("{$eq: ", Value(true), "}");
      case 1:
        return StrCat("{$ne: ", Scalar(), "}");
      case 2:
        return StrCat("{$gt: ", Value(false), "}");
      case 3:
        return StrCat("{$gte: ", Scalar(), "}");
      case 4:
        return StrCat("{$lt: ", Scalar(), "}");
      case 5:
        return StrCat("{$lte: ", Value(false), "}");
      case 6:
        return StrCat("{$in: [", Scalar(), ", ", Value(true), ", ", Scalar(), "]}");
      case 7:
        return StrCat("{$nin: [", Scalar(), ", ", Scalar(), "]}");
      case 8:
        return OneOf({"{$exists: true}", "{$exists: false}"});
      case 9:
        return OneOf({"{$type: 'number'}", "{$type: 'string'}", "{$type: 'object'}",
                      "{$type: 'array'}", "{$type: 'null'}"});
      case 10:
        return OneOf({"{$regex: '^x'}", "{$regex: 'y$'}", "{$regex: '^X', $options: 'i'}"});
      case 11:
        return OneOf({"{$mod: [2, 0]}", "{$size: 2}", "{$bitsAllSet: [0]}", "{$size: 0}"});
      case 12:
        return StrCat("{$all: [", Scalar(), ", ", Scalar(), "]}");
      case 13:
        return StrCat("{$gte: ", Scalar(), ", $lt: ", Scalar(), "}");
      case 14:
        return StrCat("{$not: ", Condition(depth + 1), "}");
      case 15:
        return StrCat("{$elemMatch: ", Condition(depth + 2), "}");
      default:
        return StrCat("{$elemMatch: {x: ", Condition(depth + 2), "}}");
    }
  }

  std::string Filter(int depth) {
    const std::string path = OneOf({"a", "a", "b", "'a.x'", "'a.y'", "'a.0'", "'b.x'"});
    const uint64_t kind = random_.Below(depth > 1 ? 4 : 8);
    if (kind < 3) return StrCat("{", path, ": ", Condition(0), "}");
    if (kind == 3) return StrCat("{", path, ": ", Value(true), "}");
    const std::string both = StrCat(Filter(depth + 1), ", ", Filter(depth + 1));
    if (kind < 6) return StrCat("{$and: [", both, "]}");
    return StrCat(kind == 6 ? "{$or: [" : "{$nor: [", both, "]}");
  }

 private:
  base::Random random_;
};

struct IndexRow {
  const char* spec;      // without the name
  bool arrays = true;    // documents may have arrays
  bool complete = true;  // has all documents, so that a hint leaves none out
};

constexpr IndexRow kIndexes[] = {
    {"key: {a: 1}"},
    {"key: {a: -1}"},
    {"key: {a: 1, b: 1}"},
    {"key: {b: -1, a: 1}"},
    {"key: {'a.x': 1}"},
    {"key: {'a.x': 1, 'a.y': -1}"},
    {"key: {a: 1}, sparse: true", true, false},
    {"key: {a: 1}, partialFilterExpression: {b: {$gt: 0}}", true, false},
    {"key: {a: 1}, collation: {locale: 'en', strength: 2}"},
    {"key: {a: 'hashed'}", false},
    {"key: {b: 1, a: 'hashed'}", false},
    {"key: {'$**': 1}"},
    {"key: {'$**': -1}", false},
    {"key: {'a.$**': 1}"},
    {"key: {'$**': 1}, wildcardProjection: {'a.x': 1, b: 1}"},
    {"key: {b: 1, '$**': 1}, wildcardProjection: {b: 0}", false},
    {"key: {'$**': 1, b: 1}, wildcardProjection: {b: 0}", false},
};

class IndexAgreementTest : public testing::Test {
 protected:
  std::string Find(const std::string& collection, const std::string& filter,
                   const std::string& rest) {
    const std::string command = StrCat("{find: '", collection, "', filter: ", filter,
                                       ", sort: {_id: 1}, batchSize: 1000", rest, "}");
    return server_.RunText("db", command);
  }

  test::TestServer server_;
};

TEST_F(IndexAgreementTest, EveryOperatorThroughEveryIndex_FindsWhatTheScanFinds) {
  const uint64_t seed = Seed();
  SCOPED_TRACE(testing::Message() << "MAYFLY_SEED=" << seed);
  RecordProperty("seed", std::to_string(seed));
  std::printf("MAYFLY_SEED=%llu\n", static_cast<unsigned long long>(seed));
  Generator generator(seed);
  int number = 0;
  for (const IndexRow& row : kIndexes) {
    const std::string collection = StrCat("c", number++);
    ASSERT_EQ(server_.RunCode("db", StrCat("{createIndexes: '", collection, "', indexes: [{",
                                           row.spec, ", name: 'i'}]}")),
              0)
        << row.spec;
    for (int id = 0; id < kDocuments; ++id) {
      // Some are refused: two arrays under one index.
      server_.Run("db", StrCat("{insert: '", collection, "', documents: [",
                               generator.Document(id, row.arrays), "]}"));
    }
    for (int i = 0; i < kFilters && !HasFailure(); ++i) {
      const std::string filter = generator.Filter(0);
      const std::string scanned = Find(collection, filter, ", hint: {$natural: 1}");
      EXPECT_EQ(Find(collection, filter, ""), scanned) << row.spec << "\n" << filter;
      if (!row.complete) continue;
      const std::string hint = ", hint: 'i'";
      const std::string command = StrCat("{find: '", collection, "', filter: ", filter, hint, "}");
      if (server_.RunCode("db", command) == kNoQueryExecutionPlans) continue;
      EXPECT_EQ(Find(collection, filter, hint), scanned) << row.spec << "\n" << filter;
    }
  }
}

}  // namespace
}  // namespace mayfly::commands
