// Connections, documents, cursors, bulk writes, sessions.
#include <cstdlib>
#include <sstream>

#include "tests/drivers/c/harness.h"

namespace mayfly::drivers {
namespace {

void Connect(Context&) {
  const char* spellings = std::getenv("MAYFLY_URIS");
  True(spellings != nullptr, "MAYFLY_URIS is not set");
  std::istringstream uris(spellings);
  for (std::string uri; std::getline(uris, uri);) {
    Context other(uri.c_str());
    Equal(Number(other.Run("{'ping': 1}", "admin").get(), "ok"), 1);
    Document hello = other.Run("{'hello': 1}", "admin");
    Equal(Number(hello.get(), "isWritablePrimary"), 1);
    True(Text(hello.get()).find("\"setName\" : \"globaldb\"") != std::string::npos, "setName");
  }
}

std::string Documents(int count, int modulus, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += (i ? ", {'_id': " : "{'_id': ") + std::to_string(i) +
           ", 'n': " + std::to_string(i % modulus) + ", 'text': '" + text + "'}";
  }
  return "[" + all + "]";
}

void Restart(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("restart");
  context.Run(
      "{'createIndexes': 'restart', 'indexes': [{'key': {'n': 1}, 'name': 'n_1', 'unique': "
      "true}]}");
  context.CreateTtlIndex("restart", "100");
  Equal(Insert(collection.get(), Documents(500, 500, std::string(100, 'x'))), "[]");
  RestartServer();
  Equal(Count(collection.get()), 500);
  Equal(static_cast<double>(FindAll(collection.get(), "{'n': 499}", "{}").size()), 1);
  Document list = context.Run("{'listIndexes': 'restart'}");
  Equal(Number(list.get(), "cursor.firstBatch.0.key._id"), 1);
  Equal(Number(list.get(), "cursor.firstBatch.1.key.n"), 1);
  Equal(Number(list.get(), "cursor.firstBatch.2.expireAfterSeconds"), 100);
  Equal(Insert(collection.get(), "[{'_id': 500, 'n': 7}]"), "[0:11000]");
  Equal(Insert(collection.get(), "[{'_id': 500, 'n': 500}]"), "[]");
  Equal(Count(collection.get()), 501);
  context.Advance(101);
  Equal(Count(collection.get()), 0);
}

void Cursor(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("cursor");
  Equal(Insert(collection.get(), Documents(1000, 10, "some text")), "[]");
  const int before = context.sent("getMore");
  std::vector<std::string> found =
      FindAll(collection.get(), "{}", "{'sort': {'_id': 1}, 'batchSize': 100}");
  Equal(static_cast<double>(found.size()), 1000);
  Equal(found[999], "{ \"_id\" : 999, \"n\" : 9, \"text\" : \"some text\" }");
  const int batches = context.sent("getMore") - before;
  True(batches == 9 || batches == 10, std::to_string(batches) + " getMore");
  found = FindAll(
      collection.get(), "{'n': {'$gte': 8}}",
      "{'sort': {'_id': -1}, 'skip': 1, 'limit': 50, 'batchSize': 7, 'projection': {'_id': 1}}");
  Equal(static_cast<double>(found.size()), 50);
  Equal(found[0], "{ \"_id\" : 998 }");
  Document sums = context.Run(
      "{'aggregate': 'cursor', 'pipeline': [{'$match': {'n': {'$lt': 3}}},"
      " {'$group': {'_id': '$n', 'n': {'$sum': 1}}}, {'$sort': {'_id': 1}}], 'cursor': {}}");
  Equal(Number(sums.get(), "cursor.firstBatch.2._id"), 2);
  Equal(Number(sums.get(), "cursor.firstBatch.2.n"), 100);
  {
    Document everything = Parse("{}");
    Document options = Parse("{'batchSize': 10}");
    Owned<mongoc_cursor_t> left(mongoc_collection_find_with_opts(collection.get(), everything.get(),
                                                                 options.get(), nullptr));
    const bson_t* document = nullptr;
    True(mongoc_cursor_next(left.get(), &document), "no document");
  }
  Document update = context.Run(
      "{'update': 'cursor', 'updates': [{'q': {'n': 3}, 'u': {'$inc': {'n': 100}}, 'multi': true},"
      " {'q': {'_id': 0}, 'u': {'text': 'new'}}]}");
  Equal(Number(update.get(), "nModified"), 101);
  Equal(FindAll(collection.get(), "{'_id': 0}", "{}").at(0), "{ \"_id\" : 0, \"text\" : \"new\" }");
  Document remove = context.Run("{'delete': 'cursor', 'deletes': [{'q': {'n': 103}, 'limit': 0}]}");
  Equal(Number(remove.get(), "n"), 100);
  Equal(Count(collection.get()), 900);
}

void BulkOrdered(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("bulk_ordered");
  Equal(Insert(collection.get(), "[{'_id': 1}, {'_id': 2}, {'_id': 1}, {'_id': 3}]"), "[2:11000]");
  Equal(Ids(collection.get()), "[1 2]");
  Owned<mongoc_bulk_operation_t> bulk(
      mongoc_collection_create_bulk_operation_with_opts(collection.get(), nullptr));
  mongoc_bulk_operation_insert(bulk.get(), Parse("{'_id': 3, 'n': 1}").get());
  mongoc_bulk_operation_update_one(bulk.get(), Parse("{'_id': 3}").get(),
                                   Parse("{'$inc': {'n': 1}}").get(), false);
  mongoc_bulk_operation_replace_one(bulk.get(), Parse("{'_id': 4}").get(), Parse("{'n': 9}").get(),
                                    true);
  mongoc_bulk_operation_remove_one(bulk.get(), Parse("{'_id': 1}").get());
  bson_t reply;
  bson_error_t error;
  const bool ok = mongoc_bulk_operation_execute(bulk.get(), &reply, &error) != 0;
  Document copy(bson_copy(&reply));
  bson_destroy(&reply);
  True(ok, error.message);
  for (const char* field : {"nInserted", "nMatched", "nModified", "nRemoved", "nUpserted"}) {
    Equal(Number(copy.get(), field), 1);
  }
  Equal(Number(copy.get(), "upserted.0.index"), 2);
  Equal(Number(copy.get(), "upserted.0._id"), 4);
}

void BulkUnordered(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("bulk_unordered");
  Equal(Insert(collection.get(),
               "[{'_id': 1}, {'_id': 2}, {'_id': 1}, {'_id': 3}, {'_id': 2}, {'_id': 4}]", false),
        "[2:11000 4:11000]");
  Equal(Ids(collection.get()), "[1 2 3 4]");
}

// findAndModify by the driver's helper; the reply's `value` as text, "null" for none.
std::string Modify(mongoc_collection_t* collection, const std::string& filter,
                   const std::string& update, int flags) {
  Owned<mongoc_find_and_modify_opts_t> opts(mongoc_find_and_modify_opts_new());
  mongoc_find_and_modify_opts_set_flags(opts.get(),
                                        static_cast<mongoc_find_and_modify_flags_t>(flags));
  if ((flags & MONGOC_FIND_AND_MODIFY_REMOVE) == 0) {
    mongoc_find_and_modify_opts_set_update(opts.get(), Parse(update).get());
  }
  mongoc_find_and_modify_opts_set_sort(opts.get(), Parse("{'n': -1}").get());
  bson_t reply;
  bson_error_t error;
  const bool ok = mongoc_collection_find_and_modify_with_opts(collection, Parse(filter).get(),
                                                              opts.get(), &reply, &error);
  Document copy(bson_copy(&reply));
  bson_destroy(&reply);
  True(ok, error.message);
  bson_iter_t iter;
  if (!bson_iter_init_find(&iter, copy.get(), "value") || !BSON_ITER_HOLDS_DOCUMENT(&iter))
    return "null";
  const uint8_t* data = nullptr;
  uint32_t size = 0;
  bson_iter_document(&iter, &size, &data);
  return Text(Document(bson_new_from_data(data, size)).get());
}

void FindAndModify(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("modify");
  Equal(Insert(collection.get(), "[{'_id': 1, 'n': 1}]"), "[]");
  const std::string increment = "{'$inc': {'n': 1}}";
  const int after = MONGOC_FIND_AND_MODIFY_RETURN_NEW | MONGOC_FIND_AND_MODIFY_UPSERT;
  Equal(Modify(collection.get(), "{'_id': 1}", increment, 0), "{ \"_id\" : 1, \"n\" : 1 }");
  Equal(Modify(collection.get(), "{'_id': 1}", increment, after), "{ \"_id\" : 1, \"n\" : 3 }");
  Equal(Modify(collection.get(), "{'_id': 2}", increment, after), "{ \"_id\" : 2, \"n\" : 1 }");
  Equal(Modify(collection.get(), "{'_id': 2}", "{'n': 7}", 0), "{ \"_id\" : 2, \"n\" : 1 }");
  Equal(Modify(collection.get(), "{}", "", MONGOC_FIND_AND_MODIFY_REMOVE),
        "{ \"_id\" : 2, \"n\" : 7 }");
  Equal(Modify(collection.get(), "{'_id': 9}", "", MONGOC_FIND_AND_MODIFY_REMOVE), "null");
}

void UniqueIndex(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("unique");
  Equal(Insert(collection.get(), "[{'_id': 1, 'mail': 'a'}, {'_id': 2, 'mail': 'b'}]"), "[]");
  context.Run(
      "{'createIndexes': 'unique', 'indexes': [{'key': {'mail': 1}, 'name': 'mail_1', 'unique': "
      "true}]}");
  Equal(Insert(collection.get(), "[{'_id': 3, 'mail': 'a'}]"), "[0:11000]");
  Document reply = context.Run("{'insert': 'unique', 'documents': [{'_id': 3, 'mail': 'b'}]}");
  Equal(Number(reply.get(), "writeErrors.0.code"), 11000);
  Equal(Number(reply.get(), "writeErrors.0.keyPattern.mail"), 1);
  reply = context.Run(
      "{'update': 'unique', 'updates': [{'q': {'_id': 2}, 'u': {'$set': {'mail': 'a'}}}]}");
  Equal(Number(reply.get(), "writeErrors.0.code"), 11000);
  Equal(Insert(collection.get(),
               "[{'_id': 3, 'mail': 'c', 'kind': 1}, {'_id': 4, 'mail': 'd', 'kind': 1}]"),
        "[]");
  context.RunFails(11000,
                   "{'createIndexes': 'unique', 'indexes': [{'key': {'kind': 1}, 'name': 'kind_1', "
                   "'unique': true}]}");
  Equal(Number(context.Run("{'listIndexes': 'unique'}").get(), "cursor.firstBatch.2.v"), -99);
}

Owned<mongoc_client_session_t> StartSession(Context& context) {
  bson_error_t error;
  Owned<mongoc_client_session_t> session(
      mongoc_client_start_session(context.client(), nullptr, &error));
  True(session != nullptr, error.message);
  return session;
}

void Session(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("session");
  Owned<mongoc_client_session_t> session = StartSession(context);
  Document opts(bson_new());
  bson_error_t error;
  True(mongoc_client_session_append(session.get(), opts.get(), &error), error.message);
  True(mongoc_collection_insert_one(collection.get(), Parse("{'_id': 1}").get(), opts.get(),
                                    nullptr, &error),
       error.message);
  Equal(static_cast<double>(mongoc_collection_count_documents(
            collection.get(), Parse("{}").get(), opts.get(), nullptr, nullptr, &error)),
        1);
  uint32_t timestamp = 0;
  uint32_t increment = 0;
  mongoc_client_session_get_operation_time(session.get(), &timestamp, &increment);
  True(timestamp != 0, "the replies had no operationTime");
}

void RetryableWrite(Context& context) {
  Owned<mongoc_collection_t> collection = context.Fresh("retryable");
  Equal(Insert(collection.get(), "[{'_id': 1, 'n': 0}]"), "[]");
  True(context.last_had_txn_number(), "the driver did not send the write as a retryable one");
  Owned<mongoc_client_session_t> session = StartSession(context);
  Document opts(bson_new());
  bson_error_t error;
  True(mongoc_client_session_append(session.get(), opts.get(), &error), error.message);
  Document command = Parse(
      "{'update': 'retryable', 'updates': [{'q': {'_id': 1}, 'u': {'$inc': {'n': 1}}}],"
      " 'txnNumber': {'$numberLong': '1000'}}");
  for (int i = 0; i < 2; ++i) {
    Reply reply = context.TryRun(command.get(), "drivers", opts.get());
    True(reply.code == 0, reply.message);
    Equal(Number(reply.document.get(), "nModified"), 1);
  }
  Equal(FindAll(collection.get(), "{}", "{}").at(0), "{ \"_id\" : 1, \"n\" : 1 }");
}

}  // namespace

std::vector<Scenario> FirstScenarios() { return {{"connect", Connect}, {"restart", Restart}}; }

std::vector<Scenario> CrudScenarios() {
  return {
      {"crud_cursor", Cursor},
      {"bulk_ordered", BulkOrdered},
      {"bulk_unordered", BulkUnordered},
      {"find_and_modify", FindAndModify},
      {"unique_index", UniqueIndex},
      {"session", Session},
      {"retryable_write", RetryableWrite},
  };
}

}  // namespace mayfly::drivers
