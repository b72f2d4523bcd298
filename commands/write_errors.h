// Partial failure of a write batch: which statements failed and how, as data for the reply.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "bson/builder.h"

namespace mayfly::commands {

class WriteErrors {
 public:
  void Add(int32_t index, absl::Status status) { errors_.push_back({index, std::move(status)}); }
  bool empty() const { return errors_.empty(); }
  // {writeErrors: [{index, code, errmsg, ...}]}, nothing if there are none.
  void AppendTo(bson::Builder& reply) const;

 private:
  struct Entry {
    int32_t index;
    absl::Status status;
  };
  std::vector<Entry> errors_;
};

// True for what ends the whole command and not only its statement: a broken store, an interrupt.
bool EndsCommand(const absl::Status& status);

// 16 InvalidLength unless 1 to 100,000 statements.
absl::Status CheckBatchSize(size_t statements);

}  // namespace mayfly::commands
