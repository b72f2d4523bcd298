#include "engine/expression/conversion_binary.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "engine/expression/text.h"

namespace mayfly::engine {
namespace {

using bson::Type;
using bson::Value;
using bson::ValueView;

constexpr size_t kUuidSize = 16;
constexpr uint8_t kOldBinary = 2;

absl::Status Failure(std::string_view text) {
  return base::Error(base::ErrorCode::kConversionFailure,
                     base::StrCat(text, " in $convert with no onError value"));
}

absl::Status MissingFormat(Type from, Type to) {
  return base::Error(
      4341115, base::StrCat("Format must be specified when converting from '", bson::TypeName(from),
                            "' to '", bson::TypeName(to), "'"));
}

// 8-4-4-4-12 hexadecimal digits.
std::optional<std::string> UuidFromText(std::string_view text) {
  constexpr size_t kTextSize = 36;
  if (text.size() != kTextSize) return std::nullopt;
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (text[i] == '-')) return std::nullopt;
    if (dash) continue;
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(text[i]))) return std::nullopt;
    digits += text[i];
  }
  return absl::HexStringToBytes(digits);
}

std::string UuidText(std::string_view bytes) {
  std::string text = absl::BytesToHexString(base::ToAbsl(bytes));
  for (size_t at : {8, 13, 18, 23}) text.insert(at, "-");
  return text;
}

// Base64 as MongoDB takes it: whole groups of four with their padding.
bool IsPaddedBase64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  size_t end = text.size();
  while (end > 0 && text.size() - end < 2 && text[end - 1] == '=') --end;
  return std::all_of(text.begin(), text.begin() + end, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '/';
  });
}

std::optional<std::string> Decode(std::string_view text, BinaryFormat format) {
  std::string out;
  switch (format) {
    case BinaryFormat::kAuto:  // would have to guess
      return std::nullopt;
    case BinaryFormat::kBase64:
      if (!IsPaddedBase64(text) || !absl::Base64Unescape(base::ToAbsl(text), &out))
        return std::nullopt;
      return out;
    case BinaryFormat::kBase64Url:
      for (char c : text) {
        if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '=')
          return std::nullopt;
      }
      if (!absl::WebSafeBase64Unescape(base::ToAbsl(text), &out)) return std::nullopt;
      return out;
    case BinaryFormat::kHex:
      for (char c : text) {
        if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return std::nullopt;
      }
      if (text.size() % 2 != 0) return std::nullopt;
      return absl::HexStringToBytes(base::ToAbsl(text));
    case BinaryFormat::kUtf8:
      return std::string(text);
    case BinaryFormat::kUuid:
      return UuidFromText(text);
    case BinaryFormat::kNone:
      return std::nullopt;
  }
  return std::nullopt;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const unsigned char first = static_cast<unsigned char>(text[0]);
    if ((first >= 0x80 && first < 0xC2) || first > 0xF4) return false;
    const size_t size = CharacterSize(text[0]);
    if (size > text.size()) return false;
    for (size_t i = 1; i < size; ++i) {
      if (!IsContinuation(text[i])) return false;
    }
    text.remove_prefix(size);
  }
  return true;
}

// Those of the old subtype begin with their own length.
std::string StoredBytes(const bson::Binary& binary) {
  std::string bytes(binary.bytes);
  if (binary.subtype == kOldBinary) {
    const auto size = static_cast<uint32_t>(bytes.size());
    std::string length(sizeof size, '\0');
    for (size_t i = 0; i < sizeof size; ++i) length[i] = static_cast<char>(size >> (8 * i));
    bytes.insert(0, length);
  }
  return bytes;
}

absl::StatusOr<std::string> Encode(const bson::Binary& binary, BinaryFormat format) {
  const bool is_uuid = binary.subtype == bson::kBinaryUuid && binary.bytes.size() == kUuidSize;
  switch (format) {
    case BinaryFormat::kAuto:
      if (is_uuid) return UuidText(binary.bytes);
      return absl::Base64Escape(base::ToAbsl(binary.bytes));
    case BinaryFormat::kBase64:
      return absl::Base64Escape(base::ToAbsl(binary.bytes));
    case BinaryFormat::kBase64Url:
      return absl::WebSafeBase64Escape(base::ToAbsl(binary.bytes));
    case BinaryFormat::kHex:
      return absl::AsciiStrToUpper(absl::BytesToHexString(base::ToAbsl(binary.bytes)));
    case BinaryFormat::kUtf8:
      if (!IsUtf8(binary.bytes)) return Failure("BinData does not represent a valid UTF-8 string");
      return std::string(binary.bytes);
    case BinaryFormat::kUuid:
      if (!is_uuid) return Failure("Only UUIDs can be written in the format 'uuid'");
      return UuidText(binary.bytes);
    case BinaryFormat::kNone:
      return MissingFormat(Type::kBinary, Type::kString);
  }
  return MissingFormat(Type::kBinary, Type::kString);
}

absl::StatusOr<Value> TextToBinary(std::string_view text, const ConversionTarget& target) {
  if (target.format == BinaryFormat::kNone) return MissingFormat(Type::kString, Type::kBinary);
  const bool to_uuid = target.subtype == bson::kBinaryUuid;
  BinaryFormat format = target.format;
  if (format == BinaryFormat::kAuto && to_uuid) format = BinaryFormat::kUuid;
  if (to_uuid != (format == BinaryFormat::kUuid)) {
    return Failure(
        base::StrCat("Failed to parse BinData '", text, "': the format does not fit the subtype"));
  }
  std::optional<std::string> bytes = Decode(text, format);
  if (!bytes) return Failure(base::StrCat("Failed to parse BinData '", text, "'"));
  return Value::FromBinary(target.subtype, *bytes);
}

}  // namespace

absl::Status UnsupportedConversion(Type from, Type to) {
  return Failure(base::StrCat("Unsupported conversion from ", bson::TypeName(from), " to ",
                              bson::TypeName(to)));
}

absl::StatusOr<Value> ConvertToBinary(ValueView value, const ConversionTarget& target) {
  switch (value.type()) {
    case Type::kString:
      return TextToBinary(value.AsString(), target);
    case Type::kBinary:
      if (value.AsBinary().subtype == target.subtype) return Value(value);
      return Failure("Conversions between different binData subtypes are not supported");
    case Type::kInt32:
    case Type::kInt64:
    case Type::kDouble: {
      if (target.subtype == bson::kBinaryUuid)
        return UnsupportedConversion(value.type(), Type::kBinary);
      std::string bytes(value.bytes());
      if (target.big_endian) std::reverse(bytes.begin(), bytes.end());
      return Value::FromBinary(target.subtype, bytes);
    }
    default:
      return UnsupportedConversion(value.type(), Type::kBinary);
  }
}

absl::StatusOr<Value> ConvertFromBinary(ValueView value, const ConversionTarget& target) {
  const bson::Binary binary = value.AsBinary();
  if (target.type == Type::kString) {
    const std::string stored = StoredBytes(binary);
    MAYFLY_ASSIGN_OR_RETURN(std::string text,
                            Encode(bson::Binary{binary.subtype, stored}, target.format));
    if (text.size() >= static_cast<size_t>(base::kMaxBsonObjectSize)) {
      return Failure("The text of the BinData would be longer than 16MB");
    }
    return Value::String(text);
  }
  std::string bytes = StoredBytes(binary);
  if (target.big_endian) std::reverse(bytes.begin(), bytes.end());
  const uint8_t* data = reinterpret_cast<const uint8_t*>(bytes.data());
  if (target.type == Type::kDouble) {
    if (bytes.size() == sizeof(float)) return Value::Double(bson::internal::Load<float>(data));
    if (bytes.size() == sizeof(double)) return Value::Double(bson::internal::Load<double>(data));
  } else if (bytes.size() == 1 || bytes.size() == 2 || bytes.size() == 4 ||
             (bytes.size() == 8 && target.type == Type::kInt64)) {
    int64_t number = bytes.size() == 1   ? static_cast<int8_t>(data[0])
                     : bytes.size() == 2 ? bson::internal::Load<int16_t>(data)
                     : bytes.size() == 4 ? bson::internal::Load<int32_t>(data)
                                         : bson::internal::Load<int64_t>(data);
    return target.type == Type::kInt32 ? Value::Int32(static_cast<int32_t>(number))
                                       : Value::Int64(number);
  }
  return Failure(base::StrCat("Failed to convert BinData to ", bson::TypeName(target.type),
                              ": invalid length ", bytes.size()));
}

}  // namespace mayfly::engine
