// The values of an arbitrary document as keys: their bytes order as Compare does, and give the
// values back.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "bson/compare.h"
#include "bson/number.h"
#include "bson/validate.h"
#include "engine/keys/key_encoder.h"

namespace mayfly::engine {
namespace {

constexpr size_t kMaxValues = 16;

void Expect(bool condition) {
  if (!condition) std::abort();
}

int Sign(int order) { return (order > 0) - (order < 0); }

struct Key {
  bson::ValueView value;
  std::string bytes;
};

void CheckPair(const Key& a, const Key& b) {
  const int order = bson::Compare(a.value, b.value);
  Expect(Sign(a.bytes.compare(b.bytes)) == order);
  if (order == 0) {
    Expect(bson::Hash(a.value) == bson::Hash(b.value));
  } else {
    Expect(a.bytes.compare(0, b.bytes.size(), b.bytes) != 0);
  }
}

void Check(std::string_view bytes) {
  if (!bson::ValidateDocument(bytes, 20).ok()) return;
  std::vector<Key> keys;
  const KeyEncoder encoder;
  for (const bson::Element& e : bson::View(bytes)) {
    if (keys.size() == kMaxValues) break;
    Key key{e.value, {}};
    TypeBits bits;
    encoder.Append(0, e.value, &key.bytes, &bits);
    const auto decoded = DecodeKey(key.bytes, bits.bytes(), {}, 1);
    Expect(decoded.ok());
    Expect(bson::Compare((*decoded)[0], e.value) == 0);
    keys.push_back(std::move(key));
  }
  for (const Key& a : keys) {
    for (const Key& b : keys) CheckPair(a, b);
  }
}

}  // namespace
}  // namespace mayfly::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mayfly::engine::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
