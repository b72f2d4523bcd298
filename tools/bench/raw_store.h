// The raw target: the tables that a document server on SQLite would have, driven by SQL alone. It
// is the ceiling that the server's rates are compared with. One thread; checkpoints run in a thread
// of their own.
//   d(id INTEGER PRIMARY KEY, v BLOB)                       documents
//   k(k INTEGER PRIMARY KEY, id) WITHOUT ROWID              _id to record id
//   s0, s1, s2(k INTEGER, id INTEGER, PRIMARY KEY(k, id)) WITHOUT ROWID   secondary indexes
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace mayfly::bench {

class RawStore {
 public:
  // Creates the file in `folder`; `synchronous` is FULL or NORMAL.
  static absl::StatusOr<std::unique_ptr<RawStore>> Open(const std::string& folder,
                                                        const std::string& synchronous);
  ~RawStore();

  absl::Status Run(const std::string& sql);
  // A cached statement, owned by the store, reset and ready to be bound; null when the SQL is
  // wrong.
  sqlite3_stmt* Statement(const char* sql);

  absl::Status Clear();
  absl::Status Begin() { return Run("BEGIN IMMEDIATE"); }
  absl::Status Commit() { return Run("COMMIT"); }
  // One document with its `_id` entry, and an entry in as many of the secondary indexes as there
  // are keys for them.
  absl::Status Insert(int64_t key, std::span<const int64_t> secondary, const void* data,
                      size_t size);

 private:
  class Checkpointer;

  RawStore() = default;

  absl::Status InsertEntry(const char* sql, int64_t key, int64_t id);

  sqlite3* db_ = nullptr;
  int64_t next_id_ = 1;
  struct Cache;
  std::unique_ptr<Cache> cache_;
  std::unique_ptr<Checkpointer> checkpointer_;
};

}  // namespace mayfly::bench
