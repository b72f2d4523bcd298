#include "bson/value.h"

#include <cstdlib>
#include <limits>
#include <new>

namespace mayfly::bson {

uint8_t* Value::Allocate(Type type, uint32_t size) {
  type_ = type;
  size_ = size;
  if (size <= kInlineSize) return inline_;
  void* memory = std::malloc(sizeof(Heap) + size);
  if (memory == nullptr) throw std::bad_alloc();
  heap_ = new (memory) Heap{};
  heap_->references.store(1, std::memory_order_relaxed);
  return heap_->bytes;
}

void Value::Release() {
  if (is_inline()) return;
  if (heap_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    heap_->~Heap();
    std::free(heap_);
  }
}

Value::Value(ValueView view) {
  uint8_t* out = Allocate(view.type(), view.size());
  if (view.size() > 0) std::memcpy(out, view.data(), view.size());
}

Value::Value(const Value& other) : size_(other.size_), type_(other.type_) {
  std::memcpy(inline_, other.inline_, kInlineSize);
  if (!is_inline()) heap_->references.fetch_add(1, std::memory_order_relaxed);
}

Value::Value(Value&& other) noexcept : size_(other.size_), type_(other.type_) {
  std::memcpy(inline_, other.inline_, kInlineSize);
  other.size_ = 0;
  other.type_ = Type::kMissing;
}

Value& Value::operator=(const Value& other) {
  if (this != &other) *this = Value(other);
  return *this;
}

Value& Value::operator=(Value&& other) noexcept {
  if (this == &other) return *this;
  Release();
  std::memcpy(inline_, other.inline_, kInlineSize);
  size_ = std::exchange(other.size_, 0);
  type_ = std::exchange(other.type_, Type::kMissing);
  return *this;
}

Value::~Value() { Release(); }

template <typename T>
Value Value::Fixed(Type type, const T& v) {
  Value result;
  std::memcpy(result.Allocate(type, sizeof v), &v, sizeof v);
  return result;
}

Value Value::Null() { return Value(ValueView(Type::kNull, nullptr, 0)); }
Value Value::Undefined() { return Value(ValueView(Type::kUndefined, nullptr, 0)); }
Value Value::MinKey() { return Value(ValueView(Type::kMinKey, nullptr, 0)); }
Value Value::MaxKey() { return Value(ValueView(Type::kMaxKey, nullptr, 0)); }
Value Value::Bool(bool v) { return Fixed(Type::kBool, static_cast<uint8_t>(v)); }
Value Value::Int32(int32_t v) { return Fixed(Type::kInt32, v); }
Value Value::Int64(int64_t v) { return Fixed(Type::kInt64, v); }
Value Value::Double(double v) { return Fixed(Type::kDouble, v); }
Value Value::FromDecimal128(Decimal128 v) { return Fixed(Type::kDecimal128, v); }
Value Value::Date(int64_t ms) { return Fixed(Type::kDate, ms); }

Value Value::FromTimestamp(Timestamp t) {
  return Fixed(Type::kTimestamp, (static_cast<uint64_t>(t.seconds) << 32) | t.increment);
}

Value Value::FromObjectId(const ObjectId& id) { return Fixed(Type::kObjectId, id.bytes); }

namespace {

void PutLength(uint8_t* out, size_t n) {
  const auto length = static_cast<int32_t>(n);
  std::memcpy(out, &length, 4);
}

}  // namespace

Value Value::String(std::string_view v) {
  Value result;
  uint8_t* out = result.Allocate(Type::kString, static_cast<uint32_t>(v.size() + 5));
  PutLength(out, v.size() + 1);
  std::memcpy(out + 4, v.data(), v.size());
  out[4 + v.size()] = 0;
  return result;
}

Value Value::Symbol(std::string_view v) {
  Value result = String(v);
  result.type_ = Type::kSymbol;
  return result;
}

Value Value::Code(std::string_view v) {
  Value result = String(v);
  result.type_ = Type::kCode;
  return result;
}

Value Value::FromBinary(uint8_t subtype, std::string_view bytes) {
  const size_t inner = subtype == kBinaryOld ? 4 : 0;
  Value result;
  uint8_t* out = result.Allocate(Type::kBinary, static_cast<uint32_t>(5 + inner + bytes.size()));
  PutLength(out, inner + bytes.size());
  out[4] = subtype;
  if (inner != 0) PutLength(out + 5, bytes.size());
  std::memcpy(out + 5 + inner, bytes.data(), bytes.size());
  return result;
}

Value Value::FromRegex(std::string_view pattern, std::string_view options) {
  Value result;
  uint8_t* out =
      result.Allocate(Type::kRegex, static_cast<uint32_t>(pattern.size() + options.size() + 2));
  std::memcpy(out, pattern.data(), pattern.size());
  out[pattern.size()] = 0;
  std::memcpy(out + pattern.size() + 1, options.data(), options.size());
  out[pattern.size() + 1 + options.size()] = 0;
  return result;
}

Value Value::FromDocument(View v) { return Value(ValueView(Type::kDocument, v.data(), v.size())); }
Value Value::FromArray(View v) { return Value(ValueView(Type::kArray, v.data(), v.size())); }

Value Value::IntFitting(int64_t v) {
  const bool fits =
      v >= std::numeric_limits<int32_t>::min() && v <= std::numeric_limits<int32_t>::max();
  return fits ? Int32(static_cast<int32_t>(v)) : Int64(v);
}

}  // namespace mayfly::bson
