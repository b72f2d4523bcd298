#include "bson/view.h"

#include <cstddef>

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

}  // namespace

int64_t internal::OtherValueSize(Type type, const uint8_t* p, const uint8_t* end) {
  if (type == Type::kBinary) {
    if (end - p < 5) return -1;
    const int64_t n = Load<int32_t>(p);
    return n < 0 || n > end - p - 5 ? -1 : n + 5;
  }
  if (type == Type::kRegex) return RegexSize(p, end);
  if (type == Type::kDbPointer) {
    const int64_t n = StringSize(p, end);
    return n < 0 || end - p - n < 12 ? -1 : n + 12;
  }
  return type == Type::kCodeWithScope ? SelfSize(p, end, 14) : -1;
}

View::View() : data_(kEmptyDocument) {}

ValueView View::Find(std::string_view key) const {
  const uint8_t* p = data_ + 4;
  const uint8_t* end = data_ + size() - 1;
  const auto key_size = static_cast<ptrdiff_t>(key.size());
  while (p < end) {
    const auto type = static_cast<Type>(*p++);
    const uint8_t* nul = internal::FindNul(p, end);
    if (nul == nullptr) return {};
    const int64_t value_size = ValueSize(type, nul + 1, end);
    if (value_size < 0) return {};
    if (nul - p == key_size && std::memcmp(p, key.data(), key.size()) == 0) {
      return ValueView(type, nul + 1, static_cast<uint32_t>(value_size));
    }
    p = nul + 1 + value_size;
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
