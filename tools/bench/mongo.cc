#include "tools/bench/mongo.h"

#include <algorithm>

namespace mayfly::bench {

absl::Status FromError(const bson_error_t& error, const std::string& what) {
  return base::Error(base::ErrorCode::kInternalError,
                     what + ": " + error.message + " (" + std::to_string(error.code) + ")");
}

Document Json(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  bson_t* parsed = bson_new_from_json(reinterpret_cast<const uint8_t*>(text.data()),
                                      static_cast<ssize_t>(text.size()), nullptr);
  return parsed == nullptr ? Document() : Document(parsed);
}

Collection GetCollection(mongoc_client_t* connection, const std::string& name) {
  return Collection(mongoc_client_get_collection(connection, kDatabase, name.c_str()));
}

absl::Status RunCommand(mongoc_client_t* connection, const std::string& command) {
  return RunCommand(connection, Json(command).get());
}

absl::Status RunCommand(mongoc_client_t* connection, const bson_t* command, const char* database) {
  bson_error_t error;
  if (!mongoc_client_command_simple(connection, database, command, nullptr, nullptr, &error)) {
    bson_iter_t iter;
    const bool named = bson_iter_init(&iter, command) && bson_iter_next(&iter);
    return FromError(error, named ? bson_iter_key(&iter) : "command");
  }
  return absl::OkStatus();
}

absl::Status Drop(mongoc_client_t* connection, const std::string& name) {
  bson_error_t error;
  if (!mongoc_collection_drop(GetCollection(connection, name).get(), &error) && error.code != 26) {
    return FromError(error, "drop");
  }
  return absl::OkStatus();
}

absl::Status Fill(mongoc_client_t* connection, const std::string& name, const std::string& indexes,
                  int64_t count, MakeDocument make) {
  constexpr int64_t kBatch = 1000;
  MAYFLY_RETURN_IF_ERROR(Drop(connection, name));
  if (!indexes.empty()) {
    MAYFLY_RETURN_IF_ERROR(
        RunCommand(connection, "{'createIndexes': '" + name + "', 'indexes': [" + indexes + "]}"));
  }
  Collection collection = GetCollection(connection, name);
  std::mt19937_64 random(7);
  for (int64_t id = 0; id < count; id += kBatch) {
    std::vector<Document> documents;
    std::vector<const bson_t*> pointers;
    for (int64_t i = id; i < std::min(id + kBatch, count); ++i)
      documents.push_back(make(random, i));
    for (Document& document : documents) pointers.push_back(document.get());
    bson_error_t error;
    if (!mongoc_collection_insert_many(collection.get(), pointers.data(), pointers.size(), nullptr,
                                       nullptr, &error)) {
      return FromError(error, "insert into " + name);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Drain(mongoc_cursor_t* cursor) {
  int64_t count = 0;
  const bson_t* document = nullptr;
  while (mongoc_cursor_next(cursor, &document)) ++count;
  bson_error_t error;
  const bool failed = mongoc_cursor_error(cursor, &error);
  mongoc_cursor_destroy(cursor);
  if (failed) return FromError(error, "cursor");
  return count;
}

}  // namespace mayfly::bench
