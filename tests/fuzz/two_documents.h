// The input of most targets: two documents, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bson/validate.h"
#include "bson/view.h"

namespace mayfly::fuzz {

struct TwoDocuments {
  bson::View first;
  bson::View second;
};

// Nothing if the bytes are not two well-formed documents.
inline std::optional<TwoDocuments> SplitInput(const uint8_t* data, size_t size) {
  constexpr size_t kSmallest = 5;
  if (size < 2 * kSmallest) return std::nullopt;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const uint32_t first_size = bson::View(bytes).size();
  if (first_size < kSmallest || first_size > size - kSmallest) return std::nullopt;
  const std::string_view first = bytes.substr(0, first_size);
  const std::string_view second = bytes.substr(first_size);
  if (!bson::ValidateDocument(first).ok() || !bson::ValidateDocument(second).ok()) {
    return std::nullopt;
  }
  return TwoDocuments{bson::View(first), bson::View(second)};
}

}  // namespace mayfly::fuzz
