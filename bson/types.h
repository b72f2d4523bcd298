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

// MongoDB's name of the type as `$type` and error texts give it: "double", "int", "objectId",
// "missing" ...
std::string_view TypeName(Type type);

namespace internal {
constexpr std::array<int16_t, 256> MakeRanks() {
  std::array<int16_t, 256> ranks{};
  const auto set = [&ranks](Type type, int16_t rank) { ranks[static_cast<uint8_t>(type)] = rank; };
  set(Type::kMinKey, -1);
  set(Type::kMissing, 0);
  set(Type::kUndefined, 0);
  set(Type::kNull, 5);
  for (Type type : {Type::kDouble, Type::kInt32, Type::kInt64, Type::kDecimal128}) set(type, 10);
  set(Type::kString, 15);
  set(Type::kSymbol, 15);
  set(Type::kDocument, 20);
  set(Type::kArray, 25);
  set(Type::kBinary, 30);
  set(Type::kObjectId, 35);
  set(Type::kBool, 40);
  set(Type::kDate, 45);
  set(Type::kTimestamp, 47);
  set(Type::kRegex, 50);
  set(Type::kDbPointer, 55);
  set(Type::kCode, 60);
  set(Type::kCodeWithScope, 65);
  set(Type::kMaxKey, 127);
  return ranks;
}
inline constexpr std::array<int16_t, 256> kRanks = MakeRanks();
}  // namespace internal

// Rank in MongoDB's order between types: MinKey < undefined = missing < null < numbers < string =
// symbol < object < array < binary < objectId < bool < date < timestamp < regex < dbPointer < code
// < codeWithScope < MaxKey. Types of one rank compare by value; undefined equals missing.
inline int CanonicalRank(Type type) { return internal::kRanks[static_cast<uint8_t>(type)]; }

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

// IEEE 754-2008 decimal128 in binary integer decimal encoding, as BSON stores it. Arithmetic is in
// number.h.
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
