#include "base/random.h"

#include <cstring>

namespace mayfly::base {

Random Random::FromSystem() {
  std::random_device device;
  const uint64_t seed = (static_cast<uint64_t>(device()) << 32) | device();
  return Random(seed);
}

void Random::Fill(void* out, size_t size) {
  auto* bytes = static_cast<uint8_t*>(out);
  while (size > 0) {
    const uint64_t word = NextU64();
    const size_t n = size < sizeof word ? size : sizeof word;
    std::memcpy(bytes, &word, n);
    bytes += n;
    size -= n;
  }
}

}  // namespace mayfly::base
