// Large documents and files: 2.7 MB in and out, GridFS, bulk writes of many kinds, JSON lines. What
// is counted as documents are bytes where the help says so.
#include <cstring>

#include "tools/bench/mongo.h"
#include "tools/bench/raw_clients.h"

namespace mayfly::bench {
namespace {

constexpr int64_t kLargeBytes = 2'731'089;
constexpr size_t kFileBytes = 52'428'800;
constexpr int kBulk = 1000;
constexpr int64_t kLines = 5000;

// Many fields of a kilobyte, as the large document of the drivers' benchmark has.
Document LargeDocument(std::mt19937_64& random, int64_t id) {
  Document document;
  bson_append_int64(document.get(), "_id", -1, id);
  const std::string text = RandomText(random, 1000);
  for (int i = 0; document.get()->len + 1100 < kLargeBytes; ++i) {
    const std::string name = "field" + std::to_string(i);
    bson_append_utf8(document.get(), name.c_str(), -1, text.data(), static_cast<int>(text.size()));
  }
  return document;
}

struct State {
  mongoc_client_t* connection;
  Collection collection;
  std::mt19937_64 random;
  int64_t next_id;
  std::shared_ptr<const Document> large = {};
  std::string lines = {};
};

State MakeState(const ClientArguments& arguments, const char* name) {
  return State{.connection = arguments.connection,
               .collection = GetCollection(arguments.connection, name),
               .random = std::mt19937_64(static_cast<uint64_t>(arguments.number) + 1),
               .next_id = (arguments.number + 1) * 1'000'000'000LL};
}

absl::StatusOr<int64_t> InsertLarge(State& state) {
  // One document is kept and only its id is new, so that the client does little besides sending.
  if (state.large == nullptr) {
    state.large = std::make_shared<const Document>(LargeDocument(state.random, state.next_id));
  }
  bson_iter_t id;
  if (bson_iter_init_find(&id, state.large->get(), "_id"))
    bson_iter_overwrite_int64(&id, state.next_id++);
  bson_error_t error;
  if (!mongoc_collection_insert_one(state.collection.get(), state.large->get(), nullptr, nullptr,
                                    &error)) {
    return FromError(error, "insert a large document");
  }
  return kLargeBytes;
}

absl::StatusOr<int64_t> FindLarge(State& state) {
  Document filter;
  bson_append_int64(filter.get(), "_id", 3, static_cast<int64_t>(state.random() % 10));
  MAYFLY_RETURN_IF_ERROR(Drain(mongoc_collection_find_with_opts(state.collection.get(),
                                                                filter.get(), nullptr, nullptr))
                             .status());
  return kLargeBytes;
}

absl::StatusOr<int64_t> BulkMixed(State& state) {
  mongoc_bulk_operation_t* bulk =
      mongoc_collection_create_bulk_operation_with_opts(state.collection.get(), nullptr);
  for (int i = 0; i < kBulk; ++i) {
    Document id;
    bson_append_int64(id.get(), "_id", 3, state.next_id);
    Document document = SmallDocument(state.random, state.next_id++);
    mongoc_bulk_operation_insert(bulk, document.get());
    mongoc_bulk_operation_replace_one(bulk, id.get(), document.get(), false);
    mongoc_bulk_operation_remove_one(bulk, id.get());
  }
  bson_error_t error;
  const uint32_t server = mongoc_bulk_operation_execute(bulk, nullptr, &error);
  mongoc_bulk_operation_destroy(bulk);
  if (server == 0) return FromError(error, "bulkWrite");
  return 3 * kBulk;
}

struct DestroyBucket {
  void operator()(mongoc_gridfs_bucket_t* bucket) const { mongoc_gridfs_bucket_destroy(bucket); }
};
using Bucket = std::unique_ptr<mongoc_gridfs_bucket_t, DestroyBucket>;

absl::StatusOr<Bucket> OpenBucket(mongoc_client_t* connection) {
  mongoc_database_t* database = mongoc_client_get_database(connection, kDatabase);
  bson_error_t error;
  Bucket bucket(mongoc_gridfs_bucket_new(database, nullptr, nullptr, &error));
  mongoc_database_destroy(database);
  if (bucket == nullptr) return FromError(error, "GridFS");
  return bucket;
}

absl::StatusOr<int64_t> Upload(State& state) {
  MAYFLY_ASSIGN_OR_RETURN(const Bucket bucket, OpenBucket(state.connection));
  bson_value_t id;
  bson_error_t error;
  mongoc_stream_t* stream =
      mongoc_gridfs_bucket_open_upload_stream(bucket.get(), "file", nullptr, &id, &error);
  if (stream == nullptr) return FromError(error, "GridFS upload");
  std::string bytes(1 << 20, 'x');
  ssize_t written = 0;
  for (size_t at = 0; at < kFileBytes && written >= 0; at += bytes.size()) {
    written = mongoc_stream_write(stream, bytes.data(), std::min(bytes.size(), kFileBytes - at), 0);
  }
  const bool failed = written < 0 || mongoc_stream_close(stream) != 0;
  mongoc_stream_destroy(stream);
  bson_value_destroy(&id);
  if (failed) return base::Error(base::ErrorCode::kInternalError, "GridFS upload failed");
  return static_cast<int64_t>(kFileBytes);
}

absl::StatusOr<int64_t> Download(State& state) {
  MAYFLY_ASSIGN_OR_RETURN(const Bucket bucket, OpenBucket(state.connection));
  Document filter = Json("{'filename': 'file'}");
  bson_error_t error;
  mongoc_cursor_t* files = mongoc_gridfs_bucket_find(bucket.get(), filter.get(), nullptr);
  const bson_t* file = nullptr;
  bson_iter_t id;
  if (!mongoc_cursor_next(files, &file) || !bson_iter_init_find(&id, file, "_id")) {
    mongoc_cursor_destroy(files);
    return base::Error(base::ErrorCode::kInternalError, "GridFS: there is no file");
  }
  mongoc_stream_t* stream =
      mongoc_gridfs_bucket_open_download_stream(bucket.get(), bson_iter_value(&id), &error);
  mongoc_cursor_destroy(files);
  if (stream == nullptr) return FromError(error, "GridFS download");
  std::string bytes(1 << 20, '\0');
  int64_t total = 0;
  while (true) {
    const ssize_t count = mongoc_stream_read(stream, bytes.data(), bytes.size(), 1, 0);
    if (count <= 0) break;
    total += count;
  }
  mongoc_stream_destroy(stream);
  return total;
}

absl::StatusOr<int64_t> ImportLines(State& state) {
  if (state.lines.empty()) {
    for (int64_t i = 0; i < kLines; ++i) {
      Document document = TweetDocument(state.random, -1);
      char* json = bson_as_relaxed_extended_json(document.get(), nullptr);
      state.lines.append(json).push_back('\n');
      bson_free(json);
    }
  }
  std::vector<Document> documents;
  std::vector<const bson_t*> pointers;
  for (size_t at = 0; at < state.lines.size();) {
    const size_t end = state.lines.find('\n', at);
    documents.emplace_back(
        bson_new_from_json(reinterpret_cast<const uint8_t*>(state.lines.data() + at),
                           static_cast<ssize_t>(end - at), nullptr));
    at = end + 1;
  }
  for (Document& document : documents) pointers.push_back(document.get());
  bson_error_t error;
  if (!mongoc_collection_insert_many(state.collection.get(), pointers.data(), pointers.size(),
                                     nullptr, nullptr, &error)) {
    return FromError(error, "import");
  }
  return static_cast<int64_t>(documents.size());
}

absl::StatusOr<int64_t> ExportLines(State& state) {
  Document everything;
  mongoc_cursor_t* cursor =
      mongoc_collection_find_with_opts(state.collection.get(), everything.get(), nullptr, nullptr);
  const bson_t* document = nullptr;
  int64_t count = 0;
  while (mongoc_cursor_next(cursor, &document)) {
    char* json = bson_as_relaxed_extended_json(document, nullptr);
    bson_free(json);
    ++count;
  }
  mongoc_cursor_destroy(cursor);
  return count;
}

absl::Status PrepareLargeInserts(const ClientArguments& arguments) {
  return Drop(arguments.connection, "large_in");
}

absl::Status PrepareLarge(const ClientArguments& arguments) {
  MAYFLY_RETURN_IF_ERROR(Drop(arguments.connection, "large"));
  State state = MakeState(arguments, "large");
  state.next_id = 0;
  for (int i = 0; i < 10; ++i) MAYFLY_RETURN_IF_ERROR(InsertLarge(state).status());
  return absl::OkStatus();
}

absl::Status PrepareBulkMixed(const ClientArguments& arguments) {
  return Drop(arguments.connection, "bulk_mixed");
}

absl::Status PrepareFiles(const ClientArguments& arguments) {
  MAYFLY_RETURN_IF_ERROR(Drop(arguments.connection, "fs.files"));
  return Drop(arguments.connection, "fs.chunks");
}

absl::Status PrepareFile(const ClientArguments& arguments) {
  MAYFLY_RETURN_IF_ERROR(PrepareFiles(arguments));
  State state = MakeState(arguments, "fs.files");
  return Upload(state).status();
}

absl::Status PrepareImport(const ClientArguments& arguments) {
  return Drop(arguments.connection, "lines");
}

absl::Status PrepareExport(const ClientArguments& arguments) {
  return Fill(arguments.connection, "lines", "", kLines, TweetDocument);
}

std::function<std::unique_ptr<Client>(const ClientArguments&)> Start(
    const char* collection, FunctionClient<State>::Function function) {
  return [=](const ClientArguments& arguments) {
    return MakeClient(MakeState(arguments, collection), function);
  };
}

}  // namespace

std::vector<Workload> LargeWorkloads() {
  return {
      {.name = "large_in",
       .help = "insertOne of 2.7 MB; documents are bytes; raw copies them ten times",
       .clients = {1},
       .prepare = PrepareLargeInserts,
       .start = Start("large_in", InsertLarge),
       .raw_prepare = RawNothing,
       .raw_start = RawCopyTenTimes},
      {.name = "large_out",
       .help = "find of 2.7 MB; documents are bytes; raw copies them ten times",
       .clients = {1},
       .prepare = PrepareLarge,
       .dataset = "large",
       .start = Start("large", FindLarge),
       .raw_prepare = RawNothing,
       .raw_start = RawCopyTenTimes},
      {.name = "bulk_write_mixed",
       .help = "collection bulkWrite: 1,000 inserts, replacements and deletes each",
       .clients = {1},
       .prepare = PrepareBulkMixed,
       .start = Start("bulk_mixed", BulkMixed)},
      {.name = "gridfs_upload",
       .help = "a file of 52 MB; documents are bytes",
       .clients = {1},
       .once = true,
       .prepare = PrepareFiles,
       .start = Start("fs.files", Upload)},
      {.name = "gridfs_download",
       .help = "a file of 52 MB; documents are bytes",
       .clients = {1},
       .prepare = PrepareFile,
       .dataset = "file",
       .start = Start("fs.files", Download)},
      {.name = "ldjson_import",
       .help = "5,000 documents of 1.6 KB from JSON lines",
       .clients = {1, 4},
       .prepare = PrepareImport,
       .start = Start("lines", ImportLines)},
      {.name = "ldjson_export",
       .help = "5,000 documents of 1.6 KB to JSON lines",
       .clients = {1, 4},
       .prepare = PrepareExport,
       .dataset = "lines",
       .start = Start("lines", ExportLines)},
  };
}

}  // namespace mayfly::bench
