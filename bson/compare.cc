#include "bson/compare.h"

#include <cstring>

#include "absl/hash/hash.h"
#include "base/strings.h"
#include "bson/number.h"

namespace mayfly::bson {
namespace {

int Sign(int order) { return (order > 0) - (order < 0); }

template <typename T>
int Order(T a, T b) {
  return (a > b) - (a < b);
}

int CompareText(std::string_view a, std::string_view b) { return Sign(a.compare(b)); }

int CompareStrings(std::string_view a, std::string_view b, const StringComparator* strings) {
  return strings == nullptr ? CompareText(a, b) : Sign(strings->Compare(a, b));
}

// Binary data and DBPointers: the shorter first, then by bytes. The bytes after the length prefix
// start with the subtype of binary data.
int CompareSized(ValueView a, ValueView b) {
  if (a.size() != b.size()) return Order(a.size(), b.size());
  return Sign(std::memcmp(a.data() + 4, b.data() + 4, a.size() - 4));
}

int CompareRegexes(Regex a, Regex b) {
  const int order = CompareText(a.pattern, b.pattern);
  return order != 0 ? order : CompareText(a.options, b.options);
}

int CompareCodeWithScope(ValueView a, ValueView b, const StringComparator* strings) {
  const int order = CompareText(a.AsCodeWithScopeCode(), b.AsCodeWithScopeCode());
  if (order != 0) return order;
  return CompareDocuments(a.AsCodeWithScopeScope(), b.AsCodeWithScopeScope(), strings);
}

int CompareArrays(View a, View b, const StringComparator* strings) {
  auto x = a.begin(), y = b.begin();
  const auto x_end = a.end(), y_end = b.end();
  for (; x != x_end && y != y_end; ++x, ++y) {
    if (const int order = Compare(x->value, y->value, strings)) return order;
  }
  return static_cast<int>(x != x_end) - static_cast<int>(y != y_end);
}

// Both of the same rank.
int CompareValues(ValueView a, ValueView b, const StringComparator* strings) {
  switch (a.type()) {
    case Type::kMissing:
    case Type::kUndefined:
    case Type::kNull:
    case Type::kMinKey:
    case Type::kMaxKey:
      return 0;
    case Type::kInt32:
    case Type::kInt64:
    case Type::kDouble:
    case Type::kDecimal128:
      return CompareNumbers(a, b);
    case Type::kString:
    case Type::kSymbol:
      return CompareStrings(a.AsString(), b.AsString(), strings);
    case Type::kDocument:
      return CompareDocuments(a.AsDocument(), b.AsDocument(), strings);
    case Type::kArray:
      return CompareArrays(a.AsDocument(), b.AsDocument(), strings);
    case Type::kBinary:
    case Type::kDbPointer:
      return CompareSized(a, b);
    case Type::kObjectId:
      return Sign(std::memcmp(a.data(), b.data(), 12));
    case Type::kBool:
      return Order(a.AsBool(), b.AsBool());
    case Type::kDate:
      return Order(a.AsDate(), b.AsDate());
    case Type::kTimestamp:
      return Order(internal::Load<uint64_t>(a.data()), internal::Load<uint64_t>(b.data()));
    case Type::kRegex:
      return CompareRegexes(a.AsRegex(), b.AsRegex());
    case Type::kCode:
      return CompareText(a.AsString(), b.AsString());
    case Type::kCodeWithScope:
      return CompareCodeWithScope(a, b, strings);
  }
  return 0;
}

uint64_t Mix(uint64_t seed, uint64_t v) {
  seed ^= v + 0x9E3779B97F4A7C15u + (seed << 12) + (seed >> 4);
  seed *= 0xFF51AFD7ED558CCDu;
  return seed ^ (seed >> 32);
}

uint64_t HashBytes(std::string_view bytes) {
  return absl::Hash<absl::string_view>{}(base::ToAbsl(bytes));
}

uint64_t HashNumber(ValueView number) {
  if (const auto whole = ToInt64Exact(number)) return static_cast<uint64_t>(*whole);
  if (IsNaN(number)) return ~uint64_t{0};
  const double v = ToDouble(number);
  uint64_t bits;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}

uint64_t HashContainer(View view, bool with_names, const StringComparator* strings) {
  uint64_t hash = 0;
  for (const Element& e : view) {
    if (with_names) hash = Mix(hash, HashBytes(e.key));
    hash = Mix(hash, Hash(e.value, strings));
  }
  return hash;
}

uint64_t HashString(std::string_view text, const StringComparator* strings) {
  if (strings == nullptr) return HashBytes(text);
  std::string sort_key;
  strings->AppendSortKey(text, &sort_key);
  return HashBytes(sort_key);
}

uint64_t HashValue(ValueView value, const StringComparator* strings) {
  switch (value.type()) {
    case Type::kInt32:
    case Type::kInt64:
    case Type::kDouble:
    case Type::kDecimal128:
      return HashNumber(value);
    case Type::kString:
    case Type::kSymbol:
      return HashString(value.AsString(), strings);
    case Type::kDocument:
      return HashContainer(value.AsDocument(), true, strings);
    case Type::kArray:
      return HashContainer(value.AsDocument(), false, strings);
    case Type::kCodeWithScope:
      return Mix(HashBytes(value.AsCodeWithScopeCode()),
                 HashContainer(value.AsCodeWithScopeScope(), true, strings));
    case Type::kMissing:
    case Type::kUndefined:
    case Type::kNull:
    case Type::kMinKey:
    case Type::kMaxKey:
    case Type::kBinary:
    case Type::kDbPointer:
    case Type::kObjectId:
    case Type::kBool:
    case Type::kDate:
    case Type::kTimestamp:
    case Type::kRegex:
    case Type::kCode:
      return HashBytes(value.bytes());
  }
  return 0;
}

}  // namespace

int Compare(ValueView a, ValueView b, const StringComparator* strings) {
  const int a_rank = CanonicalRank(a.type()), b_rank = CanonicalRank(b.type());
  return a_rank != b_rank ? Order(a_rank, b_rank) : CompareValues(a, b, strings);
}

int CompareDocuments(View a, View b, const StringComparator* strings) {
  auto x = a.begin(), y = b.begin();
  const auto x_end = a.end(), y_end = b.end();
  for (; x != x_end && y != y_end; ++x, ++y) {
    const int x_rank = CanonicalRank(x->value.type()), y_rank = CanonicalRank(y->value.type());
    if (x_rank != y_rank) return Order(x_rank, y_rank);
    if (const int order = CompareText(x->key, y->key)) return order;
    if (const int order = CompareValues(x->value, y->value, strings)) return order;
  }
  return static_cast<int>(x != x_end) - static_cast<int>(y != y_end);
}

uint64_t Hash(ValueView value, const StringComparator* strings) {
  return Mix(static_cast<uint64_t>(CanonicalRank(value.type())), HashValue(value, strings));
}

bool SameOrder(const StringComparator* a, const StringComparator* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  return !a->identity().empty() && a->identity() == b->identity();
}

}  // namespace mayfly::bson
