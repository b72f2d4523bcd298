#include "engine/keys/key_encoder.h"

#include "bson/types.h"
#include "engine/keys/number_key.h"
#include "engine/keys/tags.h"

namespace mayfly::engine {
namespace {

using bson::Type;
using bson::ValueView;

constexpr uint64_t kSignBit = uint64_t{1} << 63;
constexpr size_t kLongSize = 255;

// Writes values in ascending direction. Recursion is bounded by the depth of validated documents.
class Writer {
 public:
  Writer(std::string* out, TypeBits* bits, const bson::StringComparator* strings)
      : out_(out), bits_(bits), strings_(strings) {}

  void Value(ValueView v) {
    switch (v.type()) {
      case Type::kInt32:
      case Type::kInt64:
      case Type::kDouble:
      case Type::kDecimal128:
        return AppendNumber(v, out_, bits_);
      case Type::kMissing:
      case Type::kUndefined:
        Bit(v.IsMissing());
        return Tag(v.type());
      case Type::kString:
      case Type::kSymbol:
        Bit(v.type() == Type::kSymbol);
        Tag(v.type());
        return CollatedText(v.AsString());
      case Type::kBool:
        return Byte(v.AsBool() ? tags::kTrue : tags::kFalse);
      case Type::kMinKey:
      case Type::kMaxKey:
      case Type::kNull:
        return Tag(v.type());
      case Type::kDocument:
      case Type::kArray:
      case Type::kBinary:
      case Type::kObjectId:
      case Type::kDate:
      case Type::kTimestamp:
      case Type::kRegex:
      case Type::kDbPointer:
      case Type::kCode:
      case Type::kCodeWithScope:
        Tag(v.type());
        return Payload(v);
    }
  }

 private:
  void Payload(ValueView v) {
    switch (v.type()) {
      case Type::kDocument:
        return Fields(v.AsDocument());
      case Type::kArray:
        return Elements(v.AsDocument());
      case Type::kBinary:
      case Type::kDbPointer:
        return Sized(v);
      case Type::kObjectId:
        return void(out_->append(v.bytes()));
      case Type::kDate:
        return Number(static_cast<uint64_t>(v.AsDate()) ^ kSignBit);
      case Type::kTimestamp:
        return Number(bson::internal::Load<uint64_t>(v.data()));
      case Type::kRegex:
        Text(v.AsRegex().pattern);
        return Text(v.AsRegex().options);
      case Type::kCode:
        return Text(v.AsString());
      case Type::kCodeWithScope:
        Text(v.AsCodeWithScopeCode());
        return Fields(v.AsCodeWithScopeScope());
      case Type::kMissing:
      case Type::kDouble:
      case Type::kString:
      case Type::kUndefined:
      case Type::kBool:
      case Type::kNull:
      case Type::kSymbol:
      case Type::kInt32:
      case Type::kInt64:
      case Type::kDecimal128:
      case Type::kMaxKey:
      case Type::kMinKey:
        return;
    }
  }

  void Byte(uint8_t byte) { out_->push_back(static_cast<char>(byte)); }
  void Tag(Type type) { Byte(tags::Of(type).low); }
  void Bit(bool bit) {
    if (bits_ != nullptr) bits_->Append(bit ? 1 : 0, 1);
  }

  void Number(uint64_t v) {
    v = __builtin_bswap64(v);
    out_->append(reinterpret_cast<const char*>(&v), sizeof v);
  }

  void Text(std::string_view text) {
    size_t done = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (static_cast<uint8_t>(text[i]) > 1) continue;
      out_->append(text.substr(done, i - done));
      out_->push_back('\x01');
      out_->push_back(static_cast<char>(text[i] + 1));
      done = i + 1;
    }
    out_->append(text.substr(done));
    Byte(tags::kEnd);
  }

  void CollatedText(std::string_view text) {
    if (strings_ == nullptr) return Text(text);
    std::string sort_key;
    strings_->AppendSortKey(text, &sort_key);
    Text(sort_key);
  }

  // Everything after the length prefix, the subtype of binary data not counted into the size.
  void Sized(ValueView v) {
    const size_t prefix = v.type() == Type::kBinary ? 5 : 4;
    const size_t size = v.size() - prefix;
    if (size < kLongSize) {
      Byte(static_cast<uint8_t>(size));
    } else {
      Byte(static_cast<uint8_t>(kLongSize));
      for (const int shift : {24, 16, 8, 0}) Byte(static_cast<uint8_t>(size >> shift));
    }
    out_->append(v.bytes().substr(4));
  }

  void Fields(bson::View document) {
    for (const bson::Element& e : document) {
      Tag(e.value.type());
      Text(e.key);
      Value(e.value);
    }
    Byte(tags::kEnd);
  }

  void Elements(bson::View array) {
    for (const bson::Element& e : array) Value(e.value);
    Byte(tags::kEnd);
  }

  std::string* out_;
  TypeBits* bits_;
  const bson::StringComparator* strings_;
};

void ComplementFrom(size_t start, std::string* out) {
  for (size_t i = start; i < out->size(); ++i) (*out)[i] = static_cast<char>(~(*out)[i]);
}

}  // namespace

void KeyEncoder::Append(int field, ValueView value, std::string* out, TypeBits* bits) const {
  const size_t start = out->size();
  Writer(out, bits, strings_).Value(value);
  if (ordering_.IsDescending(field)) ComplementFrom(start, out);
}

// A tag alone is below everything that begins with it, and so is, complemented, the one above it.
void KeyEncoder::AppendBeforeType(int field, Type type, std::string* out) const {
  const tags::TagRange range = tags::Of(type);
  out->push_back(static_cast<char>(ordering_.IsDescending(field) ? ~range.high : range.low));
}

void KeyEncoder::AppendAfterType(int field, Type type, std::string* out) const {
  const tags::TagRange range = tags::Of(type);
  out->push_back(
      static_cast<char>(ordering_.IsDescending(field) ? ~(range.low - 1) : range.high + 1));
}

void AppendAfterPrefix(std::string* key) { key->push_back(static_cast<char>(tags::kAfterAll)); }

void AppendRange(const KeyEncoder& encoder, int field, const ValueRange& range, std::string* start,
                 std::string* end) {
  const bool descending = encoder.ordering().IsDescending(field);
  encoder.Append(field, descending ? range.high : range.low, start);
  if (!(descending ? range.high_inclusive : range.low_inclusive)) AppendAfterPrefix(start);
  encoder.Append(field, descending ? range.low : range.high, end);
  if (descending ? range.low_inclusive : range.high_inclusive) AppendAfterPrefix(end);
}

}  // namespace mayfly::engine
