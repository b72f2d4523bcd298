// Owning counterparts of the views: Document (bytes of one document) and Value (one value of any
// type).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bson/view.h"

namespace mayfly::bson {

// The bytes of one document. Movable and copyable; the empty document by default.
class Document {
 public:
  Document() : bytes_("\x05\0\0\0\0", 5) {}
  explicit Document(std::string bytes) : bytes_(std::move(bytes)) {}
  explicit Document(View view) : bytes_(view.bytes()) {}

  View view() const { return View(std::string_view(bytes_)); }
  operator View() const { return view(); }  // NOLINT(google-explicit-constructor)
  const std::string& bytes() const { return bytes_; }
  std::string TakeBytes() && { return std::move(bytes_); }
  bool empty() const { return bytes_.size() <= 5; }
  ValueView Find(std::string_view key) const { return view().Find(key); }

 private:
  std::string bytes_;
};

// One value of any type, missing included. Immutable; copies share the bytes of large values
// (thread-safe counter).
class Value {
 public:
  Value() = default;               // missing
  explicit Value(ValueView view);  // copies the bytes
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  static Value Missing() { return {}; }
  static Value Null();
  static Value Undefined();
  static Value MinKey();
  static Value MaxKey();
  static Value Bool(bool v);
  static Value Int32(int32_t v);
  static Value Int64(int64_t v);
  static Value Double(double v);
  static Value FromDecimal128(Decimal128 v);
  static Value Date(int64_t ms);
  static Value FromTimestamp(Timestamp t);
  static Value FromObjectId(const ObjectId& id);
  static Value String(std::string_view v);
  static Value Symbol(std::string_view v);
  static Value Code(std::string_view v);
  static Value FromBinary(uint8_t subtype, std::string_view bytes);
  static Value FromRegex(std::string_view pattern, std::string_view options);
  static Value FromDocument(View v);
  static Value FromArray(View v);
  // int32 if it fits, int64 otherwise.
  static Value IntFitting(int64_t v);

  // Valid until this Value is destroyed, moved from or assigned to.
  ValueView view() const { return ValueView(type_, data(), size_); }
  operator ValueView() const { return view(); }  // NOLINT(google-explicit-constructor)
  Type type() const { return type_; }
  bool IsMissing() const { return type_ == Type::kMissing; }
  bool IsNullish() const { return view().IsNullish(); }
  bool IsNumber() const { return view().IsNumber(); }

 private:
  static constexpr uint32_t kInlineSize = 16;
  struct Heap {
    std::atomic<uint32_t> references;
    uint8_t bytes[];
  };

  bool is_inline() const { return size_ <= kInlineSize; }
  const uint8_t* data() const { return is_inline() ? inline_ : heap_->bytes; }
  uint8_t* Allocate(Type type, uint32_t size);
  void Release();
  template <typename T>
  static Value Fixed(Type type, const T& v);

  union {
    uint8_t inline_[kInlineSize];
    Heap* heap_;
  };
  uint32_t size_ = 0;
  Type type_ = Type::kMissing;
};

}  // namespace mayfly::bson
