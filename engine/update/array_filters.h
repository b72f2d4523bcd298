// `arrayFilters`: named conditions that choose array elements for `$[name]`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "engine/query/filter.h"
#include "engine/update/update.h"

namespace mayfly::engine {

// Immutable once parsed.
class ArrayFilters {
 public:
  // Errors: 9 FailedToParse (no or several top-level names, one name twice), 2 BadValue (name not
  // allowed), and those of the filters.
  static absl::StatusOr<ArrayFilters> Parse(const UpdateParseContext& context);

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  std::vector<std::string_view> Names() const;
  // Whether `element` fulfils the condition of that name, which must exist.
  absl::StatusOr<bool> Matches(std::string_view name, bson::ValueView element,
                               const EvaluationContext& evaluation) const;

 private:
  struct Entry {
    std::string name;
    std::shared_ptr<const FilterNode> filter;
  };
  const Entry* Find(std::string_view name) const;

  std::vector<Entry> entries_;
};

}  // namespace mayfly::engine
