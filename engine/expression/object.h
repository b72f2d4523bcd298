// Merging of fields into one document.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "bson/value.h"

namespace mayfly::engine {

// Collects fields; a name set again keeps its place and gets the new value.
class FieldMerger {
 public:
  void Set(std::string_view name, bson::ValueView value);
  bson::Value Finish() const;

 private:
  absl::flat_hash_map<std::string, size_t> index_;
  std::vector<std::pair<std::string, bson::Value>> fields_;
};

}  // namespace mayfly::engine
