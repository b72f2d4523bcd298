// Queries over a collection of 300-byte documents with an index on `score`: ranges, counts, groups,
// sorts.

#include <algorithm>

#include "tools/bench/mongo.h"
#include "tools/bench/raw_clients.h"

namespace mayfly::bench {
namespace {

constexpr int64_t kRange = 100;

struct State {
  mongoc_client_t* connection;
  Collection collection;
  std::mt19937_64 random;
  int64_t documents;
};

// A range of `score` that holds about `count` of `documents` evenly spread values.
Document ScoreRange(std::mt19937_64& random, int64_t count, int64_t documents) {
  constexpr int64_t kTop = int64_t{1} << 62;
  const int64_t width = kTop / std::max<int64_t>(documents, 1) * count;
  const int64_t from =
      static_cast<int64_t>(random() % static_cast<uint64_t>(std::max<int64_t>(kTop - width, 1)));
  Document filter;
  bson_t bounds;
  bson_append_document_begin(filter.get(), "score", -1, &bounds);
  bson_append_int64(&bounds, "$gte", -1, from);
  bson_append_int64(&bounds, "$lt", -1, from + width);
  bson_append_document_end(filter.get(), &bounds);
  return filter;
}

absl::StatusOr<int64_t> Range(State& state) {
  Document filter = ScoreRange(state.random, kRange, state.documents);
  Document options = Json("{'sort': {'score': 1}, 'limit': 100}");
  return Drain(mongoc_collection_find_with_opts(state.collection.get(), filter.get(), options.get(),
                                                nullptr));
}

absl::StatusOr<int64_t> CountAll(State& state) {
  MAYFLY_RETURN_IF_ERROR(RunCommand(state.connection, "{'count': 'items'}"));
  return 1;
}

absl::StatusOr<int64_t> CountAllSmall(State& state) {
  MAYFLY_RETURN_IF_ERROR(RunCommand(state.connection, "{'count': 'few_items'}"));
  return 1;
}

absl::StatusOr<int64_t> CountRange(State& state) {
  Document filter = ScoreRange(state.random, state.documents / 10, state.documents);
  Document command;
  bson_append_utf8(command.get(), "count", -1, "items", -1);
  bson_append_document(command.get(), "query", -1, filter.get());
  MAYFLY_RETURN_IF_ERROR(RunCommand(state.connection, command.get()));
  return state.documents / 10;
}

absl::StatusOr<int64_t> Aggregate(State& state, const char* pipeline) {
  Document stages = Json(pipeline);
  MAYFLY_RETURN_IF_ERROR(
      Drain(mongoc_collection_aggregate(state.collection.get(), MONGOC_QUERY_NONE, stages.get(),
                                        nullptr, nullptr))
          .status());
  return state.documents;
}

absl::StatusOr<int64_t> Group(State& state) {
  return Aggregate(state,
                   "{'pipeline': [{'$group': {'_id': '$kind', 'total': {'$sum': '$user'}}}]}");
}

absl::StatusOr<int64_t> SortLimit(State& state) {
  Document everything;
  Document options = Json("{'sort': {'user': 1}, 'limit': 10}");
  MAYFLY_RETURN_IF_ERROR(
      Drain(mongoc_collection_find_with_opts(state.collection.get(), everything.get(),
                                             options.get(), nullptr))
          .status());
  return state.documents;
}

absl::Status Prepare(const ClientArguments& arguments) {
  return Fill(arguments.connection, "items", "{'key': {'score': 1}, 'name': 'score'}",
              arguments.scale.documents, ItemDocument);
}

absl::Status PrepareFew(const ClientArguments& arguments) {
  return Fill(arguments.connection, "few_items", "", 1000, ItemDocument);
}

absl::StatusOr<int64_t> StoredBytes(const ClientArguments& arguments) {
  if (arguments.raw != nullptr) return RawStoredBytes(arguments);
  Document command = Json("{'collStats': 'items'}");
  bson_t reply;
  bson_error_t error;
  const bool ok = mongoc_client_command_simple(arguments.connection, kDatabase, command.get(),
                                               nullptr, &reply, &error);
  int64_t bytes = 0;
  bson_iter_t iter;
  for (const char* name : {"storageSize", "totalIndexSize"}) {
    if (ok && bson_iter_init_find(&iter, &reply, name)) bytes += bson_iter_as_int64(&iter);
  }
  bson_destroy(&reply);
  if (!ok) return FromError(error, "collStats");
  return bytes;
}

template <FunctionClient<State>::Function kFunction>
std::unique_ptr<Client> Start(const ClientArguments& arguments) {
  return MakeClient(State{.connection = arguments.connection,
                          .collection = GetCollection(arguments.connection, "items"),
                          .random = std::mt19937_64(static_cast<uint64_t>(arguments.number) + 1),
                          .documents = arguments.scale.documents},
                    kFunction);
}

}  // namespace

std::vector<Workload> QueryWorkloads() {
  return {
      {.name = "range_100",
       .help = "100 documents of an indexed range in its order",
       .clients = {1, 16},
       .prepare = Prepare,
       .dataset = "items",
       .start = Start<Range>,
       .stored_bytes = StoredBytes,
       .raw_prepare = RawFillItems,
       .raw_start = RawRange},
      {.name = "count_all",
       .help = "the count command without a filter",
       .clients = {1},
       .prepare = Prepare,
       .dataset = "items",
       .start = Start<CountAll>},
      {.name = "count_all_small",
       .help = "the same of a collection of 1,000",
       .clients = {1},
       .prepare = PrepareFew,
       .dataset = "few_items",
       .start = Start<CountAllSmall>},
      {.name = "count_range",
       .help = "count of an indexed range of a tenth of the collection",
       .clients = {1},
       .prepare = Prepare,
       .dataset = "items",
       .start = Start<CountRange>,
       .raw_prepare = RawFillItems,
       .raw_start = RawCountRange},
      {.name = "group_sum",
       .help = "$group by one field with $sum of another over the whole collection",
       .clients = {1},
       .prepare = Prepare,
       .dataset = "items",
       .start = Start<Group>,
       .raw_prepare = RawFillItems,
       .raw_start = RawParseTwo},
      {.name = "sort_limit",
       .help = "the first 10 of the whole collection by a field without an index",
       .clients = {1},
       .prepare = Prepare,
       .dataset = "items",
       .start = Start<SortLimit>,
       .raw_prepare = RawFillItems,
       .raw_start = RawParseOne},
  };
}

}  // namespace mayfly::bench
