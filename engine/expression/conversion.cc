#include "engine/expression/conversion.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/expression/conversion_binary.h"
#include "engine/expression/date_format.h"
#include "engine/expression/numeric.h"
#include "engine/expression/text.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Type;
using bson::Value;
using bson::ValueView;

absl::Status Failure(std::string_view text) {
  return base::Error(base::ErrorCode::kConversionFailure,
                     base::StrCat(text, " in $convert with no onError value"));
}

absl::Status ParseFailure(std::string_view text, std::string_view reason) {
  return base::Error(base::ErrorCode::kConversionFailure,
                     base::StrCat("Failed to parse number '", text,
                                  "' in $convert with no onError value: ", reason));
}

absl::Status Overflow(ValueView value) {
  return Failure(base::StrCat("Conversion would overflow target type: ", ValueText(value)));
}

absl::StatusOr<int64_t> ReadInteger(std::string_view text, int64_t low, int64_t high) {
  std::string_view digits = text;
  if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
  if (digits.empty()) return ParseFailure(text, "No digits");
  int64_t out = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  const bool two_signs = digits.size() != text.size() && digits[0] == '-';
  if (two_signs || error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    return ParseFailure(text, "Did not consume whole string.");
  }
  if (error != std::errc() || out < low || out > high) return ParseFailure(text, "Overflow");
  return out;
}

absl::StatusOr<double> ReadDouble(std::string_view text) {
  if (text.empty()) return ParseFailure(text, "Empty string");
  if (absl::ascii_isspace(static_cast<unsigned char>(text[0])))
    return ParseFailure(text, "Leading whitespace");
  // As MongoDB: other spellings of hexadecimal numbers are read.
  if (text.starts_with("0x")) {
    return Failure(base::StrCat("Illegal hexadecimal input: ", text));
  }
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double out = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return ParseFailure(text, "Did not consume whole string.");
  if (errno == ERANGE && std::isinf(out)) return ParseFailure(text, "Out of range");
  if (errno == ERANGE) return ParseFailure(text, "Out of range");
  return out;
}

// A double or decimal cut to an integer of the given range.
absl::StatusOr<int64_t> CutToInteger(ValueView value, int64_t low, int64_t high) {
  if (bson::IsNaN(value)) return Failure("Attempt to convert NaN value to integer type");
  if (bson::IsInfinite(value)) return Failure("Attempt to convert infinity value to integer type");
  if (value.type() == Type::kDouble) {
    constexpr double kLimit = 9223372036854775808.0;
    if (!(value.AsDouble() >= -kLimit && value.AsDouble() < kLimit)) return Overflow(value);
  } else if (value.type() == Type::kDecimal128 && !bson::DecimalToInt64(value.AsDecimal128())) {
    return Overflow(value);
  }
  const int64_t out = bson::ToInt64Truncated(value);
  if (out < low || out > high) return Overflow(value);
  return out;
}

absl::StatusOr<int64_t> ToInteger(ValueView value, Type target) {
  const int64_t low = target == Type::kInt32 ? INT32_MIN : INT64_MIN;
  const int64_t high = target == Type::kInt32 ? INT32_MAX : INT64_MAX;
  if (value.IsNumber()) return CutToInteger(value, low, high);
  if (value.IsBool()) return value.AsBool() ? 1 : 0;
  if (value.IsString()) return ReadInteger(value.AsString(), low, high);
  if (value.type() == Type::kDate && target == Type::kInt64) return value.AsDate();
  return UnsupportedConversion(value.type(), target);
}

absl::StatusOr<Value> ToDoubleValue(ValueView value) {
  if (value.type() == Type::kDecimal128) {
    const double out = bson::ToDouble(value);
    if (std::isinf(out) && !bson::IsInfinite(value)) return Overflow(value);
    const bool underflow = out == 0 && bson::IsNonZero(value) && !bson::IsNaN(value);
    if (underflow) return Overflow(value);
    return Value::Double(out);
  }
  if (value.IsNumber()) return Value::Double(bson::ToDouble(value));
  if (value.IsBool()) return Value::Double(value.AsBool() ? 1 : 0);
  if (value.type() == Type::kDate) return Value::Double(static_cast<double>(value.AsDate()));
  if (!value.IsString()) return UnsupportedConversion(value.type(), Type::kDouble);
  MAYFLY_ASSIGN_OR_RETURN(double out, ReadDouble(value.AsString()));
  return Value::Double(out);
}

absl::StatusOr<Value> ToDecimalValue(ValueView value) {
  if (value.IsNumber()) return Value::FromDecimal128(bson::ToDecimal(value));
  if (value.IsBool()) return Value::FromDecimal128(bson::DecimalFromInt64(value.AsBool() ? 1 : 0));
  if (value.type() == Type::kDate)
    return Value::FromDecimal128(bson::DecimalFromInt64(value.AsDate()));
  if (!value.IsString()) return UnsupportedConversion(value.type(), Type::kDecimal128);
  std::optional<bson::Decimal128> out = bson::DecimalFromString(value.AsString());
  if (!out) return ParseFailure(value.AsString(), "Failed to parse string to decimal");
  return Value::FromDecimal128(*out);
}

absl::StatusOr<Value> ToBool(ValueView value) {
  switch (value.type()) {
    case Type::kBool:
      return Value(value);
    case Type::kInt32:
    case Type::kInt64:
    case Type::kDouble:
    case Type::kDecimal128:
      return Value::Bool(bson::IsNonZero(value));
    case Type::kString:
    case Type::kObjectId:
    case Type::kDate:
    case Type::kBinary:
    case Type::kDocument:
    case Type::kArray:
    case Type::kRegex:
    case Type::kTimestamp:
    case Type::kCode:
    case Type::kCodeWithScope:
    case Type::kDbPointer:
    case Type::kSymbol:
    case Type::kMinKey:
    case Type::kMaxKey:
      return Value::Bool(true);
    case Type::kMissing:
    case Type::kNull:
    case Type::kUndefined:
      return Value::Null();
  }
  return UnsupportedConversion(value.type(), Type::kBool);
}

absl::StatusOr<Value> ToDate(ValueView value) {
  switch (value.type()) {
    case Type::kDate:
    case Type::kTimestamp:
    case Type::kObjectId: {
      MAYFLY_ASSIGN_OR_RETURN(int64_t ms, CoerceToDate(value));
      return Value::Date(ms);
    }
    case Type::kInt64:
      return Value::Date(value.AsInt64());
    case Type::kDouble:
    case Type::kDecimal128: {
      MAYFLY_ASSIGN_OR_RETURN(int64_t ms, CutToInteger(value, INT64_MIN, INT64_MAX));
      return Value::Date(ms);
    }
    case Type::kString: {
      MAYFLY_ASSIGN_OR_RETURN(int64_t ms, ReadDate(value.AsString(), ReadZone()));
      return Value::Date(ms);
    }
    default:
      return UnsupportedConversion(value.type(), Type::kDate);
  }
}

absl::StatusOr<Value> ToObjectId(ValueView value) {
  if (value.type() == Type::kObjectId) return Value(value);
  if (!value.IsString()) return UnsupportedConversion(value.type(), Type::kObjectId);
  const std::string_view text = value.AsString();
  constexpr size_t kDigits = 24;
  bool hex = text.size() == kDigits;
  for (char c : text) hex = hex && absl::ascii_isxdigit(static_cast<unsigned char>(c));
  if (!hex) {
    return base::Error(
        base::ErrorCode::kConversionFailure,
        base::StrCat("Failed to parse objectId '", text, "' in $convert with no onError value"));
  }
  const std::string bytes = absl::HexStringToBytes(base::ToAbsl(text));
  bson::ObjectId id;
  std::copy(bytes.begin(), bytes.end(), id.bytes.begin());
  return Value::FromObjectId(id);
}

absl::StatusOr<Value> ToText(ValueView value) {
  switch (value.type()) {
    case Type::kBool:
      return Value::String(value.AsBool() ? "true" : "false");
    case Type::kObjectId:
      return Value::String(bson::ToHex(value.AsObjectId()));
    case Type::kDate: {
      MAYFLY_ASSIGN_OR_RETURN(std::string text,
                              FormatDate("%Y-%m-%dT%H:%M:%S.%LZ", value.AsDate(), TimeZone()));
      return Value::String(text);
    }
    case Type::kDouble:
      return Value::String(DoubleText(value.AsDouble()));
    case Type::kString:
    case Type::kInt32:
    case Type::kInt64:
    case Type::kDecimal128: {
      MAYFLY_ASSIGN_OR_RETURN(std::string text, CoerceToText(value));
      return TextResult(text);
    }
    default:
      return UnsupportedConversion(value.type(), Type::kString);
  }
}

constexpr Type kAllTypes[] = {
    Type::kMinKey,        Type::kDouble,    Type::kString,    Type::kDocument, Type::kArray,
    Type::kBinary,        Type::kUndefined, Type::kObjectId,  Type::kBool,     Type::kDate,
    Type::kNull,          Type::kRegex,     Type::kDbPointer, Type::kCode,     Type::kSymbol,
    Type::kCodeWithScope, Type::kInt32,     Type::kTimestamp, Type::kInt64,    Type::kDecimal128,
    Type::kMaxKey};

}  // namespace

std::optional<BinaryFormat> ParseBinaryFormat(std::string_view name) {
  if (name == "auto") return BinaryFormat::kAuto;
  if (name == "base64") return BinaryFormat::kBase64;
  if (name == "base64url") return BinaryFormat::kBase64Url;
  if (name == "hex") return BinaryFormat::kHex;
  if (name == "utf8") return BinaryFormat::kUtf8;
  if (name == "uuid") return BinaryFormat::kUuid;
  return std::nullopt;
}

absl::StatusOr<Value> ConvertValue(ValueView value, const ConversionTarget& target) {
  const bool numeric =
      target.type == Type::kInt32 || target.type == Type::kInt64 || target.type == Type::kDouble;
  if (value.type() == Type::kBinary && (numeric || target.type == Type::kString)) {
    return ConvertFromBinary(value, target);
  }
  switch (target.type) {
    case Type::kDouble:
      return ToDoubleValue(value);
    case Type::kString:
      return ToText(value);
    case Type::kBinary:
      return ConvertToBinary(value, target);
    case Type::kObjectId:
      return ToObjectId(value);
    case Type::kBool:
      return ToBool(value);
    case Type::kDate:
      return ToDate(value);
    case Type::kInt32:
    case Type::kInt64: {
      MAYFLY_ASSIGN_OR_RETURN(int64_t out, ToInteger(value, target.type));
      return target.type == Type::kInt32 ? Value::Int32(static_cast<int32_t>(out))
                                         : Value::Int64(out);
    }
    case Type::kDecimal128:
      return ToDecimalValue(value);
    default:
      return UnsupportedConversion(value.type(), target.type);
  }
}

absl::StatusOr<Type> ParseTargetType(ValueView type) {
  if (type.IsString()) {
    for (Type candidate : kAllTypes) {
      if (bson::TypeName(candidate) == type.AsString()) return candidate;
    }
    if (type.AsString() == "missing") return Type::kMissing;
    return base::Error(base::ErrorCode::kBadValue,
                       base::StrCat("Unknown type name: ", type.AsString()));
  }
  if (!type.IsNumber()) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       base::StrCat("$convert's 'to' argument must be a string or number, but is ",
                                    bson::TypeName(type.type())));
  }
  std::optional<int64_t> code = bson::ToInt64Exact(type);
  if (!code) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       base::StrCat("In $convert, numeric 'to' argument is not an integer"));
  }
  for (Type candidate : kAllTypes) {
    const int own = candidate == Type::kMinKey ? -1 : static_cast<int>(candidate);
    if (own == *code) return candidate;
  }
  if (*code == 0) return Type::kMissing;
  return base::Error(
      base::ErrorCode::kFailedToParse,
      base::StrCat("In $convert, numeric value for 'to' does not correspond to a BSON type: ",
                   *code));
}

}  // namespace mayfly::engine
