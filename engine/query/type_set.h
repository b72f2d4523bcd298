// A set of BSON types as `$type` and `bsonType` name them.
#pragma once

#include <bitset>
#include <string_view>

#include "absl/status/status.h"
#include "bson/builder.h"
#include "bson/types.h"
#include "bson/view.h"

namespace mayfly::engine {

class TypeSet {
 public:
  // Adds the types that an alias ("int", "number") or a number names. Errors: 2 BadValue for an
  // unknown one, 14 TypeMismatch if `value` is neither text nor a number.
  absl::Status Add(bson::ValueView value);
  // Adds by alias only; 2 BadValue for an unknown one.
  absl::Status AddAlias(std::string_view alias);
  void Insert(bson::Type type) { types_.set(static_cast<uint8_t>(type)); }

  bool Has(bson::Type type) const {
    return types_.test(static_cast<uint8_t>(type)) ||
           (all_numbers_ && (type == bson::Type::kDouble || type == bson::Type::kInt32 ||
                             type == bson::Type::kInt64 || type == bson::Type::kDecimal128));
  }
  bool all_numbers() const { return all_numbers_; }
  bool empty() const { return !all_numbers_ && types_.none(); }
  // Calls `visit` with each type, "number" taken apart.
  template <typename Visitor>
  void ForEach(Visitor visit) const {
    for (int code = 0; code < 256; ++code) {
      const auto type = static_cast<bson::Type>(code);
      if (Has(type)) visit(type);
    }
  }
  // Pushes the types into the open array: "number", then codes.
  void Push(bson::Builder* out) const;

 private:
  std::bitset<256> types_;
  bool all_numbers_ = false;
};

}  // namespace mayfly::engine
