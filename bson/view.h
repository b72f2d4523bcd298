// Views over BSON bytes: a document, an element, a value. They own nothing and copy nothing.
//
// The bytes must have passed ValidateDocument (validate.h) or come from a Builder; iteration over
// other bytes stays inside the given range but may end early. Views are as thread-safe as the bytes
// below them.
#pragma once

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
int64_t ValueSize(Type type, const uint8_t* p, const uint8_t* end);

}  // namespace mayfly::bson
