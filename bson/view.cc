#include "bson/view.h"

namespace mayfly::bson {
namespace {

constexpr uint8_t kEmptyDocument[5] = {5, 0, 0, 0, 0};

// Length of a string value including its prefix and NUL, or -1.
int64_t StringSize(const uint8_t* p, const uint8_t* end) {
  if (end - p < 5) return -1;
  const int64_t n = internal::Load<int32_t>(p);
  if (n < 1 || n > end - p - 4) return -1;
  return n + 4;
}

// Length of a document or of any other value that starts with its own total length, or -1.
int64_t SelfSize(const uint8_t* p, const uint8_t* end, int64_t at_least) {
  if (end - p < at_least) return -1;
  const int64_t n = internal::Load<int32_t>(p);
  return n < at_least || n > end - p ? -1 : n;
}

int64_t CStringSize(const uint8_t* p, const uint8_t* end) {
  const auto* nul = static_cast<const uint8_t*>(std::memchr(p, 0, end - p));
  return nul == nullptr ? -1 : nul - p + 1;
}

int64_t RegexSize(const uint8_t* p, const uint8_t* end) {
  const int64_t pattern = CStringSize(p, end);
  if (pattern < 0) return -1;
  const int64_t options = CStringSize(p + pattern, end);
  return options < 0 ? -1 : pattern + options;
}

int64_t Fixed(const uint8_t* p, const uint8_t* end, int64_t n) { return end - p < n ? -1 : n; }

}  // namespace

int64_t ValueSize(Type type, const uint8_t* p, const uint8_t* end) {
  switch (type) {
    case Type::kDouble:
    case Type::kDate:
    case Type::kTimestamp:
    case Type::kInt64:
      return Fixed(p, end, 8);
    case Type::kInt32:
      return Fixed(p, end, 4);
    case Type::kString:
    case Type::kCode:
    case Type::kSymbol:
      return StringSize(p, end);
    case Type::kDocument:
    case Type::kArray:
      return SelfSize(p, end, 5);
    case Type::kBinary: {
      if (end - p < 5) return -1;
      const int64_t n = internal::Load<int32_t>(p);
      return n < 0 || n > end - p - 5 ? -1 : n + 5;
    }
    case Type::kUndefined:
    case Type::kNull:
    case Type::kMinKey:
    case Type::kMaxKey:
      return 0;
    case Type::kObjectId:
      return Fixed(p, end, 12);
    case Type::kBool:
      return Fixed(p, end, 1);
    case Type::kRegex:
      return RegexSize(p, end);
    case Type::kDbPointer: {
      const int64_t n = StringSize(p, end);
      return n < 0 || end - p - n < 12 ? -1 : n + 12;
    }
    case Type::kCodeWithScope:
      return SelfSize(p, end, 14);
    case Type::kDecimal128:
      return Fixed(p, end, 16);
    case Type::kMissing:
      return -1;
  }
  return -1;
}

View::View() : data_(kEmptyDocument) {}

void View::Iterator::Parse() {
  if (p_ >= end_) {
    p_ = end_;
    return;
  }
  const auto type = static_cast<Type>(*p_);
  const uint8_t* name = p_ + 1;
  const int64_t name_size = CStringSize(name, end_);
  const int64_t value_size = name_size < 0 ? -1 : ValueSize(type, name + name_size, end_);
  if (value_size < 0) {
    p_ = end_;
    return;
  }
  element_.key = {reinterpret_cast<const char*>(name), static_cast<size_t>(name_size - 1)};
  element_.value = ValueView(type, name + name_size, static_cast<uint32_t>(value_size));
  next_ = name + name_size + value_size;
}

ValueView View::Find(std::string_view key) const {
  for (const Element& e : *this) {
    if (e.key == key) return e.value;
  }
  return {};
}

int View::Count() const {
  int n = 0;
  for (auto it = begin(), e = end(); it != e; ++it) ++n;
  return n;
}

Element View::First() const {
  auto it = begin();
  return it == end() ? Element{} : *it;
}

Binary ValueView::AsBinary() const {
  Binary b{data_[4], {reinterpret_cast<const char*>(data_) + 5, size_ - 5}};
  if (b.subtype == kBinaryOld && b.bytes.size() >= 4) b.bytes.remove_prefix(4);
  return b;
}

Regex ValueView::AsRegex() const {
  const char* p = reinterpret_cast<const char*>(data_);
  const std::string_view pattern(p);
  return {pattern, std::string_view(p + pattern.size() + 1)};
}

DbPointer ValueView::AsDbPointer() const {
  DbPointer result;
  result.ns = {reinterpret_cast<const char*>(data_) + 4, size_ - 5 - 12};
  std::memcpy(result.id.bytes.data(), data_ + size_ - 12, 12);
  return result;
}

std::string_view ValueView::AsCodeWithScopeCode() const {
  const auto n = internal::Load<uint32_t>(data_ + 4);
  return {reinterpret_cast<const char*>(data_) + 8, n - 1};
}

View ValueView::AsCodeWithScopeScope() const {
  const auto n = internal::Load<uint32_t>(data_ + 4);
  return View(data_ + 8 + n);
}

}  // namespace mayfly::bson
