// One document at a time: ping, find, insert, update, findAndModify, delete.
#include "tools/bench/echo.h"
#include "tools/bench/mongo.h"
#include "tools/bench/raw_clients.h"

namespace mayfly::bench {
namespace {

// What most clients need: a connection, a collection and random numbers of their own.
struct State {
  mongoc_client_t* connection;
  Collection collection;
  std::mt19937_64 random;
  int64_t records;
  int64_t next_id;
};

State MakeState(const ClientArguments& arguments, const char* name) {
  return State{.connection = arguments.connection,
               .collection = GetCollection(arguments.connection, name),
               .random = std::mt19937_64(static_cast<uint64_t>(arguments.number) + 1),
               .records = arguments.scale.records,
               .next_id = (arguments.number + 1) * 1'000'000'000LL};
}

Document ById(State& state) {
  Document filter;
  bson_append_int64(filter.get(), "_id", 3,
                    static_cast<int64_t>(state.random() % static_cast<uint64_t>(state.records)));
  return filter;
}

absl::StatusOr<int64_t> Ping(State& state) {
  Document command;
  bson_append_int32(command.get(), "ping", 4, 1);
  MAYFLY_RETURN_IF_ERROR(RunCommand(state.connection, command.get(), "admin"));
  return 1;
}

absl::StatusOr<int64_t> FindOne(State& state) {
  Document filter = ById(state);
  Document options;
  bson_append_int64(options.get(), "limit", 5, 1);
  bson_append_bool(options.get(), "singleBatch", 11, true);
  MAYFLY_ASSIGN_OR_RETURN(const int64_t found,
                          Drain(mongoc_collection_find_with_opts(
                              state.collection.get(), filter.get(), options.get(), nullptr)));
  if (found != 1) return base::Error(base::ErrorCode::kInternalError, "the document is not found");
  return 1;
}

absl::StatusOr<int64_t> InsertOne(State& state) {
  Document document = SmallDocument(state.random, state.next_id++);
  bson_error_t error;
  if (!mongoc_collection_insert_one(state.collection.get(), document.get(), nullptr, nullptr,
                                    &error)) {
    return FromError(error, "insertOne");
  }
  return 1;
}

absl::StatusOr<int64_t> UpdateOne(State& state) {
  static const Document* const increment = new Document(Json("{'$inc': {'n': 1}}"));
  Document filter = ById(state);
  bson_error_t error;
  if (!mongoc_collection_update_one(state.collection.get(), filter.get(), increment->get(), nullptr,
                                    nullptr, &error)) {
    return FromError(error, "updateOne");
  }
  return 1;
}

absl::StatusOr<int64_t> FindAndModify(State& state) {
  static const Document* const increment = new Document(Json("{'$inc': {'n': 1}}"));
  Document filter = ById(state);
  Document command;
  bson_append_utf8(command.get(), "findAndModify", -1, "single", -1);
  bson_append_document(command.get(), "query", -1, filter.get());
  bson_append_document(command.get(), "update", -1, increment->get());
  bson_append_bool(command.get(), "new", -1, true);
  MAYFLY_RETURN_IF_ERROR(RunCommand(state.connection, command.get()));
  return 1;
}

// An insert and the delete of the same document, so that the collection keeps its size.
absl::StatusOr<int64_t> InsertAndDelete(State& state) {
  Document filter;
  bson_append_int64(filter.get(), "_id", 3, state.next_id);
  MAYFLY_RETURN_IF_ERROR(InsertOne(state).status());
  bson_error_t error;
  if (!mongoc_collection_delete_one(state.collection.get(), filter.get(), nullptr, nullptr,
                                    &error)) {
    return FromError(error, "deleteOne");
  }
  return 2;
}

absl::StatusOr<int64_t> InsertItem(State& state) {
  Document document = ItemDocument(state.random, state.next_id++);
  bson_error_t error;
  if (!mongoc_collection_insert_one(state.collection.get(), document.get(), nullptr, nullptr,
                                    &error)) {
    return FromError(error, "insertOne");
  }
  return 1;
}

// A fifth inserts, the others look for the client's own latest documents.
absl::StatusOr<int64_t> InsertOrFind(State& state) {
  if (state.random() % 5 == 0) return InsertItem(state);
  Document filter;
  bson_append_int64(filter.get(), "_id", 3,
                    state.next_id - 1 - static_cast<int64_t>(state.random() % 100));
  return Drain(
      mongoc_collection_find_with_opts(state.collection.get(), filter.get(), nullptr, nullptr));
}

absl::Status PrepareNothing(const ClientArguments&) { return absl::OkStatus(); }

absl::Status PrepareSingle(const ClientArguments& arguments) {
  return Fill(arguments.connection, "single", "", arguments.scale.records, ItemDocument);
}

absl::Status PrepareIndexedInserts(const ClientArguments& arguments) {
  return Fill(arguments.connection, "indexed_inserts",
              "{'key': {'user': 1}, 'name': 'user'}, {'key': {'score': 1}, 'name': 'score'},"
              " {'key': {'createdAt': 1}, 'name': 'createdAt'}",
              0, ItemDocument);
}

absl::Status PrepareOneIndexedInserts(const ClientArguments& arguments) {
  return Fill(arguments.connection, "indexed_inserts", "{'key': {'user': 1}, 'name': 'user'}", 0,
              ItemDocument);
}

// Documents of the last ten seconds, by the rule of the last write.
absl::Status PrepareExpiring(const ClientArguments& arguments) {
  return Fill(arguments.connection, "expiring",
              "{'key': {'_ts': 1}, 'name': 'ttl', 'expireAfterSeconds': 10}",
              arguments.scale.records, ItemDocument);
}

absl::Status PrepareInserts(const ClientArguments& arguments) {
  return Drop(arguments.connection, "inserts");
}

template <FunctionClient<State>::Function kFunction>
std::unique_ptr<Client> OnSingle(const ClientArguments& arguments) {
  return MakeClient(MakeState(arguments, "single"), kFunction);
}

template <FunctionClient<State>::Function kFunction>
std::unique_ptr<Client> OnInserts(const ClientArguments& arguments) {
  return MakeClient(MakeState(arguments, "inserts"), kFunction);
}

std::unique_ptr<Client> OnIndexedInserts(const ClientArguments& arguments) {
  return MakeClient(MakeState(arguments, "indexed_inserts"), InsertItem);
}

std::unique_ptr<Client> OnExpiring(const ClientArguments& arguments) {
  return MakeClient(MakeState(arguments, "expiring"), InsertOrFind);
}

std::unique_ptr<Client> OnJournaledInserts(const ClientArguments& arguments) {
  State state = MakeState(arguments, "inserts");
  mongoc_write_concern_t* concern = mongoc_write_concern_new();
  mongoc_write_concern_set_w(concern, 1);
  mongoc_write_concern_set_journal(concern, true);
  mongoc_collection_set_write_concern(state.collection.get(), concern);
  mongoc_write_concern_destroy(concern);
  return MakeClient(std::move(state), InsertOne);
}

}  // namespace

std::vector<Workload> SingleWorkloads() {
  return {
      {.name = "ping",
       .help = "the ceiling of any request through this client",
       .clients = {1, 16, 64},
       .prepare = PrepareNothing,
       .start = OnSingle<Ping>,
       .raw_prepare = RawNothing,
       .raw_start = RawEcho},
      {.name = "find_one_by_id",
       .help = "a 300-byte document by its _id",
       .clients = {1, 16, 64},
       .prepare = PrepareSingle,
       .dataset = "single",
       .start = OnSingle<FindOne>,
       .raw_prepare = RawFillRecords,
       .raw_start = RawFindOne},
      {.name = "insert_one",
       .help = "275 bytes, w:1",
       .clients = {1, 16, 64},
       .prepare = PrepareInserts,
       .start = OnInserts<InsertOne>,
       .raw_prepare = RawClear,
       .raw_start = RawInsertOne},
      {.name = "insert_one_journaled",
       .help = "275 bytes, j:true",
       .clients = {1, 64},
       .prepare = PrepareInserts,
       .start = OnJournaledInserts,
       .raw_prepare = RawClearSynced,
       .raw_start = RawInsertOne},
      {.name = "insert_one_1_index",
       .help = "300 bytes, one secondary index of random values",
       .clients = {1, 16},
       .prepare = PrepareOneIndexedInserts,
       .start = OnIndexedInserts},
      {.name = "insert_one_3_indexes",
       .help = "300 bytes, three secondary indexes",
       .clients = {1, 16},
       .prepare = PrepareIndexedInserts,
       .start = OnIndexedInserts},
      {.name = "expiring",
       .help = "80 % reads, 20 % inserts of documents that live ten seconds",
       .clients = {1, 16},
       .prepare = PrepareExpiring,
       .start = OnExpiring},
      {.name = "update_one_by_id",
       .help = "$inc of one field by _id",
       .clients = {1, 16, 64},
       .prepare = PrepareSingle,
       .dataset = "single",
       .start = OnSingle<UpdateOne>},
      {.name = "find_and_modify",
       .help = "$inc of one field by _id, returning the new document",
       .clients = {1, 16},
       .prepare = PrepareSingle,
       .dataset = "single",
       .start = OnSingle<FindAndModify>},
      {.name = "insert_and_delete_one",
       .help = "275 bytes in and out again by _id, two documents an operation",
       .clients = {1, 16},
       .prepare = PrepareInserts,
       .start = OnInserts<InsertAndDelete>},
  };
}

}  // namespace mayfly::bench
