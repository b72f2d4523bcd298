// Arbitrary bytes as a key: three bytes say direction, number of fields and size of the type bits.
// What is decoded is valid.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bson/builder.h"
#include "bson/validate.h"
#include "engine/keys/key_encoder.h"
#include "engine/keys/record_id.h"

namespace mayfly::engine {
namespace {

void Check(std::string_view bytes) {
  if (bytes.size() < 3) return;
  const Ordering ordering(static_cast<uint8_t>(bytes[0]));
  const int fields = bytes[1] & 7;
  const size_t bit_bytes = static_cast<uint8_t>(bytes[2]) & 15;
  bytes.remove_prefix(3);
  const std::string_view type_bits = bytes.substr(0, bit_bytes);
  const std::string_view key = bytes.substr(type_bits.size());
  size_t size = 0;
  DecodeRecordIdAtEnd(key, &size);
  const auto values = DecodeKey(key, type_bits, ordering, fields);
  if (values.ok() != PrefixSize(key, ordering, fields).ok()) std::abort();
  if (!values.ok()) return;
  const bson::Document array = bson::MakeArray(*values);
  // One level more than the values themselves may have.
  if (!bson::ValidateDocument(array.bytes(), base::kMaxNestingDepth + 1).ok()) std::abort();
}

}  // namespace
}  // namespace mayfly::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mayfly::engine::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
