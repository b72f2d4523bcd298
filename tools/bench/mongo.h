// Thin helpers over libmongoc: errors as statuses, commands from extended JSON with single quotes.
#pragma once

#include <mongoc/mongoc.h>

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "tools/bench/documents.h"
#include "tools/bench/workload.h"

namespace mayfly::bench {

inline constexpr char kDatabase[] = "bench";

struct DestroyCollection {
  void operator()(mongoc_collection_t* collection) const { mongoc_collection_destroy(collection); }
};
using Collection = std::unique_ptr<mongoc_collection_t, DestroyCollection>;

absl::Status FromError(const bson_error_t& error, const std::string& what);

// The document of an extended JSON text of the program's own.
Document Json(std::string text);

Collection GetCollection(mongoc_client_t* connection, const std::string& name);
// Runs a command of the database `bench` that must succeed.
absl::Status RunCommand(mongoc_client_t* connection, const std::string& command);
absl::Status RunCommand(mongoc_client_t* connection, const bson_t* command,
                        const char* database = kDatabase);
// Drops the collection; a missing one is no error.
absl::Status Drop(mongoc_client_t* connection, const std::string& name);

using MakeDocument = Document (*)(std::mt19937_64& random, int64_t id);
// Drops the collection, creates the indexes (extended JSON of createIndexes' `indexes`, may be
// empty) and inserts `count` documents with the _id 0, 1, 2 ...
absl::Status Fill(mongoc_client_t* connection, const std::string& name, const std::string& indexes,
                  int64_t count, MakeDocument make);

// Reads a find or aggregate to its end; the number of documents.
absl::StatusOr<int64_t> Drain(mongoc_cursor_t* cursor);

// A client made of one function; `state` lives as long as the client.
template <typename State>
class FunctionClient : public Client {
 public:
  using Function = absl::StatusOr<int64_t> (*)(State& state);
  FunctionClient(State state, Function function) : state_(std::move(state)), function_(function) {}
  absl::StatusOr<int64_t> Operate() override { return function_(state_); }

 private:
  State state_;
  Function function_;
};

template <typename State>
std::unique_ptr<Client> MakeClient(State state, typename FunctionClient<State>::Function function) {
  return std::make_unique<FunctionClient<State>>(std::move(state), function);
}

}  // namespace mayfly::bench
