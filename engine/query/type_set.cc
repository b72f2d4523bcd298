#include "engine/query/type_set.h"

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Type;

constexpr Type kTypes[] = {
    Type::kMinKey,        Type::kDouble,    Type::kString,    Type::kDocument, Type::kArray,
    Type::kBinary,        Type::kUndefined, Type::kObjectId,  Type::kBool,     Type::kDate,
    Type::kNull,          Type::kRegex,     Type::kDbPointer, Type::kCode,     Type::kSymbol,
    Type::kCodeWithScope, Type::kInt32,     Type::kTimestamp, Type::kInt64,    Type::kDecimal128,
    Type::kMaxKey,
};

// The number `$type` knows the type by.
int Code(Type type) { return type == Type::kMinKey ? -1 : static_cast<int>(type); }

}  // namespace

absl::Status TypeSet::AddAlias(std::string_view alias) {
  if (alias == "number") {
    all_numbers_ = true;
    return absl::OkStatus();
  }
  for (const Type type : kTypes) {
    if (bson::TypeName(type) == alias) {
      Insert(type);
      return absl::OkStatus();
    }
  }
  return Error(ErrorCode::kBadValue, StrCat("Unknown type name alias: ", alias));
}

absl::Status TypeSet::Add(bson::ValueView value) {
  if (value.IsString()) return AddAlias(value.AsString());
  if (!value.IsNumber()) {
    return Error(ErrorCode::kTypeMismatch, "type must be represented as a number or a string");
  }
  if (const auto code = bson::ToInt64Exact(value)) {
    for (const Type type : kTypes) {
      if (Code(type) == *code) {
        Insert(type);
        return absl::OkStatus();
      }
    }
  }
  return Error(ErrorCode::kBadValue,
               StrCat("Invalid numerical type code: ", bson::ToShellText(value)));
}

void TypeSet::Push(bson::Builder* out) const {
  if (all_numbers_) out->PushString("number");
  for (const Type type : kTypes) {
    if (types_.test(static_cast<uint8_t>(type))) out->PushInt32(Code(type));
  }
}

}  // namespace mayfly::engine
