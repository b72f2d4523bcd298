#include "bson/validate.h"

#include "base/status.h"
#include "base/strings.h"
#include "bson/view.h"

namespace mayfly::bson {
namespace {

enum class Verdict { kValid, kInvalid, kTooDeep };

// Checks the strings inside values whose ValueSize() is already known to be within bounds.
bool EndsWithNul(const uint8_t* p, int64_t size) { return p[size - 1] == 0; }

// What follows the length prefix of binary subtype 2 is a second length, four less than the first.
bool IsValidBinary(const uint8_t* p, int64_t size) {
  if (p[4] != kBinaryOld) return true;
  return size >= 9 && internal::Load<int32_t>(p + 5) == size - 9;
}

Verdict CheckDocument(const uint8_t* p, int64_t size, int levels_left);

// total length, code as a string, scope as a document, and nothing else.
Verdict CheckCodeWithScope(const uint8_t* p, int64_t size, int levels_left) {
  const uint8_t* code = p + 4;
  const uint8_t* end = p + size;
  const int64_t code_size = ValueSize(Type::kString, code, end);
  if (code_size < 0 || !EndsWithNul(code, code_size)) return Verdict::kInvalid;
  const uint8_t* scope = code + code_size;
  if (ValueSize(Type::kDocument, scope, end) != end - scope) return Verdict::kInvalid;
  return CheckDocument(scope, end - scope, levels_left);
}

// Whether more than the size of a value has to be right.
bool NeedsCheck(Type type) {
  return internal::kSizeClasses[static_cast<uint8_t>(type)] < 0 || type == Type::kBool;
}

Verdict Check(bool valid) { return valid ? Verdict::kValid : Verdict::kInvalid; }

Verdict CheckValue(Type type, const uint8_t* p, int64_t size, int levels_left) {
  switch (type) {
    case Type::kString:
    case Type::kCode:
    case Type::kSymbol:
      return Check(EndsWithNul(p, size));
    case Type::kDocument:
    case Type::kArray:
      return CheckDocument(p, size, levels_left);
    case Type::kBinary:
      return Check(IsValidBinary(p, size));
    case Type::kBool:
      return Check(p[0] <= 1);
    case Type::kDbPointer:
      return Check(EndsWithNul(p, size - 12));
    case Type::kCodeWithScope:
      return CheckCodeWithScope(p, size, levels_left);
    case Type::kMissing:
    case Type::kDouble:
    case Type::kUndefined:
    case Type::kObjectId:
    case Type::kDate:
    case Type::kNull:
    case Type::kRegex:
    case Type::kInt32:
    case Type::kTimestamp:
    case Type::kInt64:
    case Type::kDecimal128:
    case Type::kMinKey:
    case Type::kMaxKey:
      return Verdict::kValid;
  }
  return Verdict::kInvalid;
}

// `size` is the document's own length prefix, at least 5, and within bounds.
Verdict CheckDocument(const uint8_t* p, int64_t size, int levels_left) {
  if (levels_left == 0) return Verdict::kTooDeep;
  const uint8_t* end = p + size - 1;
  if (*end != 0) return Verdict::kInvalid;
  p += 4;
  while (p < end) {
    const auto type = static_cast<Type>(*p++);
    const uint8_t* nul = internal::FindNul(p, end);
    if (nul == nullptr) return Verdict::kInvalid;
    p = nul + 1;
    const int64_t value_size = ValueSize(type, p, end);
    if (value_size < 0) return Verdict::kInvalid;
    if (NeedsCheck(type)) {
      const Verdict verdict = CheckValue(type, p, value_size, levels_left - 1);
      if (verdict != Verdict::kValid) return verdict;
    }
    p += value_size;
  }
  return Verdict::kValid;
}

}  // namespace

absl::Status ValidateDocument(std::string_view bytes, int max_depth) {
  const auto* p = reinterpret_cast<const uint8_t*>(bytes.data());
  const auto size = static_cast<int64_t>(bytes.size());
  if (ValueSize(Type::kDocument, p, p + size) != size) {
    return base::Error(base::ErrorCode::kInvalidBSON, "incorrect BSON length");
  }
  switch (CheckDocument(p, size, max_depth)) {
    case Verdict::kValid:
      return absl::OkStatus();
    case Verdict::kInvalid:
      return base::Error(base::ErrorCode::kInvalidBSON, "malformed BSON document");
    case Verdict::kTooDeep:
      return base::Error(base::ErrorCode::kOverflow,
                         base::StrCat("BSONObj exceeds maximum nested object depth: ", max_depth));
  }
  return absl::OkStatus();
}

}  // namespace mayfly::bson
