// Views over BSON bytes: a document, an element, a value. They own nothing and copy nothing.
//
// The bytes must have passed ValidateDocument (validate.h) or come from a Builder; iteration over
// other bytes stays inside the given range but may end early. Views are as thread-safe as the bytes
// below them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "bson/types.h"

namespace mayfly::bson {

class View;

namespace internal {
template <typename T>
inline T Load(const uint8_t* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

// How the size of a value is found, by type: not negative, that many bytes; else one of k...Sized
// or kOther.
enum SizeClass : int8_t {
  kStringSized = -1,  // length prefix of what follows it
  kSelfSized = -2,    // length prefix that counts itself
  kOther = -3,        // in another way, or no type at all
};
constexpr std::array<int8_t, 256> MakeSizeClasses() {
  std::array<int8_t, 256> classes{};
  classes.fill(kOther);
  const auto set = [&classes](Type type, int8_t v) { classes[static_cast<uint8_t>(type)] = v; };
  for (Type type : {Type::kDouble, Type::kDate, Type::kTimestamp, Type::kInt64}) set(type, 8);
  for (Type type : {Type::kUndefined, Type::kNull, Type::kMinKey, Type::kMaxKey}) set(type, 0);
  for (Type type : {Type::kString, Type::kCode, Type::kSymbol}) set(type, kStringSized);
  for (Type type : {Type::kDocument, Type::kArray}) set(type, kSelfSized);
  set(Type::kInt32, 4);
  set(Type::kObjectId, 12);
  set(Type::kBool, 1);
  set(Type::kDecimal128, 16);
  return classes;
}
inline constexpr std::array<int8_t, 256> kSizeClasses = MakeSizeClasses();

// The first NUL in [p, end), or null. For names, which are short: quicker than a call of memchr.
inline const uint8_t* FindNul(const uint8_t* p, const uint8_t* end) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  for (; end - p >= 8; p += 8) {
    const auto v = Load<uint64_t>(p);
    const uint64_t zeros = (v - kOnes) & ~v & (kOnes << 7);
    if (zeros != 0) return p + std::countr_zero(zeros) / 8;
  }
  for (; p != end; ++p) {
    if (*p == 0) return p;
  }
  return nullptr;
}

int64_t OtherValueSize(Type type, const uint8_t* p, const uint8_t* end);
}  // namespace internal

// One value: its type and the bytes that follow the name in BSON. Default: missing.
// The As...() functions require the type they name; the Is...() functions never fail.
class ValueView {
 public:
  constexpr ValueView() = default;
  constexpr ValueView(Type type, const uint8_t* data, uint32_t size)
      : data_(data), size_(size), type_(type) {}

  Type type() const { return type_; }
  const uint8_t* data() const { return data_; }
  uint32_t size() const { return size_; }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(data_), size_}; }

  bool IsMissing() const { return type_ == Type::kMissing; }
  bool IsNull() const { return type_ == Type::kNull; }
  // null, undefined or missing.
  bool IsNullish() const {
    return type_ == Type::kNull || type_ == Type::kMissing || type_ == Type::kUndefined;
  }
  bool IsNumber() const {
    return type_ == Type::kInt32 || type_ == Type::kInt64 || type_ == Type::kDouble ||
           type_ == Type::kDecimal128;
  }
  bool IsInteger() const { return type_ == Type::kInt32 || type_ == Type::kInt64; }
  bool IsDocument() const { return type_ == Type::kDocument; }
  bool IsArray() const { return type_ == Type::kArray; }
  bool IsContainer() const { return IsDocument() || IsArray(); }
  bool IsString() const { return type_ == Type::kString; }
  bool IsBool() const { return type_ == Type::kBool; }

  double AsDouble() const { return internal::Load<double>(data_); }
  int32_t AsInt32() const { return internal::Load<int32_t>(data_); }
  int64_t AsInt64() const { return internal::Load<int64_t>(data_); }
  // Milliseconds since 1970-01-01 UTC.
  int64_t AsDate() const { return internal::Load<int64_t>(data_); }
  bool AsBool() const { return data_[0] != 0; }
  Decimal128 AsDecimal128() const {
    return {internal::Load<uint64_t>(data_), internal::Load<uint64_t>(data_ + 8)};
  }
  ObjectId AsObjectId() const {
    ObjectId id;
    std::memcpy(id.bytes.data(), data_, 12);
    return id;
  }
  Timestamp AsTimestamp() const {
    return {internal::Load<uint32_t>(data_ + 4), internal::Load<uint32_t>(data_)};
  }
  // String, symbol or code, without the trailing NUL; may contain NULs.
  std::string_view AsString() const {
    return {reinterpret_cast<const char*>(data_) + 4, size_ - 5};
  }
  View AsDocument() const;  // a document or an array
  Binary AsBinary() const;
  Regex AsRegex() const;
  DbPointer AsDbPointer() const;
  std::string_view AsCodeWithScopeCode() const;
  View AsCodeWithScopeScope() const;

 private:
  const uint8_t* data_ = nullptr;
  uint32_t size_ = 0;
  Type type_ = Type::kMissing;
};

// A named value inside a document. Default: no element (key empty, value missing).
struct Element {
  std::string_view key;
  ValueView value;
};

// A document or array. Default: the empty document.
class View {
 public:
  View();
  // `data` points to the length prefix; the range is taken from it.
  explicit View(const uint8_t* data) : data_(data) {}
  explicit View(std::string_view bytes) : data_(reinterpret_cast<const uint8_t*>(bytes.data())) {}

  const uint8_t* data() const { return data_; }
  uint32_t size() const { return internal::Load<uint32_t>(data_); }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(data_), size()}; }
  bool empty() const { return size() <= 5; }

  class Iterator {
   public:
    using value_type = Element;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const uint8_t* p, const uint8_t* end) : p_(p), end_(end) { Parse(); }
    const Element& operator*() const { return element_; }
    const Element* operator->() const { return &element_; }
    Iterator& operator++() {
      p_ = next_;
      Parse();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return p_ == other.p_; }

   private:
    void Parse();

    const uint8_t* p_ = nullptr;
    const uint8_t* next_ = nullptr;
    const uint8_t* end_ = nullptr;
    Element element_;
  };
  Iterator begin() const { return Iterator(data_ + 4, data_ + size() - 1); }
  Iterator end() const {
    const uint8_t* e = data_ + size() - 1;
    return Iterator(e, e);
  }

  // The first field named `key`; missing if there is none. Linear.
  ValueView Find(std::string_view key) const;
  bool Has(std::string_view key) const { return !Find(key).IsMissing(); }
  // Number of elements. Linear.
  int Count() const;
  // The first element; key empty and value missing if there is none.
  Element First() const;

 private:
  const uint8_t* data_;
};

inline View ValueView::AsDocument() const { return View(data_); }

// Bytes taken by a value of `type` that starts at `p` and must not reach beyond `end`; -1 if it
// does or `type` is unknown. Reads only length fields.
inline int64_t ValueSize(Type type, const uint8_t* p, const uint8_t* end) {
  const int64_t room = end - p;
  int64_t size = internal::kSizeClasses[static_cast<uint8_t>(type)];
  if (size >= 0) [[likely]]
    return size <= room ? size : -1;
  if (size == internal::kOther) return internal::OtherValueSize(type, p, end);
  if (room < 5) return -1;
  const bool is_string = size == internal::kStringSized;
  size = internal::Load<int32_t>(p) + (is_string ? int64_t{4} : 0);
  return size >= 5 && size <= room ? size : -1;
}

inline void View::Iterator::Parse() {
  if (p_ < end_) {
    const auto type = static_cast<Type>(*p_);
    const uint8_t* name = p_ + 1;
    const uint8_t* nul = internal::FindNul(name, end_);
    const int64_t size = nul == nullptr ? -1 : ValueSize(type, nul + 1, end_);
    if (size >= 0) [[likely]] {
      element_.key = {reinterpret_cast<const char*>(name), static_cast<size_t>(nul - name)};
      element_.value = ValueView(type, nul + 1, static_cast<uint32_t>(size));
      next_ = nul + 1 + size;
      return;
    }
  }
  p_ = end_;
}

}  // namespace mayfly::bson
