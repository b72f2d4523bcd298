#include "engine/keys/tags.h"

namespace mayfly::engine::tags {

TagRange Of(bson::Type type) {
  switch (type) {
    case bson::Type::kMissing:
    case bson::Type::kUndefined:
      return {kUndefined, kUndefined};
    case bson::Type::kDouble:
    case bson::Type::kInt32:
    case bson::Type::kInt64:
    case bson::Type::kDecimal128:
      return {kNaN, kPositiveLarge};
    case bson::Type::kString:
    case bson::Type::kSymbol:
      return {kString, kString};
    case bson::Type::kDocument:
      return {kDocument, kDocument};
    case bson::Type::kArray:
      return {kArray, kArray};
    case bson::Type::kBinary:
      return {kBinary, kBinary};
    case bson::Type::kObjectId:
      return {kObjectId, kObjectId};
    case bson::Type::kBool:
      return {kFalse, kTrue};
    case bson::Type::kDate:
      return {kDate, kDate};
    case bson::Type::kNull:
      return {kNull, kNull};
    case bson::Type::kRegex:
      return {kRegex, kRegex};
    case bson::Type::kDbPointer:
      return {kDbPointer, kDbPointer};
    case bson::Type::kCode:
      return {kCode, kCode};
    case bson::Type::kCodeWithScope:
      return {kCodeWithScope, kCodeWithScope};
    case bson::Type::kTimestamp:
      return {kTimestamp, kTimestamp};
    case bson::Type::kMaxKey:
      return {kMaxKey, kMaxKey};
    case bson::Type::kMinKey:
      return {kMinKey, kMinKey};
  }
  return {kUndefined, kUndefined};
}

}  // namespace mayfly::engine::tags
