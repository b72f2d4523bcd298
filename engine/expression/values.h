// Small helpers over values that all families of operators use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bson/builder.h"
#include "bson/value.h"

namespace mayfly::engine {

// Builds one array value. Missing values are stored as null.
class ArrayBuilder {
 public:
  ArrayBuilder() : builder_(&bytes_) { builder_.OpenArray(""); }
  void Push(bson::ValueView value) { builder_.Push(value); }
  bson::Builder& builder() { return builder_; }
  // Bytes so far.
  size_t size() const { return bytes_.size(); }
  bson::Value Finish();

 private:
  std::string bytes_;
  bson::Builder builder_;
};

// The elements of an array, as views into it.
std::vector<bson::ValueView> Elements(bson::ValueView array);

// An array of the given values; missing becomes null.
template <typename Range>
bson::Value MakeArrayValue(const Range& values) {
  ArrayBuilder out;
  for (const auto& value : values) out.Push(value);
  return out.Finish();
}

// Numbers as MongoDB's texts print them: 1.5, 1, nan, inf, 1e+20.
std::string DoubleToText(double v);
// A value for an error text: strings quoted, documents in shell notation.
std::string ValueText(bson::ValueView value);

}  // namespace mayfly::engine
