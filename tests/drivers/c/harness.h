// What the scenarios share: the client, fresh collections, the server's clock, expected failures,
// the launcher. Documents are written as extended JSON with single quotes. A check that does not
// hold throws Failure.
#pragma once

#include <mongoc/mongoc.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mayfly::drivers {

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Destroy {
  void operator()(bson_t* document) const { bson_destroy(document); }
  void operator()(mongoc_client_t* client) const { mongoc_client_destroy(client); }
  void operator()(mongoc_collection_t* collection) const { mongoc_collection_destroy(collection); }
  void operator()(mongoc_cursor_t* cursor) const { mongoc_cursor_destroy(cursor); }
  void operator()(mongoc_client_session_t* session) const {
    mongoc_client_session_destroy(session);
  }
  void operator()(mongoc_bulk_operation_t* bulk) const { mongoc_bulk_operation_destroy(bulk); }
  void operator()(mongoc_find_and_modify_opts_t* opts) const {
    mongoc_find_and_modify_opts_destroy(opts);
  }
};

template <typename T>
using Owned = std::unique_ptr<T, Destroy>;

using Document = Owned<bson_t>;

// An extended JSON text with single quotes as a document.
Document Parse(std::string text);

// The document as relaxed extended JSON, numbers without their types.
std::string Text(const bson_t* document);

// A number, boolean or missing field (-99) below dotted `path`.
double Number(const bson_t* document, const std::string& path);

void Equal(const std::string& actual, const std::string& expected);
void Equal(double actual, double expected);
void True(bool condition, const std::string& what);

// What a command answered: the reply, and the code of the error, 0 for none.
struct Reply {
  Document document;
  uint32_t code = 0;
  std::string message;
};

class Context {
 public:
  explicit Context(const char* uri);

  mongoc_client_t* client() { return client_.get(); }

  Owned<mongoc_collection_t> Collection(const std::string& name);
  Owned<mongoc_collection_t> Fresh(const std::string& name);

  // Runs a command that must succeed.
  Document Run(const std::string& command, const char* database = "drivers");
  Reply TryRun(const bson_t* command, const char* database = "drivers",
               const bson_t* opts = nullptr);
  // Runs a command that must end with the error.
  void RunFails(uint32_t code, const std::string& command);

  void CreateTtlIndex(const std::string& collection, const std::string& seconds);
  void Advance(int seconds);
  // Nothing is removed while the body runs, so that what is hidden can come back.
  void WithoutRemoval(const std::function<void()>& body);

  // How many commands of this name were sent.
  int sent(std::string_view name) const;
  void Record(std::string name, bool has_txn_number);
  bool last_had_txn_number() const { return last_had_txn_number_; }

 private:
  std::vector<std::string> sent_;
  bool last_had_txn_number_ = false;
  // Destroyed first: it sends a last command, which is recorded.
  Owned<mongoc_client_t> client_;
};

std::vector<std::string> FindAll(mongoc_collection_t* collection, const std::string& filter,
                                 const std::string& opts);
// The _id of every document in order, as JSON values in brackets.
std::string Ids(mongoc_collection_t* collection);
double Count(mongoc_collection_t* collection, const std::string& filter = "{}");
// Inserts the documents of a JSON array; returns "[index:code ...]" of the write errors.
std::string Insert(mongoc_collection_t* collection, const std::string& documents,
                   bool ordered = true);

void RestartServer();

struct Scenario {
  const char* name;
  void (*run)(Context& context);
};

std::vector<Scenario> FirstScenarios();
std::vector<Scenario> TtlScenarios();
std::vector<Scenario> CrudScenarios();

}  // namespace mayfly::drivers
