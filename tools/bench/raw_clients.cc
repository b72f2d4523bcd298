#include "tools/bench/raw_clients.h"

#include <algorithm>

#include "tools/bench/mongo.h"

namespace mayfly::bench {
namespace {

constexpr int64_t kBatch = 1000;
constexpr int64_t kTweets = 10'000;
constexpr int64_t kRange = 100;
constexpr int64_t kTop = int64_t{1} << 62;

struct State {
  RawStore* raw;
  std::mt19937_64 random{1};
  Scale scale;
  int64_t clients;
  int64_t next_id = 1'000'000'000;
  std::string source = {};
  std::string copy = {};
  int64_t sum = 0;
};

absl::Status Failed(const char* what) {
  return base::Error(base::ErrorCode::kInternalError, std::string("raw: ") + what);
}

int64_t NumberOf(const bson_t* document, const char* name) {
  bson_iter_t iter;
  return bson_iter_init_find(&iter, document, name) ? bson_iter_as_int64(&iter) : 0;
}

// Inserts the document with entries in the first `indexes` of the indexes on score, user and
// createdAt.
absl::Status InsertItem(RawStore& raw, int64_t id, const Document& document, size_t indexes) {
  const int64_t keys[] = {NumberOf(document.get(), "score"), NumberOf(document.get(), "user"),
                          1'700'000'000'000 + id};
  return raw.Insert(id, std::span<const int64_t>(keys).first(indexes),
                    bson_get_data(document.get()), document.get()->len);
}

absl::Status FillRaw(RawStore& raw, int64_t count, MakeDocument make, size_t indexes) {
  MAYFLY_RETURN_IF_ERROR(raw.Run("PRAGMA synchronous=NORMAL"));
  MAYFLY_RETURN_IF_ERROR(raw.Clear());
  std::mt19937_64 random(7);
  for (int64_t id = 0; id < count; id += kBatch) {
    MAYFLY_RETURN_IF_ERROR(raw.Begin());
    for (int64_t i = id; i < std::min(id + kBatch, count); ++i) {
      MAYFLY_RETURN_IF_ERROR(InsertItem(raw, i, make(random, i), indexes));
    }
    MAYFLY_RETURN_IF_ERROR(raw.Commit());
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> FindOnes(State& state) {
  MAYFLY_RETURN_IF_ERROR(state.raw->Run("BEGIN"));
  for (int64_t i = 0; i < state.clients; ++i) {
    sqlite3_stmt* find =
        state.raw->Statement("SELECT d.v FROM k JOIN d ON d.id = k.id WHERE k.k = ?");
    sqlite3_bind_int64(
        find, 1, static_cast<int64_t>(state.random() % static_cast<uint64_t>(state.scale.records)));
    if (sqlite3_step(find) != SQLITE_ROW) return Failed("the document is not found");
    state.copy.assign(static_cast<const char*>(sqlite3_column_blob(find, 0)),
                      static_cast<size_t>(sqlite3_column_bytes(find, 0)));
    sqlite3_reset(find);
  }
  MAYFLY_RETURN_IF_ERROR(state.raw->Commit());
  return state.clients;
}

absl::StatusOr<int64_t> InsertSome(State& state, int64_t count, MakeDocument make, size_t indexes) {
  MAYFLY_RETURN_IF_ERROR(state.raw->Begin());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t id = state.next_id++;
    MAYFLY_RETURN_IF_ERROR(InsertItem(*state.raw, id, make(state.random, id), indexes));
  }
  MAYFLY_RETURN_IF_ERROR(state.raw->Commit());
  return count;
}

absl::StatusOr<int64_t> InsertOnes(State& state) {
  return InsertSome(state, state.clients, SmallDocument, 0);
}

absl::StatusOr<int64_t> InsertBatch(State& state) {
  return InsertSome(state, kBatch, ItemDocument, 0);
}

absl::StatusOr<int64_t> InsertIndexedBatch(State& state) {
  return InsertSome(state, kBatch, ItemDocument, 3);
}

absl::StatusOr<int64_t> Scan(State& state) {
  sqlite3_stmt* scan = state.raw->Statement("SELECT v FROM d ORDER BY id");
  int64_t count = 0;
  while (sqlite3_step(scan) == SQLITE_ROW) {
    state.copy.assign(static_cast<const char*>(sqlite3_column_blob(scan, 0)),
                      static_cast<size_t>(sqlite3_column_bytes(scan, 0)));
    ++count;
  }
  sqlite3_reset(scan);
  return count;
}

// Binds a range of `score` with about `count` documents to the first two parameters.
void BindRange(State& state, sqlite3_stmt* statement, int64_t count) {
  const int64_t width = kTop / std::max<int64_t>(state.scale.documents, 1) * count;
  const int64_t from = static_cast<int64_t>(
      state.random() % static_cast<uint64_t>(std::max<int64_t>(kTop - width, 1)));
  sqlite3_bind_int64(statement, 1, from);
  sqlite3_bind_int64(statement, 2, from + width);
}

absl::StatusOr<int64_t> Range(State& state) {
  sqlite3_stmt* range = state.raw->Statement(
      "SELECT d.v FROM s0 CROSS JOIN d ON d.id = s0.id WHERE s0.k >= ? AND s0.k < ? ORDER BY s0.k "
      "LIMIT "
      "100");
  BindRange(state, range, kRange);
  int64_t count = 0;
  while (sqlite3_step(range) == SQLITE_ROW) {
    state.copy.assign(static_cast<const char*>(sqlite3_column_blob(range, 0)),
                      static_cast<size_t>(sqlite3_column_bytes(range, 0)));
    ++count;
  }
  sqlite3_reset(range);
  return count;
}

absl::StatusOr<int64_t> CountRange(State& state) {
  sqlite3_stmt* range = state.raw->Statement("SELECT k FROM s0 WHERE k >= ? AND k < ?");
  BindRange(state, range, state.scale.documents / 10);
  int64_t count = 0;
  while (sqlite3_step(range) == SQLITE_ROW) ++count;
  sqlite3_reset(range);
  return std::max<int64_t>(count, 1);
}

absl::StatusOr<int64_t> Parse(State& state, int fields) {
  sqlite3_stmt* scan = state.raw->Statement("SELECT v FROM d ORDER BY id");
  int64_t count = 0;
  while (sqlite3_step(scan) == SQLITE_ROW) {
    bson_t document;
    if (!bson_init_static(&document, static_cast<const uint8_t*>(sqlite3_column_blob(scan, 0)),
                          static_cast<size_t>(sqlite3_column_bytes(scan, 0)))) {
      return Failed("a document is broken");
    }
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, &document, "user")) state.sum += bson_iter_int64(&iter);
    if (fields > 1 && bson_iter_init_find(&iter, &document, "kind"))
      state.sum += bson_iter_int32(&iter);
    ++count;
  }
  sqlite3_reset(scan);
  return count;
}

absl::StatusOr<int64_t> ParseOne(State& state) { return Parse(state, 1); }

absl::StatusOr<int64_t> ParseTwo(State& state) { return Parse(state, 2); }

absl::StatusOr<int64_t> DeleteAll(State& state) {
  MAYFLY_RETURN_IF_ERROR(state.raw->Begin());
  // A condition keeps SQLite from its short cut for whole tables.
  for (const char* sql : {"DELETE FROM d WHERE id >= 0", "DELETE FROM k WHERE k >= 0",
                          "DELETE FROM s0 WHERE k >= 0"}) {
    MAYFLY_RETURN_IF_ERROR(state.raw->Run(sql));
  }
  MAYFLY_RETURN_IF_ERROR(state.raw->Commit());
  return state.scale.documents;
}

absl::StatusOr<int64_t> CopyTenTimes(State& state) {
  constexpr int64_t kLargeBytes = 2'731'089;
  state.source.resize(kLargeBytes, 'x');
  for (int i = 0; i < 10; ++i) {
    state.copy.assign(state.source);
    state.source[static_cast<size_t>(i)] = state.copy[static_cast<size_t>(i) + 1];
  }
  return kLargeBytes;
}

std::unique_ptr<Client> Start(const ClientArguments& arguments,
                              FunctionClient<State>::Function function) {
  return MakeClient(
      State{.raw = arguments.raw, .scale = arguments.scale, .clients = arguments.clients},
      function);
}

}  // namespace

absl::Status RawNothing(const ClientArguments&) { return absl::OkStatus(); }

std::unique_ptr<Client> RawCopyTenTimes(const ClientArguments& arguments) {
  return Start(arguments, CopyTenTimes);
}

absl::StatusOr<int64_t> RawStoredBytes(const ClientArguments& arguments) {
  sqlite3_stmt* bytes =
      arguments.raw->Statement("SELECT sum(pgsize) FROM dbstat WHERE name IN ('d', 'k', 's0')");
  if (bytes == nullptr || sqlite3_step(bytes) != SQLITE_ROW) return Failed("dbstat");
  const int64_t result = sqlite3_column_int64(bytes, 0);
  sqlite3_reset(bytes);
  return result;
}

absl::Status RawClear(const ClientArguments& arguments) {
  MAYFLY_RETURN_IF_ERROR(arguments.raw->Run("PRAGMA synchronous=NORMAL"));
  return arguments.raw->Clear();
}

absl::Status RawClearSynced(const ClientArguments& arguments) {
  MAYFLY_RETURN_IF_ERROR(arguments.raw->Clear());
  return arguments.raw->Run("PRAGMA synchronous=FULL");
}

absl::Status RawFillRecords(const ClientArguments& arguments) {
  return FillRaw(*arguments.raw, arguments.scale.records, ItemDocument, 0);
}

absl::Status RawFillItems(const ClientArguments& arguments) {
  return FillRaw(*arguments.raw, arguments.scale.documents, ItemDocument, 1);
}

absl::Status RawFillTweets(const ClientArguments& arguments) {
  return FillRaw(*arguments.raw, kTweets, TweetDocument, 0);
}

std::unique_ptr<Client> RawFindOne(const ClientArguments& arguments) {
  return Start(arguments, FindOnes);
}
std::unique_ptr<Client> RawInsertOne(const ClientArguments& arguments) {
  return Start(arguments, InsertOnes);
}
std::unique_ptr<Client> RawInsertMany(const ClientArguments& arguments) {
  return Start(arguments, InsertBatch);
}
std::unique_ptr<Client> RawInsertManyIndexed(const ClientArguments& arguments) {
  return Start(arguments, InsertIndexedBatch);
}
std::unique_ptr<Client> RawScan(const ClientArguments& arguments) { return Start(arguments, Scan); }
std::unique_ptr<Client> RawRange(const ClientArguments& arguments) {
  return Start(arguments, Range);
}
std::unique_ptr<Client> RawCountRange(const ClientArguments& arguments) {
  return Start(arguments, CountRange);
}
std::unique_ptr<Client> RawParseTwo(const ClientArguments& arguments) {
  return Start(arguments, ParseTwo);
}
std::unique_ptr<Client> RawParseOne(const ClientArguments& arguments) {
  return Start(arguments, ParseOne);
}
std::unique_ptr<Client> RawDeleteAll(const ClientArguments& arguments) {
  return Start(arguments, DeleteAll);
}

}  // namespace mayfly::bench
