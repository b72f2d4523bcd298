// Generates ObjectIds for documents that come without an `_id`.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/random.h"
#include "bson/types.h"

namespace mayfly::bson {

// Thread-safe.
class ObjectIdGenerator {
 public:
  explicit ObjectIdGenerator(base::Random& random);
  // Four bytes of seconds from `now_ms`, five random bytes of this process, three bytes of a
  // counter.
  ObjectId Next(int64_t now_ms);

 private:
  uint8_t process_[5];
  std::atomic<uint32_t> counter_;
};

}  // namespace mayfly::bson
