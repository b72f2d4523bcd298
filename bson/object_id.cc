#include "bson/object_id.h"

#include <cstring>

namespace mayfly::bson {

ObjectIdGenerator::ObjectIdGenerator(base::Random& random)
    : counter_(static_cast<uint32_t>(random.NextU64())) {
  random.Fill(process_, sizeof process_);
}

ObjectId ObjectIdGenerator::Next(int64_t now_ms) {
  const auto seconds = static_cast<uint32_t>(now_ms / 1000);
  const uint32_t count = counter_.fetch_add(1, std::memory_order_relaxed);
  ObjectId id;
  for (int i = 0; i < 4; ++i) id.bytes[i] = static_cast<uint8_t>(seconds >> (24 - 8 * i));
  std::memcpy(id.bytes.data() + 4, process_, sizeof process_);
  for (int i = 0; i < 3; ++i) id.bytes[9 + i] = static_cast<uint8_t>(count >> (16 - 8 * i));
  return id;
}

}  // namespace mayfly::bson
