// Hidden means everywhere: every stage of a pipeline, against documents that have expired and are
// not removed. A stage that is not in the table fails the test.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "engine/aggregate/stage.h"
#include "gtest/gtest.h"
#include "tests/support/hidden_comparison.h"

namespace mayfly::commands {
namespace {

using base::StrCat;
using test::Probe;

// One pipeline for a stage; several stages may stand in more than one row.
struct StageProbe {
  std::string_view stage;
  std::string_view pipeline;  // without brackets
  bool sees = true;
  std::vector<std::string_view> may_differ = {};
};

// The stage sees no documents, or answers an error on every server of this kind.
constexpr std::string_view kExempt[] = {
    "$changeStream",
    "$currentOp",
    "$documents",
    "$geoNear",
    "$listSessions",
    "$planCacheStats",
    "$listLocalSessions",
    "$listSearchIndexes",
    "$search",
    "$searchMeta",
    "$vectorSearch",
    "$listClusterCatalog",
    "$listSampledQueries",
    "$querySettings",
    "$queryStats",
    "$shardedDataDistribution",
    "$changeStreamSplitLargeEvent",
    "$listCatalog",
    "$rankFusion",
    "$score",
    "$scoreFusion",
};

const std::vector<StageProbe>& StageProbes() {
  static const auto* const probes = new std::vector<StageProbe>{
      {"$addFields", "{$addFields: {x: {$add: ['$a', 1]}}}"},
      {"$bucket", "{$bucket: {groupBy: '$a', boundaries: [0, 2, 4], output: {n: {$sum: 1}}}}"},
      {"$bucketAuto", "{$bucketAuto: {groupBy: '$n', buckets: 2}}"},
      {"$collStats", "{$collStats: {count: {}}}"},
      {"$collStats",
       "{$collStats: {storageStats: {}}}",
       true,
       {"storageSize", "totalSize", "totalIndexSize", "indexSizes", "freeStorageSize"}},
      {"$count", "{$count: 'n'}"},
      {"$densify", "{$densify: {field: 'n', range: {step: 1, bounds: 'full'}}}"},
      {"$facet", "{$facet: {a: [{$count: 'n'}], b: [{$sort: {_id: 1}}, {$limit: 2}]}}"},
      {"$fill", "{$sort: {_id: 1}}, {$fill: {sortBy: {_id: 1}, output: {p: {method: 'locf'}}}}"},
      {"$graphLookup",
       "{$match: {_id: 1}}, {$graphLookup: {from: 'c', startWith: '$n', connectFromField: 'n', "
       "connectToField: '_id', as: 'g'}}, {$project: {n: {$size: '$g'}}}"},
      {"$group", "{$group: {_id: '$a', n: {$sum: 1}, u: {$max: '$u'}}}, {$sort: {_id: 1}}"},
      {"$indexStats", "{$indexStats: {}}", false},
      {"$limit", "{$sort: {_id: 1}}, {$limit: 2}"},
      {"$lookup", "{$lookup: {from: 'c', localField: 'a', foreignField: 'a', as: 'j'}}"},
      {"$lookup", "{$lookup: {from: 'e', pipeline: [], as: 'j'}}"},
      {"$lookup",
       "{$lookup: {from: 'v', let: {a: '$a'}, pipeline: [{$match: {$expr: {$eq: ['$a', '$$a']}}}], "
       "as: 'j'}}"},
      {"$match", "{$match: {a: 1}}"},
      {"$match", "{$sort: {_id: 1}}, {$limit: 3}, {$match: {b: {$gt: 2}}}"},
      {"$merge", "{$merge: {into: 'x'}}"},
      {"$merge", "{$match: {_id: 1}}, {$merge: {into: 't', whenMatched: 'fail'}}"},
      {"$merge", "{$match: {_id: 1}}, {$merge: {into: 't', whenMatched: 'keepExisting'}}", false},
      {"$merge", "{$match: {_id: 1}}, {$merge: {into: 't', whenMatched: 'merge'}}", false},
      {"$merge", "{$match: {_id: 1}}, {$merge: {into: 't', whenNotMatched: 'discard'}}", false},
      {"$merge", "{$match: {_id: 1}}, {$merge: {into: 't', whenNotMatched: 'fail'}}"},
      {"$merge", "{$match: {_id: 4}}, {$merge: {into: 't', on: 'u', whenMatched: 'fail'}}"},
      {"$merge", "{$match: {_id: 4}}, {$merge: {into: 't'}}"},
      {"$out", "{$out: 'x'}"},
      {"$out", "{$match: {a: {$lt: 3}}}, {$out: 't'}", false},
      {"$project", "{$project: {a: 1}}"},
      {"$redact", "{$redact: {$cond: [{$eq: ['$a', 1]}, '$$KEEP', '$$PRUNE']}}"},
      {"$replaceRoot", "{$replaceRoot: {newRoot: {a: '$a'}}}"},
      {"$replaceWith", "{$replaceWith: {a: '$a'}}"},
      {"$sample", "{$sample: {size: 100}}, {$sort: {_id: 1}}"},
      {"$set", "{$set: {x: 1}}"},
      {"$setWindowFields",
       "{$setWindowFields: {sortBy: {_id: 1}, output: {s: {$sum: '$u', window: {documents: "
       "['unbounded', 'current']}}, r: {$documentNumber: {}}}}}"},
      {"$skip", "{$sort: {_id: 1}}, {$skip: 2}"},
      {"$sort", "{$sort: {b: 1}}"},
      {"$sort", "{$sort: {a: 1, b: -1}}, {$limit: 3}"},
      {"$sortByCount", "{$sortByCount: {$gt: ['$a', 1]}}"},
      {"$unionWith", "{$unionWith: 'e'}"},
      {"$unionWith", "{$limit: 1}, {$unionWith: {coll: 'c', pipeline: [{$match: {a: 1}}]}}"},
      {"$unset", "{$unset: 'b'}"},
      {"$unwind", "{$unwind: {path: '$p', preserveNullAndEmptyArrays: true}}"},
  };
  return *probes;
}

std::string Aggregate(std::string_view collection, std::string_view stages) {
  return StrCat("{aggregate: '", collection, "', pipeline: [", stages, "], cursor: {}}");
}

TEST(HiddenFromStagesTest, EveryStageIsInTheTable) {
  std::set<std::string_view> listed;
  for (const std::string_view stage : kExempt) EXPECT_TRUE(listed.insert(stage).second) << stage;
  for (const StageProbe& probe : StageProbes()) listed.insert(probe.stage);
  for (const engine::StageRow* row : engine::StageRows()) {
    EXPECT_TRUE(listed.erase(row->name) > 0)
        << row->name << ": say how it treats documents that have expired and are not removed yet";
  }
  for (const std::string_view stage : listed) ADD_FAILURE() << stage << " is no stage";
}

TEST(HiddenFromStagesTest, HiddenDocumentsAreAsIfRemoved) {
  for (const StageProbe& probe : StageProbes()) {
    const std::string command = Aggregate("c", probe.pipeline);
    test::HiddenComparison::Check(
        {.command = command, .may_differ = probe.may_differ, .sees = probe.sees});
  }
}

// Where a stage may not stand, all servers give the same error.
TEST(HiddenFromStagesTest, HiddenDocumentsAreAsIfRemovedInViewsAndInsideOtherStages) {
  for (const StageProbe& probe : StageProbes()) {
    const std::string commands[] = {
        Aggregate("v", probe.pipeline),
        Aggregate("local", StrCat("{$unionWith: {coll: 'c', pipeline: [", probe.pipeline, "]}}")),
        Aggregate("local",
                  StrCat("{$lookup: {from: 'c', pipeline: [", probe.pipeline, "], as: 'j'}}")),
        Aggregate("c", StrCat("{$facet: {f: [", probe.pipeline, "]}}")),
    };
    for (const std::string& command : commands) {
      test::HiddenComparison::Check(
          {.command = command, .may_differ = probe.may_differ, .sees = false});
    }
  }
}

// Later batches: what a pipeline had read before a blocking stage it had read at that moment, and
// documents that it only passes on are looked at again.
TEST(HiddenFromStagesTest, LaterBatchesHaveTheirOwnMoment) {
  for (const std::string_view stages :
       {"{$match: {a: {$gte: 0}}}", "{$project: {a: 1}}", "{$sort: {b: 1}}",
        "{$unionWith: {coll: 'c', pipeline: [{$match: {a: 1}}]}}"}) {
    const std::string open =
        StrCat("{aggregate: 'c', pipeline: [", stages, "], cursor: {batchSize: 1}}");
    test::HiddenComparison::Check(
        {.command = "{getMore: $cursor, collection: 'c'}", .before = {open}});
  }
}

}  // namespace
}  // namespace mayfly::commands
