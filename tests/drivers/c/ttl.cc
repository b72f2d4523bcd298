// Expiry by last write, as a user of Cosmos DB's API for MongoDB writes it.
#include "tests/drivers/c/harness.h"

namespace mayfly::drivers {
namespace {

void IndexReply(Context& context) {
  context.Fresh("reply");
  const std::string create =
      "{'createIndexes': 'reply', 'indexes': [{'key': {'_ts': 1}, 'name': '_ts_1', "
      "'expireAfterSeconds': ";
  Document first = context.Run(create + "10}]}");
  Equal(Number(first.get(), "numIndexesBefore"), 1);
  Equal(Number(first.get(), "numIndexesAfter"), 2);
  Equal(Number(first.get(), "createdCollectionAutomatically"), 1);
  Equal(Number(first.get(), "ok"), 1);
  Document again = context.Run(create + "10}]}");
  Equal(Number(again.get(), "numIndexesBefore"), 2);
  Equal(Number(again.get(), "numIndexesAfter"), 2);
  True(Text(again.get()).find("all indexes already exist") != std::string::npos, "no note");
  context.RunFails(85, create + "11}]}");
}

void IndexValues(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("values");
  const std::string create = "{'createIndexes': 'values', 'indexes': [{'name': '_ts_1', 'key': ";
  for (const char* value :
       {"0", "-2", "2147483648", "{'$numberDouble': 'NaN'}", "{'$numberDouble': 'Infinity'}"}) {
    context.RunFails(67, create + "{'_ts': 1}, 'expireAfterSeconds': " + value + "}]}");
  }
  context.RunFails(67, create + "{'_ts': 1, 'a': 1}, 'expireAfterSeconds': 10}]}");
  const std::vector<std::pair<const char*, double>> valid = {
      {"-1", -1}, {"1", 1}, {"3.9", 3}, {"{'$numberLong': '2147483647'}", 2147483647}};
  for (const auto& [value, shown] : valid) {
    context.CreateTtlIndex("values", value);
    Document list = context.Run("{'listIndexes': 'values'}");
    Equal(Number(list.get(), "cursor.firstBatch.1.key._ts"), 1);
    Equal(Number(list.get(), "cursor.firstBatch.1.expireAfterSeconds"), shown);
    bson_error_t error;
    True(mongoc_collection_drop_index(collection.get(), "_ts_1", &error), "dropIndex");
  }
}

void ValidDocuments(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("valid");
  context.CreateTtlIndex("valid", "1000");
  Equal(Insert(collection.get(),
               "[{'_id': 1, 'location': 'Paris', 'ttl': 20.0}, {'_id': 2, 'location': 'Paris', "
               "'ttl': 20},"
               " {'_id': 3, 'location': 'Paris', 'ttl': {'$numberLong': '20'}}]"),
        "[]");
  context.Advance(10);
  Equal(Ids(collection.get()), "[1 2 3]");
  context.Advance(10);
  Equal(Ids(collection.get()), "[]");
  Equal(Count(collection.get()), 0);
}

void InvalidDocuments(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("invalid");
  context.CreateTtlIndex("invalid", "60");
  Equal(Insert(collection.get(),
               "[{'_id': 1, 'location': 'Paris', 'ttl': 20.5},"
               " {'_id': 2, 'location': 'Paris', 'ttl': {'$numberLong': '2147483649'}}]"),
        "[]");
  context.Advance(30);
  Equal(Ids(collection.get()), "[1 2]");
  context.Advance(30);
  Equal(Ids(collection.get()), "[]");
}

void Table(Context& context) {
  Owned<mongoc_collection_t> off = context.Fresh("table_off");
  Owned<mongoc_collection_t> never = context.Fresh("table_never");
  Owned<mongoc_collection_t> seconds = context.Fresh("table_seconds");
  context.CreateTtlIndex("table_never", "-1");
  context.CreateTtlIndex("table_seconds", "40");
  for (mongoc_collection_t* collection : {off.get(), never.get(), seconds.get()}) {
    Equal(Insert(collection,
                 "[{'_id': 'absent'}, {'_id': 'never', 'ttl': -1}, {'_id': 'twenty', 'ttl': 20}]"),
          "[]");
  }
  const std::string every = "['absent' 'never' 'twenty']";
  const std::string two = "['absent' 'never']";
  const std::string one = "['never']";
  struct Moment {
    int after;
    std::string never;
    std::string seconds;
  };
  for (const Moment& moment : {Moment{.after = 10, .never = every, .seconds = every},
                               Moment{.after = 15, .never = two, .seconds = two},
                               Moment{.after = 20, .never = two, .seconds = one},
                               Moment{.after = 3600, .never = two, .seconds = one}}) {
    context.Advance(moment.after);
    Equal(Ids(off.get()), every);
    Equal(Ids(never.get()), moment.never);
    Equal(Ids(seconds.get()), moment.seconds);
  }
}

void ChangeRule(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("change");
  context.CreateTtlIndex("change", "20");
  const std::string change =
      "{'collMod': 'change', 'index': {'keyPattern': {'_ts': 1}, 'expireAfterSeconds': ";
  context.WithoutRemoval([&] {
    Equal(Insert(collection.get(), "[{'_id': 1}]"), "[]");
    context.Advance(30);
    Equal(Count(collection.get()), 0);
    Document reply = context.Run(change + "1000}}");
    Equal(Number(reply.get(), "expireAfterSeconds_old"), 20);
    Equal(Number(reply.get(), "expireAfterSeconds_new"), 1000);
    Equal(Count(collection.get()), 1);
    context.Run(change + "25}}");
    Equal(Count(collection.get()), 0);
    context.Run(change + "-1}}");
    Equal(Count(collection.get()), 1);
  });
}

void DropRule(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("drop");
  context.CreateTtlIndex("drop", "20");
  context.WithoutRemoval([&] {
    Equal(Insert(collection.get(), "[{'_id': 1}, {'_id': 2, 'ttl': 5}]"), "[]");
    context.Advance(30);
    Equal(Ids(collection.get()), "[]");
    Document reply = context.Run("{'dropIndexes': 'drop', 'index': '_ts_1'}");
    Equal(Number(reply.get(), "nIndexesWas"), 2);
    Equal(Ids(collection.get()), "[1 2]");
  });
}

void Reads(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("reads");
  context.CreateTtlIndex("reads", "20");
  Equal(
      Insert(collection.get(),
             "[{'_id': 1}, {'_id': 2}, {'_id': 3}, {'_id': 4, 'ttl': -1}, {'_id': 5, 'ttl': -1}]"),
      "[]");
  context.Advance(30);
  Equal(Ids(collection.get()), "[4 5]");
  Equal(static_cast<double>(FindAll(collection.get(), "{'_id': 1}", "{}").size()), 0);
  Equal(Number(context.Run("{'count': 'reads'}").get(), "n"), 2);
  Equal(Number(context.Run("{'count': 'reads', 'query': {'_id': {'$lt': 5}}}").get(), "n"), 1);
  Equal(Count(collection.get()), 2);
  bson_error_t error;
  Equal(static_cast<double>(mongoc_collection_estimated_document_count(collection.get(), nullptr,
                                                                       nullptr, nullptr, &error)),
        2);
  Document distinct = context.Run("{'distinct': 'reads', 'key': '_id'}");
  Equal(Number(distinct.get(), "values.0"), 4);
  Equal(Number(distinct.get(), "values.2"), -99);
  Document groups = context.Run(
      "{'aggregate': 'reads', 'pipeline': [{'$group': {'_id': null, 'n': {'$sum': 1}}}], 'cursor': "
      "{}}");
  Equal(Number(groups.get(), "cursor.firstBatch.0.n"), 2);
  Document update =
      context.Run("{'update': 'reads', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'a': 1}}}]}");
  Equal(Number(update.get(), "n"), 0);
  Document remove = context.Run("{'delete': 'reads', 'deletes': [{'q': {'_id': 2}, 'limit': 1}]}");
  Equal(Number(remove.get(), "n"), 0);
  Document upsert = context.Run(
      "{'update': 'reads', 'updates': [{'q': {'_id': 3}, 'u': {'$set': {'a': 1}}, 'upsert': "
      "true}]}");
  Equal(Number(upsert.get(), "upserted.0._id"), 3);
  Equal(Insert(collection.get(), "[{'_id': 1}]"), "[]");
  Equal(Ids(collection.get()), "[1 3 4 5]");
}

double Removed(Context& context) {
  return Number(context.Run("{'serverStatus': 1}", "admin").get(), "metrics.ttl.deletedDocuments");
}

void Removal(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("removal");
  context.CreateTtlIndex("removal", "20");
  for (int i = 0; i < 50; ++i) {
    Equal(Insert(collection.get(), "[{'_id': " + std::to_string(i) + "}]"), "[]");
  }
  const double before = Removed(context);
  True(before >= 0, "no metrics.ttl.deletedDocuments");
  context.Advance(30);
  True(Number(context.Run("{'ttlRunNow': 1}", "admin").get(), "removed") >= 0, "no removed");
  Equal(Count(collection.get()), 0);
  True(Removed(context) >= before + 50, "metrics.ttl.deletedDocuments did not count them");
}

}  // namespace

std::vector<Scenario> TtlScenarios() {
  return {
      {"ttl_index_reply", IndexReply},
      {"ttl_index_values", IndexValues},
      {"ttl_valid_documents", ValidDocuments},
      {"ttl_invalid_documents", InvalidDocuments},
      {"ttl_table", Table},
      {"ttl_change_rule", ChangeRule},
      {"ttl_drop_rule", DropRule},
      {"ttl_reads", Reads},
      {"ttl_removal", Removal},
  };
}

}  // namespace mayfly::drivers
