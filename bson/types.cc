#include "bson/types.h"

namespace mayfly::bson {

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::kMissing:
      return "missing";
    case Type::kDouble:
      return "double";
    case Type::kString:
      return "string";
    case Type::kDocument:
      return "object";
    case Type::kArray:
      return "array";
    case Type::kBinary:
      return "binData";
    case Type::kUndefined:
      return "undefined";
    case Type::kObjectId:
      return "objectId";
    case Type::kBool:
      return "bool";
    case Type::kDate:
      return "date";
    case Type::kNull:
      return "null";
    case Type::kRegex:
      return "regex";
    case Type::kDbPointer:
      return "dbPointer";
    case Type::kCode:
      return "javascript";
    case Type::kSymbol:
      return "symbol";
    case Type::kCodeWithScope:
      return "javascriptWithScope";
    case Type::kInt32:
      return "int";
    case Type::kTimestamp:
      return "timestamp";
    case Type::kInt64:
      return "long";
    case Type::kDecimal128:
      return "decimal";
    case Type::kMaxKey:
      return "maxKey";
    case Type::kMinKey:
      return "minKey";
  }
  return "unknown";
}

}  // namespace mayfly::bson
