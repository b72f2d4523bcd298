// Many documents in one request: insertMany without and with secondary indexes, reading a
// collection, deleting by filter.
#include "tools/bench/mongo.h"
#include "tools/bench/raw_clients.h"

namespace mayfly::bench {
namespace {

constexpr int64_t kBatch = 1000;
constexpr int64_t kTweets = 10'000;
constexpr char kThreeIndexes[] =
    "{'key': {'user': 1}, 'name': 'user'}, {'key': {'score': 1}, 'name': 'score'},"
    " {'key': {'createdAt': 1}, 'name': 'createdAt'}";

struct State {
  Collection collection;
  std::mt19937_64 random;
  int64_t next_id;
  int64_t documents;
};

State MakeState(const ClientArguments& arguments, const char* name) {
  return State{.collection = GetCollection(arguments.connection, name),
               .random = std::mt19937_64(static_cast<uint64_t>(arguments.number) + 1),
               .next_id = (arguments.number + 1) * 1'000'000'000LL,
               .documents = arguments.scale.documents};
}

absl::StatusOr<int64_t> InsertMany(State& state) {
  std::vector<Document> documents;
  std::vector<const bson_t*> pointers;
  documents.reserve(kBatch);
  for (int64_t i = 0; i < kBatch; ++i)
    documents.push_back(ItemDocument(state.random, state.next_id++));
  for (Document& document : documents) pointers.push_back(document.get());
  bson_error_t error;
  if (!mongoc_collection_insert_many(state.collection.get(), pointers.data(), pointers.size(),
                                     nullptr, nullptr, &error)) {
    return FromError(error, "insertMany");
  }
  return kBatch;
}

absl::StatusOr<int64_t> FindMany(State& state) {
  Document everything;
  return Drain(
      mongoc_collection_find_with_opts(state.collection.get(), everything.get(), nullptr, nullptr));
}

absl::StatusOr<int64_t> DeleteMany(State& state) {
  Document filter = Json("{'kind': {'$gte': 0}}");
  bson_error_t error;
  if (!mongoc_collection_delete_many(state.collection.get(), filter.get(), nullptr, nullptr,
                                     &error)) {
    return FromError(error, "deleteMany");
  }
  return state.documents;
}

absl::Status PrepareBulk(const ClientArguments& arguments) {
  return Fill(arguments.connection, "bulk", "", 0, ItemDocument);
}

absl::Status PrepareBulkIndexed(const ClientArguments& arguments) {
  return Fill(arguments.connection, "bulk", kThreeIndexes, 0, ItemDocument);
}

absl::Status PrepareTweets(const ClientArguments& arguments) {
  return Fill(arguments.connection, "tweets", "", kTweets, TweetDocument);
}

absl::Status PrepareDelete(const ClientArguments& arguments) {
  return Fill(arguments.connection, "deletes", "{'key': {'score': 1}, 'name': 'score'}",
              arguments.scale.documents, ItemDocument);
}

std::unique_ptr<Client> StartInsertMany(const ClientArguments& arguments) {
  return MakeClient(MakeState(arguments, "bulk"), InsertMany);
}

std::unique_ptr<Client> StartFindMany(const ClientArguments& arguments) {
  return MakeClient(MakeState(arguments, "tweets"), FindMany);
}

std::unique_ptr<Client> StartDeleteMany(const ClientArguments& arguments) {
  return MakeClient(MakeState(arguments, "deletes"), DeleteMany);
}

}  // namespace

std::vector<Workload> BulkWorkloads() {
  return {
      {.name = "insert_many",
       .help = "1,000 documents of 300 bytes, no secondary index",
       .clients = {1},
       .prepare = PrepareBulk,
       .start = StartInsertMany,
       .raw_prepare = RawClear,
       .raw_start = RawInsertMany},
      {.name = "insert_many_3_indexes",
       .help = "1,000 documents of 300 bytes, three secondary indexes",
       .clients = {1},
       .prepare = PrepareBulkIndexed,
       .start = StartInsertMany,
       .raw_prepare = RawClear,
       .raw_start = RawInsertManyIndexed},
      {.name = "find_many",
       .help = "a collection of 10,000 documents of 1.6 KB",
       .clients = {1},
       .prepare = PrepareTweets,
       .dataset = "tweets",
       .start = StartFindMany,
       .raw_prepare = RawFillTweets,
       .raw_start = RawScan},
      {.name = "delete_many",
       .help = "all of a collection by a filter, one secondary index",
       .clients = {1},
       .once = true,
       .prepare = PrepareDelete,
       .start = StartDeleteMany,
       .raw_prepare = RawFillItems,
       .raw_start = RawDeleteAll},
  };
}

}  // namespace mayfly::bench
