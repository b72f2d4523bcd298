// The documents of another collection by the values of one field, for a $lookup that no index
// serves: read once instead of once for every document outside.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "engine/aggregate/pipeline.h"
#include "engine/expression/path.h"
#include "engine/expression/value_set.h"

namespace mayfly::engine {

class JoinTable {
 public:
  // Reads `source` to its end; null if that needs more memory than the runtime allows. `runtime`
  // must outlive the table.
  static absl::StatusOr<std::unique_ptr<JoinTable>> Read(std::unique_ptr<Stream> source,
                                                         std::string_view field,
                                                         const Runtime& runtime);

  // The documents whose field may equal one of `values`, in the order in which they were read. A
  // filter must have the last word. Valid as long as the table.
  std::vector<bson::View> Candidates(const std::vector<bson::ValueView>& values) const;

 private:
  JoinTable(std::string_view field, const bson::StringComparator* strings)
      : field_(field), by_value_(0, ValueHash{strings}, ValueEqual{strings}) {}

  // Bytes taken, about.
  int64_t Add(bson::View document);

  Path field_;
  std::deque<bson::Document> documents_;  // does not move what it holds
  // Keys view into the documents.
  absl::flat_hash_map<bson::ValueView, std::vector<uint32_t>, ValueHash, ValueEqual> by_value_;
};

}  // namespace mayfly::engine
