// Reads the bytes of a key, complemented ones included, and remembers whether it ran past the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mayfly::engine {

class KeyReader {
 public:
  explicit KeyReader(std::string_view bytes) : bytes_(bytes) {}

  // From here on bytes are read complemented, or no longer, if they were.
  void Complement() { mask_ ^= 0xFF; }

  // The next byte; past the end, 0 and failed().
  uint8_t Byte() {
    if (position_ == bytes_.size()) {
      failed_ = true;
      return 0;
    }
    return static_cast<uint8_t>(static_cast<uint8_t>(bytes_[position_++]) ^ mask_);
  }
  // Takes the next byte if it is `byte`.
  bool TakeIf(uint8_t byte) {
    const bool is_next =
        position_ < bytes_.size() && (static_cast<uint8_t>(bytes_[position_]) ^ mask_) == byte;
    if (is_next) ++position_;
    return is_next;
  }
  // `count` <= 8 bytes, big-endian.
  uint64_t Number(int count) {
    uint64_t v = 0;
    for (int i = 0; i < count; ++i) v = v << 8 | Byte();
    return v;
  }
  // `count` bytes appended to `*out`; none if there are fewer.
  void Bytes(size_t count, std::string* out) {
    if (count > bytes_.size() - position_) return Fail();
    for (size_t i = 0; i < count; ++i) out->push_back(static_cast<char>(Byte()));
  }

  void Fail() {
    failed_ = true;
    position_ = bytes_.size();
  }
  bool failed() const { return failed_; }
  size_t position() const { return position_; }

 private:
  std::string_view bytes_;
  size_t position_ = 0;
  uint8_t mask_ = 0;
  bool failed_ = false;
};

}  // namespace mayfly::engine
