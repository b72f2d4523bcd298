// The BSON types and the small fixed-size values. https://bsonspec.org/spec.html
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

namespace mayfly::bson {

// The type byte of an element. kMissing (the end-of-object byte) stands for "no such field".
enum class Type : uint8_t {
  kMissing = 0x00,
  kDouble = 0x01,
  kString = 0x02,
  kDocument = 0x03,
  kArray = 0x04,
  kBinary = 0x05,
  kUndefined = 0x06,
  kObjectId = 0x07,
  kBool = 0x08,
  kDate = 0x09,
  kNull = 0x0A,
  kRegex = 0x0B,
  kDbPointer = 0x0C,
  kCode = 0x0D,
  kSymbol = 0x0E,
  kCodeWithScope = 0x0F,
  kInt32 = 0x10,
  kTimestamp = 0x11,
  kInt64 = 0x12,
  kDecimal128 = 0x13,
  kMaxKey = 0x7F,
  kMinKey = 0xFF,
};

// MongoDB's name of the type as `$type` and error texts give it: "double", "int", "objectId", "missing" ...
std::string_view TypeName(Type type);

// Rank in MongoDB's order between types: MinKey < (undefined) < null < numbers < string, symbol < object < array
// < binary < objectId < bool < date < timestamp < regex < dbPointer < code < codeWithScope < MaxKey.
// Missing ranks below null and above MinKey.
int CanonicalRank(Type type);

struct ObjectId {
  std::array<uint8_t, 12> bytes{};
  auto operator<=>(const ObjectId&) const = default;
};

// BSON timestamp: seconds and increment.
struct Timestamp {
  uint32_t seconds = 0;
  uint32_t increment = 0;
  auto operator<=>(const Timestamp&) const = default;
};

// IEEE 754-2008 decimal128 in binary integer decimal encoding, as BSON stores it. Arithmetic is in number.h.
struct Decimal128 {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Decimal128&) const = default;  // same bits, not same value
};

struct Binary {
  uint8_t subtype = 0;
  std::string_view bytes;  // without the inner length of subtype 2
};

struct Regex {
  std::string_view pattern;
  std::string_view options;
};

struct DbPointer {
  std::string_view ns;
  ObjectId id;
};

enum BinarySubtype : uint8_t {
  kBinaryGeneric = 0,
  kBinaryFunction = 1,
  kBinaryOld = 2,
  kBinaryUuidOld = 3,
  kBinaryUuid = 4,
  kBinaryMd5 = 5,
};

}  // namespace mayfly::bson
