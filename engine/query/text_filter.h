// $text in a filter: found by those who give rows their scores.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

class TextSearch {
 public:
  virtual ~TextSearch() = default;
  // nullopt: the document does not answer.
  virtual std::optional<double> Score(bson::View document) const = 0;
};

// The filter's one $text, or null.
const TextSearch* FindText(const FilterNode& filter);

// $text must stand once, and not below a negation or $elemMatch. Error: 2.
absl::Status CheckTextPlaces(const FilterNode& filter);

}  // namespace mayfly::engine
