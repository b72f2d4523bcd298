// Hidden means everywhere: every command, against documents that have expired and are not removed.
// A command that is not in the table fails the test.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "commands/registry.h"
#include "gtest/gtest.h"
#include "tests/support/hidden_comparison.h"

namespace mayfly::commands {
namespace {

using test::Probe;

// Space on disk and in the store is what it is until the removal.
const std::vector<std::string_view> kSpace = {"storageSize", "totalSize", "totalIndexSize",
                                              "indexSizes",  "indexSize", "sizeOnDisk",
                                              "totalSizeMb"};

// The command sees no documents of a collection, or is meant to speak of hidden ones.
struct Exempt {
  std::string_view command;
  std::string_view why;
};

constexpr Exempt kExempt[] = {
    {"abortTransaction", "about transactions"},
    {"autoCompact", "about files"},
    {"buildInfo", "about the program"},
    {"commitTransaction", "about transactions"},
    {"compact", "about files"},
    {"compactStructuredEncryptionData", "about keys of clients"},
    {"connPoolStats", "about connections"},
    {"connectionStatus", "about the connection"},
    {"currentOp", "about operations"},
    {"describeTimeToLive", "about a rule"},
    {"dropConnections", "about connections"},
    {"endSessions", "about sessions"},
    {"fsync", "about files"},
    {"fsyncUnlock", "about files"},
    {"getClusterParameter", "about settings"},
    {"getCmdLineOpts", "about the program"},
    {"getDefaultRWConcern", "about settings"},
    {"getLog", "about the log"},
    {"getParameter", "about settings"},
    {"hello", "about the server"},
    {"hostInfo", "about the machine"},
    {"isMaster", "about the server"},
    {"killAllSessions", "about sessions"},
    {"killAllSessionsByPattern", "about sessions"},
    {"killCursors", "about cursors"},
    {"killOp", "about operations"},
    {"killSessions", "about sessions"},
    {"listCommands", "about the program"},
    {"lockInfo", "about the server"},
    {"logRotate", "about the log"},
    {"logout", "about the connection"},
    {"ping", "about nothing"},
    {"planCacheClear", "about plans"},
    {"planCacheClearFilters", "about plans"},
    {"planCacheListFilters", "about plans"},
    {"planCacheSetFilter", "about plans"},
    {"profile", "about settings"},
    {"refreshSessions", "about sessions"},
    {"replSetGetConfig", "about the server"},
    {"replSetGetStatus", "about the server"},
    {"replSetInitiate", "about the server"},
    {"replSetStepDown", "about the server"},
    {"rolesInfo", "about users"},
    {"serverStatus", "about the server; metrics.ttl counts what is removed"},
    {"setClock", "about the clock"},
    {"setClusterParameter", "about settings"},
    {"setDefaultRWConcern", "about settings"},
    {"setFeatureCompatibilityVersion", "about settings"},
    {"setIndexCommitQuorum", "about indexes"},
    {"setParameter", "about settings"},
    {"setUserWriteBlockMode", "about settings"},
    {"shutdown", "about the server"},
    {"startSession", "about sessions"},
    {"top", "about operations"},
    {"ttlResume", "about the clock"},
    {"ttlRunNow", "removes what is hidden"},
    {"ttlStatus", "where a document went is what it is asked for"},
    {"usersInfo", "about users"},
    {"validateDBMetadata", "about indexes"},
    {"whatsmyuri", "about the connection"},
};

using Probes = std::vector<Probe>;

Probes FindProbes() {
  return {
      {.command = "{find: 'c'}"},
      {.command = "{find: 'c', filter: {_id: 2}}"},
      {.command = "{find: 'c', filter: {_id: {$in: [1, 2, 3]}}}"},
      {.command = "{find: 'c', filter: {a: 1}}"},
      {.command = "{find: 'c', filter: {u: 3}}"},
      {.command = "{find: 'c', filter: {$or: [{a: 1}, {u: 5}]}}"},
      {.command =
           "{find: 'c', filter: {a: {$gt: 0}}, hint: 'ab', projection: {_id: 0, a: 1, b: 1}}"},
      {.command = "{find: 'c', hint: 'a', returnKey: true}"},
      {.command = "{find: 'c', showRecordId: true}"},
      {.command = "{find: 'c', sort: {b: 1}, limit: 3}"},
      {.command = "{find: 'c', sort: {a: -1}, skip: 1}"},
      {.command = "{find: 'c', sort: {$natural: -1}, limit: 2}"},
      {.command = "{find: 'c', filter: {$expr: {$eq: ['$ttl', 50]}}, projection: {_id: 1}}",
       .sees = false},
      {.command = "{find: 'v', filter: {a: 1}}"},
      {.command = "{find: 'e'}"},
      {.command = "{find: 'cap', tailable: true}"},
  };
}

Probes CursorProbes() {
  return {
      {.command = "{getMore: $cursor, collection: 'c'}", .before = {"{find: 'c', batchSize: 1}"}},
      {.command = "{getMore: $cursor, collection: 'c'}", .before = {"{find: 'c', batchSize: 0}"}},
      {.command = "{getMore: $cursor, collection: 'c'}",
       .before = {"{find: 'c', filter: {a: {$gte: 0}}, hint: 'a', batchSize: 1}"}},
      {.command = "{getMore: $cursor, collection: 'c'}",
       .before = {"{find: 'c', filter: {$or: [{a: {$lt: 2}}, {u: {$gt: 3}}]}, batchSize: 1}"}},
      // Sorted in memory: read before the documents expired.
      {.command = "{getMore: $cursor, collection: 'c'}",
       .before = {"{find: 'c', sort: {b: 1}, batchSize: 1}"}},
      {.command = "{getMore: $cursor, collection: 'c'}",
       .before = {"{find: 'c', sort: {b: 1}, batchSize: 1, projection: {b: 1}}"}},
      {.command = "{getMore: $cursor, collection: 'c'}",
       .before = {"{aggregate: 'c', pipeline: [{$sort: {b: 1}}], cursor: {batchSize: 1}}"}},
      {.command = "{getMore: $cursor, collection: 'c'}",
       .before =
           {"{aggregate: 'c', pipeline: [{$match: {a: {$gte: 0}}}], cursor: {batchSize: 1}}"}},
      {.command = "{getMore: $cursor, collection: 'local'}",
       .before = {"{aggregate: 'local', pipeline: [{$lookup: {from: 'c', localField: 'a', "
                  "foreignField: 'a', as: 'j'}}], cursor: {batchSize: 1}}"}},
      // A join that is the same for all documents.
      {.command = "{getMore: $cursor, collection: 'local'}",
       .before = {"{aggregate: 'local', pipeline: [{$lookup: {from: 'c', pipeline: [{$match: {a: "
                  "1}}], as: 'j'}}], cursor: {batchSize: 1}}"}},
      {.command = "{getMore: $cursor, collection: 'local'}",
       .before = {"{aggregate: 'local', pipeline: [{$graphLookup: {from: 'c', startWith: '$a', "
                  "connectFromField: 'n', connectToField: '_id', as: 'g'}}], "
                  "cursor: {batchSize: 1}}"}},
      {.command = "{getMore: $cursor, collection: 'v'}", .before = {"{find: 'v', batchSize: 1}"}},
      {.command = "{getMore: $cursor, collection: 'cap'}",
       .before = {"{find: 'cap', tailable: true, batchSize: 1}"}},
      // The place it goes on from has expired.
      {.command = "{getMore: $cursor, collection: 'cap'}",
       .before = {"{find: 'cap', tailable: true, batchSize: 3}"},
       .sees = false},
  };
}

Probes CountProbes() {
  return {
      {.command = "{count: 'c'}"},
      {.command = "{count: 'c', query: {a: 1}}"},
      {.command = "{count: 'c', hint: 'a'}"},
      {.command = "{count: 'c', skip: 1}"},
      {.command = "{count: 'c', limit: 4}"},
      {.command = "{count: 'e'}"},
      {.command = "{count: 'v'}"},
  };
}

Probes DistinctProbes() {
  return {
      {.command = "{distinct: 'c', key: 'u'}"},
      {.command = "{distinct: 'c', key: 'a', query: {b: {$lt: 4}}}"},
      {.command = "{distinct: 'v', key: 'a'}"},
  };
}

Probes AggregateProbes() {
  return {
      {.command = "{aggregate: 'c', pipeline: [], cursor: {}}"},
      {.command = "{aggregate: 'c', pipeline: [{$count: 'n'}], cursor: {}}"},
      {.command = "{aggregate: 'v', pipeline: [{$match: {a: 1}}], cursor: {}}"},
      {.command = "{aggregate: 'c', pipeline: [{$match: {a: 1}}], hint: 'ab', cursor: {}}"},
      {.command = "{aggregate: 'e', pipeline: [{$out: 'x'}], cursor: {}}"},
  };
}

Probes ExplainProbes() {
  return {
      {.command = "{explain: {find: 'c'}, verbosity: 'executionStats'}"},
      {.command = "{explain: {find: 'c', filter: {_id: 2}}, verbosity: 'executionStats'}"},
      {.command = "{explain: {find: 'c', filter: {a: {$gte: 0}}}, verbosity: 'executionStats'}"},
      {.command = "{explain: {count: 'c', query: {a: 1}}, verbosity: 'executionStats'}"},
      {.command =
           "{explain: {distinct: 'c', key: 'a', query: {a: 1}}, verbosity: 'executionStats'}"},
      {.command = "{explain: {update: 'c', updates: [{q: {a: 1}, u: {$set: {x: 1}}, multi: true}]},"
                  " verbosity: 'executionStats'}"},
      {.command = "{explain: {delete: 'c', deletes: [{q: {a: 1}, limit: 0}]}, verbosity: "
                  "'executionStats'}"},
      {.command = "{explain: {aggregate: 'c', pipeline: [{$match: {a: 1}}, {$group: {_id: '$b'}}], "
                  "cursor: {}}, verbosity: 'executionStats'}"},
  };
}

Probes InsertProbes() {
  return {
      {.command = "{insert: 'c', documents: [{_id: 2, u: 20}]}"},
      {.command = "{insert: 'c', documents: [{_id: 20, u: 2}]}"},
      {.command = "{insert: 'c', documents: [{_id: 2, u: 3}, {_id: 3, u: 5}, {_id: 5, u: 2}]}"},
      {.command = "{insert: 'c', documents: [{_id: 1, u: 30}, {_id: 2, u: 20}], ordered: false}"},
      // The oldest of a capped collection goes when it is full of what can be seen.
      {.command = "{insert: 'cap', documents: [{_id: 5}]}", .sees = false},
      {.command = "{insert: 'cap', documents: [{_id: 5}, {_id: 6}, {_id: 7}]}", .sees = false},
  };
}

Probes UpdateProbes() {
  return {
      {.command = "{update: 'c', updates: [{q: {_id: 2}, u: {$set: {x: 1}}}]}"},
      {.command = "{update: 'c', updates: [{q: {}, u: {$set: {x: 1}}, multi: true}]}"},
      {.command = "{update: 'c', updates: [{q: {a: {$gt: 0}}, u: {$inc: {a: 10}}, multi: true}]}"},
      {.command = "{update: 'c', updates: [{q: {_id: 2}, u: {$set: {u: 9}}, upsert: true}]}"},
      {.command = "{update: 'c', updates: [{q: {_id: 2}, u: {u: 9}, upsert: true}]}"},
      {.command = "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {u: 2}}}]}"},
      {.command = "{update: 'c', updates: [{q: {_id: 5}, u: [{$set: {x: '$a'}}]}]}"},
      {.command = "{update: 'c', updates: [{q: {_id: 7}, u: {$set: {u: 3}}, upsert: true}]}"},
  };
}

Probes ModifyProbes() {
  return {
      {.command = "{findAndModify: 'c', query: {_id: 2}, update: {$set: {x: 1}}}"},
      {.command = "{findAndModify: 'c', query: {_id: 2}, remove: true}"},
      {.command = "{findAndModify: 'c', query: {}, sort: {b: -1}, remove: true, fields: {_id: 1}}",
       .sees = false},
      {.command = "{findAndModify: 'c', query: {a: 1}, sort: {b: -1}, update: {$set: {x: 1}}}"},
      {.command =
           "{findAndModify: 'c', query: {_id: 2}, update: {$set: {u: 3}}, upsert: true, new: "
           "true}"},
      {.command = "{findAndModify: 'c', query: {_id: 1}, update: {$set: {u: 2}}, new: true}"},
  };
}

Probes DeleteProbes() {
  return {
      {.command = "{delete: 'c', deletes: [{q: {_id: 2}, limit: 1}]}"},
      {.command = "{delete: 'c', deletes: [{q: {a: {$gt: 0}}, limit: 0}]}"},
      {.command = "{delete: 'c', deletes: [{q: {a: 1, b: {$gt: 1}}, limit: 1}]}"},
  };
}

Probes BulkWriteProbes() {
  return {
      {.command = "{bulkWrite: 1, ops: [{update: 0, filter: {_id: 2}, updateMods: {$set: {x: 1}}},"
                  " {delete: 0, filter: {_id: 3}}, {insert: 0, document: {_id: 5, u: 3}},"
                  " {update: 0, filter: {_id: 2}, updateMods: {$set: {u: 2}}, upsert: true},"
                  " {update: 0, filter: {}, updateMods: {$set: {y: 1}}, multi: true}],"
                  " nsInfo: [{ns: 'db.c'}]}",
       .database = "admin"},
  };
}

Probes StatisticsProbes(std::string_view command) {
  if (command == "collStats") {
    return {{.command = "{collStats: 'c'}", .may_differ = kSpace},
            {.command = "{collStats: 'e'}", .may_differ = kSpace}};
  }
  if (command == "dbStats") return {{.command = "{dbStats: 1}", .may_differ = kSpace}};
  return {{.command = "{dataSize: 'db.c'}"}};
}

Probes CatalogProbes(std::string_view command) {
  if (command == "create") {
    return {{.command = "{create: 'x', viewOn: 'c', pipeline: [{$match: {a: {$gte: 1}}}]}"}};
  }
  if (command == "createIndexes") {
    return {
        {.command = "{createIndexes: 'c', indexes: [{key: {k: 1}, name: 'k', unique: true}]}"},
        {.command = "{createIndexes: 'c', indexes: [{key: {p: 1, q: 1}, name: 'pq'}]}"},
        {.command = "{createIndexes: 'c', indexes: [{key: {n: 1}, name: 'n'}]}", .sees = false},
        {.command = "{createIndexes: 'x', indexes: [{key: {n: 1}, name: 'n'}]}", .sees = false}};
  }
  if (command == "collMod") {
    return {
        {.command = "{collMod: 'c', index: {name: 'r', expireAfterSeconds: 30}}", .sees = false},
        {.command = "{collMod: 'c', validator: {a: {$gt: 0}}}", .sees = false}};
  }
  if (command == "cloneCollectionAsCapped") {
    return {{.command = "{cloneCollectionAsCapped: 'c', toCollection: 'x', size: 100000}",
             .sees = false}};
  }
  if (command == "convertToCapped") {
    return {{.command = "{convertToCapped: 'c', size: 100000}", .sees = false}};
  }
  if (command == "dbHash") {
    return {{.command = "{dbHash: 1}", .may_differ = {"uuids", "timeMillis"}}};
  }
  if (command == "updateTimeToLive") {
    return {{.command = "{updateTimeToLive: 'c', timeToLiveSpecification: {enabled: true, "
                        "attributeName: 'n'}}",
             .sees = false}};
  }
  if (command == "renameCollection") {
    return {{.command = "{renameCollection: 'db.c', to: 'db.x'}", .database = "admin"},
            {.command = "{renameCollection: 'db.local', to: 'db.c', dropTarget: true}",
             .sees = false,
             .database = "admin"}};
  }
  // What is left of the database is compared; nothing in the replies depends on documents.
  if (command == "drop") return {{.command = "{drop: 'c'}", .sees = false}};
  if (command == "dropDatabase") return {{.command = "{dropDatabase: 1}", .sees = false}};
  if (command == "dropIndexes") {
    return {{.command = "{dropIndexes: 'c', index: 'a'}", .sees = false}};
  }
  if (command == "listCollections") return {{.command = "{listCollections: 1}", .sees = false}};
  if (command == "listIndexes") return {{.command = "{listIndexes: 'c'}", .sees = false}};
  // Space again.
  return {
      {.command = "{listDatabases: 1}", .may_differ = kSpace, .sees = false, .database = "admin"}};
}

Probes ValidateProbes() {
  // One warning says how many documents wait for their removal, as it is about the store.
  return {{.command = "{validate: 'c'}", .may_differ = {"warnings"}},
          {.command = "{validate: 'c', full: true}", .may_differ = {"warnings"}}};
}

std::map<std::string_view, Probes> AllProbes() {
  std::map<std::string_view, Probes> probes = {
      {"aggregate", AggregateProbes()}, {"bulkWrite", BulkWriteProbes()},
      {"count", CountProbes()},         {"delete", DeleteProbes()},
      {"distinct", DistinctProbes()},   {"explain", ExplainProbes()},
      {"find", FindProbes()},           {"findAndModify", ModifyProbes()},
      {"getMore", CursorProbes()},      {"insert", InsertProbes()},
      {"update", UpdateProbes()},       {"validate", ValidateProbes()},
  };
  for (const std::string_view command : {"collStats", "dbStats", "dataSize"}) {
    probes[command] = StatisticsProbes(command);
  }
  for (const std::string_view command :
       {"create", "createIndexes", "collMod", "renameCollection", "drop", "dropDatabase",
        "dropIndexes", "listCollections", "listIndexes", "listDatabases", "updateTimeToLive",
        "cloneCollectionAsCapped", "convertToCapped", "dbHash"}) {
    probes[command] = CatalogProbes(command);
  }
  return probes;
}

TEST(HiddenFromCommandsTest, EveryCommandIsInTheTable) {
  const Registry registry;
  const auto probes = AllProbes();
  std::set<std::string_view> listed;
  for (const Exempt& exempt : kExempt) listed.insert(exempt.command);
  for (const auto& [command, list] : probes) {
    EXPECT_TRUE(listed.insert(command).second) << command << " is listed twice";
    EXPECT_FALSE(list.empty()) << command;
  }
  for (const CommandRow* row : registry.rows()) {
    const bool answers_an_error = (row->flags & kUnsupported) != 0;
    if (answers_an_error) continue;
    EXPECT_TRUE(listed.erase(row->name) > 0)
        << row->name << ": say how it treats documents that have expired and are not removed yet";
  }
  for (const std::string_view command : listed) ADD_FAILURE() << command << " is no command";
}

class HiddenFromCommandTest : public testing::TestWithParam<std::string_view> {};

TEST_P(HiddenFromCommandTest, HiddenDocumentsAreAsIfRemoved) {
  const auto probes = AllProbes();
  for (const Probe& probe : probes.at(GetParam())) test::HiddenComparison::Check(probe);
}

std::vector<std::string_view> CommandsWithProbes() {
  std::vector<std::string_view> commands;
  for (const auto& [command, list] : AllProbes()) commands.push_back(command);
  return commands;
}

INSTANTIATE_TEST_SUITE_P(Commands, HiddenFromCommandTest, testing::ValuesIn(CommandsWithProbes()),
                         [](const auto& info) { return std::string(info.param); });

// A document that was read for a batch into which it did not fit waits for the next one.
TEST(HiddenFromCursorsTest, ADocumentThatWaitsForTheNextBatchMayExpire) {
  test::TestServer server;
  server.Run("db",
             "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: -1}]}");
  const std::string big(6 << 20, 'x');
  for (const int id : {1, 2, 3}) {
    server.Run("db", base::StrCat("{insert: 'c', documents: [{_id: ", id,
                                  ", ttl: ", id == 3 ? 50 : -1, ", s: '", big, "'}]}"));
  }
  const bson::Document first = server.Run("db", "{find: 'c', batchSize: 100}");
  const bson::View cursor = first.view().Find("cursor").AsDocument();
  ASSERT_EQ(cursor.Find("firstBatch").AsDocument().Count(), 2);
  server.clock().AdvanceMs(60'000);
  const bson::Document second =
      server.Run("db", base::StrCat("{getMore: {$numberLong: '", cursor.Find("id").AsInt64(),
                                    "'}, collection: 'c'}"));
  const bson::View rest = second.view().Find("cursor").AsDocument();
  EXPECT_TRUE(rest.Find("nextBatch").AsDocument().empty());
  EXPECT_EQ(rest.Find("id").AsInt64(), 0);
}

}  // namespace
}  // namespace mayfly::commands
