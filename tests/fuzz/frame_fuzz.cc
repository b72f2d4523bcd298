// The frame reader must give the same messages however the bytes are cut, and never read outside
// them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "wire/frame.h"
#include "wire/frame_reader.h"

namespace {

struct Outcome {
  std::vector<std::string> frames;
  bool broken = false;
  bool operator==(const Outcome&) const = default;
};

Outcome Read(std::string_view bytes, size_t chunk) {
  mayfly::wire::FrameReader reader;
  Outcome outcome;
  std::string frame;
  while (true) {
    const auto complete = reader.Next(&frame);
    if (!complete.ok()) {
      outcome.broken = true;
      return outcome;
    }
    if (*complete) {
      outcome.frames.push_back(frame);
      continue;
    }
    if (bytes.empty()) return outcome;
    const auto space = reader.Space();
    if (space.empty()) std::abort();
    const size_t count = std::min({chunk, bytes.size(), space.size()});
    std::memcpy(space.data(), bytes.data(), count);
    reader.Advance(count);
    bytes.remove_prefix(count);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = Read(bytes, bytes.size() + 1);
  const Outcome pieces = Read(bytes, static_cast<size_t>(data[0]) + 1);
  if (whole != pieces) std::abort();
  std::string joined;
  for (const std::string& frame : whole.frames) joined += frame;
  if (bytes.substr(0, joined.size()) != joined) std::abort();
  return 0;
}
