#include "tests/drivers/c/harness.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace mayfly::drivers {
namespace {

void CommandStarted(const mongoc_apm_command_started_t* event) {
  auto* context = static_cast<Context*>(mongoc_apm_command_started_get_context(event));
  context->Record(mongoc_apm_command_started_get_command_name(event),
                  bson_has_field(mongoc_apm_command_started_get_command(event), "txnNumber"));
}

Document WriteErrors(const bson_t* reply) {
  bson_iter_t iter;
  const uint8_t* data = nullptr;
  uint32_t size = 0;
  if (!bson_iter_init_find(&iter, reply, "writeErrors")) return nullptr;
  bson_iter_array(&iter, &size, &data);
  return Document(bson_new_from_data(data, size));
}

}  // namespace

Document Parse(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  bson_error_t error;
  Document document(bson_new_from_json(reinterpret_cast<const uint8_t*>(text.data()),
                                       static_cast<ssize_t>(text.size()), &error));
  if (!document) throw Failure(text + ": " + error.message);
  return document;
}

std::string Text(const bson_t* document) {
  char* json = bson_as_relaxed_extended_json(document, nullptr);
  std::string text(json);
  bson_free(json);
  return text;
}

double Number(const bson_t* document, const std::string& path) {
  bson_iter_t iter;
  bson_iter_t found;
  if (!bson_iter_init(&iter, document) || !bson_iter_find_descendant(&iter, path.c_str(), &found)) {
    return -99;
  }
  if (BSON_ITER_HOLDS_DOUBLE(&found)) return bson_iter_double(&found);
  return static_cast<double>(bson_iter_as_int64(&found));
}

void Equal(const std::string& actual, const std::string& expected) {
  if (actual != expected) throw Failure(actual + ", expected " + expected);
}

void Equal(double actual, double expected) {
  if (actual != expected) {
    throw Failure(std::to_string(actual) + ", expected " + std::to_string(expected));
  }
}

void True(bool condition, const std::string& what) {
  if (!condition) throw Failure(what);
}

Context::Context(const char* uri) : client_(mongoc_client_new(uri)) {
  if (!client_) throw Failure(std::string("the driver refuses the URI ") + uri);
  mongoc_client_set_error_api(client_.get(), MONGOC_ERROR_API_VERSION_2);
  mongoc_apm_callbacks_t* callbacks = mongoc_apm_callbacks_new();
  mongoc_apm_set_command_started_cb(callbacks, CommandStarted);
  mongoc_client_set_apm_callbacks(client_.get(), callbacks, this);
  mongoc_apm_callbacks_destroy(callbacks);
}

void Context::Record(std::string name, bool has_txn_number) {
  sent_.push_back(std::move(name));
  last_had_txn_number_ = has_txn_number;
}

int Context::sent(std::string_view name) const {
  return static_cast<int>(std::count(sent_.begin(), sent_.end(), name));
}

Owned<mongoc_collection_t> Context::Collection(const std::string& name) {
  return Owned<mongoc_collection_t>(
      mongoc_client_get_collection(client_.get(), "drivers", name.c_str()));
}

Owned<mongoc_collection_t> Context::Fresh(const std::string& name) {
  Owned<mongoc_collection_t> collection = Collection(name);
  bson_error_t error;
  if (!mongoc_collection_drop(collection.get(), &error) && error.code != 26) {
    throw Failure(std::string("drop: ") + error.message);
  }
  return collection;
}

Reply Context::TryRun(const bson_t* command, const char* database, const bson_t* opts) {
  bson_t reply;
  bson_error_t error;
  const bool ok = mongoc_client_command_with_opts(client_.get(), database, command, nullptr, opts,
                                                  &reply, &error);
  Document copy(bson_copy(&reply));
  bson_destroy(&reply);
  if (ok) return Reply{.document = std::move(copy), .code = 0, .message = ""};
  return Reply{.document = std::move(copy), .code = error.code, .message = error.message};
}

Document Context::Run(const std::string& command, const char* database) {
  Reply reply = TryRun(Parse(command).get(), database);
  if (reply.code != 0) {
    throw Failure(command + ": " + std::to_string(reply.code) + " " + reply.message);
  }
  return std::move(reply.document);
}

void Context::RunFails(uint32_t code, const std::string& command) {
  const Reply reply = TryRun(Parse(command).get());
  if (reply.code != code) {
    throw Failure(command + ": code " + std::to_string(reply.code) + " (" + reply.message +
                  "), expected " + std::to_string(code));
  }
}

void Context::CreateTtlIndex(const std::string& collection, const std::string& seconds) {
  Run("{'createIndexes': '" + collection +
      "', 'indexes': [{'key': {'_ts': 1}, 'name': '_ts_1', 'expireAfterSeconds': " + seconds +
      "}]}");
}

void Context::Advance(int seconds) {
  Run("{'setClock': {'advanceMS': " + std::to_string(seconds * 1000) + "}}", "admin");
}

void Context::WithoutRemoval(const std::function<void()>& body) {
  Run("{'setParameter': 1, 'ttlMonitorEnabled': false}", "admin");
  try {
    body();
  } catch (...) {
    Run("{'setParameter': 1, 'ttlMonitorEnabled': true}", "admin");
    throw;
  }
  Run("{'setParameter': 1, 'ttlMonitorEnabled': true}", "admin");
}

std::vector<std::string> FindAll(mongoc_collection_t* collection, const std::string& filter,
                                 const std::string& opts) {
  Document parsed = Parse(filter);
  Document options = Parse(opts);
  Owned<mongoc_cursor_t> cursor(
      mongoc_collection_find_with_opts(collection, parsed.get(), options.get(), nullptr));
  std::vector<std::string> found;
  const bson_t* document = nullptr;
  while (mongoc_cursor_next(cursor.get(), &document)) found.push_back(Text(document));
  bson_error_t error;
  if (mongoc_cursor_error(cursor.get(), &error)) throw Failure(error.message);
  return found;
}

std::string Ids(mongoc_collection_t* collection) {
  std::string ids;
  for (const std::string& text :
       FindAll(collection, "{}", "{'sort': {'_id': 1}, 'projection': {'_id': 1}}")) {
    // { "_id" : VALUE }
    ids += (ids.empty() ? "" : " ") + text.substr(10, text.size() - 12);
  }
  std::replace(ids.begin(), ids.end(), '"', '\'');
  return "[" + ids + "]";
}

double Count(mongoc_collection_t* collection, const std::string& filter) {
  bson_error_t error;
  const int64_t count = mongoc_collection_count_documents(collection, Parse(filter).get(), nullptr,
                                                          nullptr, nullptr, &error);
  if (count < 0) throw Failure(std::string("countDocuments: ") + error.message);
  return static_cast<double>(count);
}

std::string Insert(mongoc_collection_t* collection, const std::string& documents, bool ordered) {
  Document array = Parse("{'a': " + documents + "}");
  bson_iter_t iter;
  bson_iter_t child;
  std::vector<Document> parsed;
  std::vector<const bson_t*> pointers;
  if (bson_iter_init_find(&iter, array.get(), "a") && bson_iter_recurse(&iter, &child)) {
    while (bson_iter_next(&child)) {
      const uint8_t* data = nullptr;
      uint32_t size = 0;
      bson_iter_document(&child, &size, &data);
      parsed.emplace_back(bson_new_from_data(data, size));
      pointers.push_back(parsed.back().get());
    }
  }
  bson_t reply;
  bson_error_t error;
  Document opts = Parse(ordered ? "{'ordered': true}" : "{'ordered': false}");
  const bool ok = mongoc_collection_insert_many(collection, pointers.data(), pointers.size(),
                                                opts.get(), &reply, &error);
  Document errors = WriteErrors(&reply);
  bson_destroy(&reply);
  if (!ok && !errors) throw Failure(std::string("insert: ") + error.message);
  std::string result;
  for (int i = 0; errors && Number(errors.get(), std::to_string(i) + ".index") >= 0; ++i) {
    result += (i ? " " : "") +
              std::to_string(static_cast<int>(Number(errors.get(), std::to_string(i) + ".index"))) +
              ":" +
              std::to_string(static_cast<int>(Number(errors.get(), std::to_string(i) + ".code")));
  }
  return "[" + result + "]";
}

void RestartServer() {
  std::cout << "@restart" << std::endl;
  const char* pipe = std::getenv("MAYFLY_ANSWERS");
  std::ifstream answers(pipe == nullptr ? "" : pipe);
  std::string line;
  True(static_cast<bool>(std::getline(answers, line)), "the launcher did not answer");
}

}  // namespace mayfly::drivers
