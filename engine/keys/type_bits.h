// What a key does not tell about its values: bits beside the key, read back in the order in which
// they were written.
//
//   number      code (2 bits): 0 natural type, 1 double, 2 int64, 3 decimal
//               after 3, the exponent of the decimal plus 6176 (14 bits)
//               of a zero that is a double or decimal, last: 1 if negative (1 bit)
//   string      1 if a symbol (1 bit)
//   undefined   1 if missing (1 bit)
//
// The natural type of an integral value is int32 if it fits, else int64; of any other value,
// double. So keys of int32, large int64, fractional doubles and strings have no bit set. Bits fill
// bytes from the lowest; bytes that would end in zeros are left out, so most keys have an empty
// buffer, and what is read beyond its end is zero.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mayfly::engine {

enum class NumberCode : uint32_t { kNatural = 0, kDouble = 1, kInt64 = 2, kDecimal = 3 };

class TypeBits {
 public:
  void Append(uint32_t bits, int count) {
    if (bits != 0) Set(bits);
    size_ += count;
  }
  const std::string& bytes() const { return bytes_; }
  void Clear() {
    bytes_.clear();
    size_ = 0;
  }

 private:
  void Set(uint32_t bits);

  std::string bytes_;
  size_t size_ = 0;  // in bits
};

class TypeBitsReader {
 public:
  explicit TypeBitsReader(std::string_view bytes) : bytes_(bytes) {}
  uint32_t Read(int count);

 private:
  std::string_view bytes_;
  size_t position_ = 0;  // in bits
};

}  // namespace mayfly::engine
