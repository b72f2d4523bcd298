// Percentiles of numbers: what $percentile and $median share as accumulators and as operators.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {

struct PercentileArguments {
  std::vector<double> parts;  // each from 0 to 1
  bool single = false;        // $median: the value alone, not an array
};

// Parses {input, p, method} of $percentile or {input, method} of $median; gives the input. Errors:
// 7436100 no object, 40414 missing field, 40415 unknown field, 2 bad method, 7750301 and 7750303
// bad `p`.
absl::StatusOr<ExpressionPtr> ParsePercentile(bson::ValueView operand, std::string_view name,
                                              const ParseContext& context,
                                              PercentileArguments* out);

class Percentiles {
 public:
  // What is no number is ignored.
  void Add(bson::ValueView value);
  // Null, or an array of nulls, if there was no number.
  bson::Value Result(const PercentileArguments& arguments);
  int64_t MemoryBytes() const { return static_cast<int64_t>(values_.size() * sizeof(double)); }

 private:
  std::vector<double> values_;
};

}  // namespace mayfly::engine
