#include <limits>

#include "engine/keys/key_encoder.h"

namespace mayfly::engine {
namespace {

using bson::Type;
using bson::Value;

constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();

Value LowestObjectId() { return Value::FromObjectId({}); }

Value HighestObjectId() {
  bson::ObjectId id;
  id.bytes.fill(0xFF);
  return Value::FromObjectId(id);
}

// A value of a type whose bytes are given: those without a factory of their own.
Value Raw(Type type, std::string_view bytes) {
  return Value(bson::ValueView(type, reinterpret_cast<const uint8_t*>(bytes.data()),
                               static_cast<uint32_t>(bytes.size())));
}

// An empty namespace and the lowest id.
Value LowestDbPointer() {
  std::string bytes("\x01\0\0\0\0", 5);
  return Raw(Type::kDbPointer, bytes.append(12, '\0'));
}

// Empty code with an empty scope.
Value LowestCodeWithScope() {
  return Raw(Type::kCodeWithScope, std::string_view("\x0E\0\0\0\x01\0\0\0\0\x05\0\0\0\0", 14));
}

ValueBracket Single(const Value& value) { return {value, value}; }

}  // namespace

ValueBracket BracketOf(Type type) {
  const bson::Document empty;
  switch (type) {
    case Type::kMissing:
    case Type::kUndefined:
      return Single(Value::Undefined());
    case Type::kDouble:
    case Type::kInt32:
    case Type::kInt64:
    case Type::kDecimal128:
      return {Value::Double(std::numeric_limits<double>::quiet_NaN()),
              Value::Double(std::numeric_limits<double>::infinity())};
    case Type::kString:
    case Type::kSymbol:
      return {Value::String(""), Value::FromDocument(empty), false};
    case Type::kDocument:
      return {Value::FromDocument(empty), Value::FromArray(empty), false};
    case Type::kArray:
      return {Value::FromArray(empty), Value::FromBinary(0, ""), false};
    case Type::kBinary:
      return {Value::FromBinary(0, ""), LowestObjectId(), false};
    case Type::kObjectId:
      return {LowestObjectId(), HighestObjectId()};
    case Type::kBool:
      return {Value::Bool(false), Value::Bool(true)};
    case Type::kDate:
      return {Value::Date(kMin64), Value::Date(kMax64)};
    case Type::kNull:
      return Single(Value::Null());
    case Type::kTimestamp:
      return {Value::FromTimestamp({0, 0}), Value::FromTimestamp({~uint32_t{0}, ~uint32_t{0}})};
    case Type::kRegex:
      return {Value::FromRegex("", ""), LowestDbPointer(), false};
    case Type::kDbPointer:
      return {LowestDbPointer(), Value::Code(""), false};
    case Type::kCode:
      return {Value::Code(""), LowestCodeWithScope(), false};
    case Type::kCodeWithScope:
      return {LowestCodeWithScope(), Value::MaxKey(), false};
    case Type::kMaxKey:
      return Single(Value::MaxKey());
    case Type::kMinKey:
      return Single(Value::MinKey());
  }
  return Single(Value::Undefined());
}

}  // namespace mayfly::engine
