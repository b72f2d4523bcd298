#include "engine/expression/hashed_key.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <string>

#include "base/limits.h"
#include "bson/number.h"

namespace mayfly::engine {
namespace {

using bson::Type;
using bson::ValueView;

// The numbers that stand for types in what is hashed: those that compare alike share one.
int32_t TypeNumber(Type type) {
  switch (type) {
    case Type::kMinKey:
      return -1;
    case Type::kMaxKey:
      return 127;
    case Type::kMissing:
    case Type::kUndefined:
      return 0;
    case Type::kNull:
      return 5;
    case Type::kInt32:
    case Type::kInt64:
    case Type::kDouble:
    case Type::kDecimal128:
      return 10;
    case Type::kString:
    case Type::kSymbol:
      return 15;
    case Type::kDocument:
      return 20;
    case Type::kArray:
      return 25;
    case Type::kBinary:
      return 30;
    case Type::kObjectId:
      return 35;
    case Type::kBool:
      return 40;
    case Type::kDate:
      return 45;
    case Type::kTimestamp:
      return 47;
    case Type::kRegex:
      return 50;
    case Type::kDbPointer:
      return 55;
    case Type::kCode:
      return 60;
    case Type::kCodeWithScope:
      return 65;
  }
  return 0;
}

template <typename T>
void AppendRaw(const T& v, std::string* out) {
  out->append(reinterpret_cast<const char*>(&v), sizeof v);
}

void AppendValue(ValueView value, int depth, std::string* out);

void AppendFields(bson::View document, int depth, std::string* out) {
  for (const bson::Element& element : document) {
    AppendRaw(TypeNumber(element.value.type()), out);
    out->append(element.key).push_back('\0');
    AppendValue(element.value, depth + 1, out);
  }
  AppendRaw(TypeNumber(Type::kMissing), out);
}

void AppendValue(ValueView value, int depth, std::string* out) {
  if (depth > base::kMaxNestingDepth) return;
  if (value.IsNumber()) {
    AppendRaw(bson::ToInt64Truncated(value), out);
  } else if (value.IsContainer()) {
    AppendFields(value.AsDocument(), depth, out);
  } else if (value.type() == Type::kCodeWithScope) {
    AppendFields(value.AsCodeWithScopeScope(), depth, out);
  } else {
    out->append(value.bytes());
  }
}

}  // namespace

int64_t HashedKey(ValueView value) {
  constexpr ValueView kNullView(Type::kNull, nullptr, 0);
  if (value.IsMissing()) value = kNullView;
  constexpr int32_t kSeed = 0;
  std::string text;
  AppendRaw(kSeed, &text);
  AppendRaw(TypeNumber(value.type()), &text);
  AppendValue(value, 0, &text);
  std::array<uint8_t, EVP_MAX_MD_SIZE> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_md5(), nullptr);
  return bson::internal::Load<int64_t>(digest.data());
}

}  // namespace mayfly::engine
