// Checks that a collection's documents and its indexes agree: what `validate` reports.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"
#include "engine/expression/context.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

struct CheckReport {
  int64_t records = 0;                                // that are visible
  int64_t hidden_records = 0;                         // expired by last write, not yet removed
  int64_t invalid_documents = 0;                      // not well-formed BSON
  std::vector<std::shared_ptr<const Index>> indexes;  // those that were checked
  std::vector<int64_t> keys_per_index;                // of visible records; as many
  // Entries whose record is gone: legal, the sweep removes them.
  int64_t pending_entries = 0;
  // Each a sentence; empty: everything agrees.
  std::vector<std::string> errors;
};

// Reads every record and every entry, those of hidden ones too. With `full` also looks up each
// document's entries in each index.
absl::StatusOr<CheckReport> CheckCollection(Transaction& transaction,
                                            const EvaluationContext& context,
                                            const Collection& collection, bool full);

}  // namespace mayfly::engine
