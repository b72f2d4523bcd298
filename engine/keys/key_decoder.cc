#include <cstring>
#include <optional>

#include "base/limits.h"
#include "base/status.h"
#include "bson/builder.h"
#include "engine/keys/key_encoder.h"
#include "engine/keys/key_reader.h"
#include "engine/keys/number_key.h"
#include "engine/keys/tags.h"

namespace mayfly::engine {
namespace {

using bson::Type;
using bson::Value;

constexpr uint64_t kSignBit = uint64_t{1} << 63;
constexpr uint8_t kLongSize = 255;
constexpr int kMaxDepth = base::kMaxNestingDepth;

// Undoes key_encoder.cc's Writer. After malformed bytes failed() is true and what was returned is
// meaningless.
class Parser {
 public:
  Parser(KeyReader* reader, TypeBitsReader* bits) : reader_(*reader), bits_(*bits) {}

  Value Next(int depth) {
    const uint8_t tag = reader_.Byte();
    if (tag >= tags::kNaN && tag <= tags::kPositiveLarge) return Number(tag);
    switch (tag) {
      case tags::kMinKey:
        return Value::MinKey();
      case tags::kUndefined:
        return bits_.Read(1) != 0 ? Value::Missing() : Value::Undefined();
      case tags::kNull:
        return Value::Null();
      case tags::kString:
        return bits_.Read(1) != 0 ? Value::Symbol(Text()) : Value::String(Text());
      case tags::kDocument:
        return Value::FromDocument(Fields(depth + 1));
      case tags::kArray:
        return Value::FromArray(Elements(depth + 1));
      case tags::kFalse:
      case tags::kTrue:
        return Value::Bool(tag == tags::kTrue);
      case tags::kMaxKey:
        return Value::MaxKey();
      default:
        return Scalar(tag, depth);
    }
  }

 private:
  Value Scalar(uint8_t tag, int depth) {
    switch (tag) {
      case tags::kBinary:
        return Binary();
      case tags::kObjectId:
        return Raw(Type::kObjectId, Bytes(12));
      case tags::kDate:
        return Value::Date(static_cast<int64_t>(reader_.Number(8) ^ kSignBit));
      case tags::kTimestamp: {
        const uint64_t v = reader_.Number(8);
        return Value::FromTimestamp({static_cast<uint32_t>(v >> 32), static_cast<uint32_t>(v)});
      }
      case tags::kRegex: {
        const std::string pattern = Name();
        return Value::FromRegex(pattern, Name());
      }
      case tags::kDbPointer:
        return DbPointer();
      case tags::kCode:
        return Value::Code(Text());
      case tags::kCodeWithScope:
        return CodeWithScope(depth + 1);
      default:
        reader_.Fail();
        return {};
    }
  }

  Value Number(uint8_t tag) {
    auto number = ReadNumber(tag, &reader_, &bits_);
    if (!number) reader_.Fail();
    return number.value_or(Value());
  }

  std::string Text() {
    std::string text;
    for (uint8_t byte = reader_.Byte(); byte != tags::kEnd; byte = reader_.Byte()) {
      if (byte == 1) byte = static_cast<uint8_t>(reader_.Byte() - 1);
      text.push_back(static_cast<char>(byte));
    }
    return text;
  }

  // A text that must not contain NUL.
  std::string Name() {
    std::string name = Text();
    if (name.find('\0') != std::string::npos) reader_.Fail();
    return reader_.failed() ? std::string() : name;
  }

  size_t Size() {
    const uint8_t size = reader_.Byte();
    return size < kLongSize ? size : reader_.Number(4);
  }

  std::string Bytes(size_t count) {
    std::string bytes;
    reader_.Bytes(count, &bytes);
    return bytes;
  }

  static Value Raw(Type type, std::string_view bytes) {
    return Value(bson::ValueView(type, reinterpret_cast<const uint8_t*>(bytes.data()),
                                 static_cast<uint32_t>(bytes.size())));
  }

  static std::string Prefix(size_t n) {
    const auto length = static_cast<uint32_t>(n);
    return std::string(reinterpret_cast<const char*>(&length), sizeof length);
  }

  Value Binary() {
    const size_t size = Size();
    const std::string bytes = Bytes(size + 1);
    const bool is_old = !bytes.empty() && static_cast<uint8_t>(bytes[0]) == bson::kBinaryOld;
    // The old subtype has its own size inside.
    if (is_old && (size < 4 || bytes.compare(1, 4, Prefix(size - 4)) != 0)) reader_.Fail();
    return Raw(Type::kBinary, Prefix(size) + bytes);
  }

  Value DbPointer() {
    const size_t size = Size();
    const std::string bytes = Bytes(size);
    if (bytes.size() < 13 || bytes[bytes.size() - 13] != '\0') {
      reader_.Fail();
      return {};
    }
    return Raw(Type::kDbPointer, Prefix(size - 12) + bytes);
  }

  Value CodeWithScope(int depth) {
    const std::string code = Text();
    const bson::Document scope = Fields(depth);
    const size_t total = 4 + 4 + code.size() + 1 + scope.bytes().size();
    return Raw(Type::kCodeWithScope, Prefix(total) + Prefix(code.size() + 1) + code +
                                         std::string(1, '\0') + scope.bytes());
  }

  bson::Document Fields(int depth) {
    bson::Builder builder;
    if (depth > kMaxDepth) reader_.Fail();
    while (reader_.Byte() != tags::kEnd) {
      const std::string name = Name();
      builder.Append(name, Next(depth));
    }
    return builder.Finish();
  }

  bson::Document Elements(int depth) {
    std::vector<Value> values;
    if (depth > kMaxDepth) reader_.Fail();
    while (!reader_.failed() && !reader_.TakeIf(tags::kEnd)) values.push_back(Next(depth));
    return bson::MakeArray(values);
  }

  KeyReader& reader_;
  TypeBitsReader& bits_;
};

absl::StatusOr<size_t> Decode(std::string_view key, std::string_view type_bits, Ordering ordering,
                              int fields, std::vector<Value>* values) {
  KeyReader reader(key);
  TypeBitsReader bits(type_bits);
  Parser parser(&reader, &bits);
  for (int i = 0; i < fields; ++i) {
    const bool descending = ordering.IsDescending(i);
    if (descending) reader.Complement();
    Value value = parser.Next(0);
    if (descending) reader.Complement();
    if (reader.failed()) {
      return base::Error(base::ErrorCode::kInternalError, "malformed index key");
    }
    if (values != nullptr) values->push_back(std::move(value));
  }
  return reader.position();
}

}  // namespace

absl::StatusOr<std::vector<Value>> DecodeKey(std::string_view key, std::string_view type_bits,
                                             Ordering ordering, int fields) {
  std::vector<Value> values;
  values.reserve(static_cast<size_t>(fields));
  const auto size = Decode(key, type_bits, ordering, fields, &values);
  if (!size.ok()) return size.status();
  return values;
}

absl::StatusOr<size_t> PrefixSize(std::string_view key, Ordering ordering, int fields) {
  return Decode(key, {}, ordering, fields, nullptr);
}

}  // namespace mayfly::engine
