#include "engine/keys/number_key.h"

#include <bit>
#include <cmath>
#include <limits>

#include "bson/number.h"
#include "engine/keys/tags.h"

namespace mayfly::engine {
namespace {

using bson::Decimal128;
using bson::Type;
using bson::Uint128;

constexpr double kTwoTo63 = 0x1p63;
constexpr double kTwoTo52 = 0x1p52;
constexpr int kExponentBias = 8192;
constexpr int kDecimalExponentBias = 6176;
constexpr int kMinExponent = -6176;
constexpr int kMaxExponent = 6111;
constexpr int kDecimalExponentBits = 14;
constexpr int kMaxDecimalDigits = 34;
constexpr uint64_t kSignBit = uint64_t{1} << 63;

// Bytes of one number without its tag, complemented when the number is negative.
class Payload {
 public:
  void Put(uint64_t v, int count) {
    for (int i = count - 1; i >= 0; --i) bytes_[size_++] = static_cast<char>(v >> (8 * i));
  }
  void AppendTo(uint8_t positive_tag, bool negative, std::string* out) {
    const int tag = negative ? 2 * tags::kZero - positive_tag : positive_tag;
    if (negative) {
      for (int i = 0; i < size_; ++i) bytes_[i] = static_cast<char>(~bytes_[i]);
    }
    out->push_back(static_cast<char>(tag));
    out->append(bytes_, static_cast<size_t>(size_));
  }

 private:
  char bytes_[40];  // 8 + 7 + 2 + 17 at most
  int size_ = 0;
};

int WholeSize(uint64_t shifted) { return (std::bit_width(shifted) + 7) / 8; }

void AppendInteger(int64_t v, std::string* out) {
  if (v == 0) return out->push_back(static_cast<char>(tags::kZero));
  Payload payload;
  const uint64_t magnitude = v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  if (magnitude == kSignBit) {
    payload.Put(std::bit_cast<uint64_t>(kTwoTo63) << 1, 8);
    return payload.AppendTo(tags::kPositiveLarge, v < 0, out);
  }
  const int size = WholeSize(magnitude << 1);
  payload.Put(magnitude << 1, size);
  payload.AppendTo(static_cast<uint8_t>(tags::kPositiveWhole1 + size - 1), v < 0, out);
}

void PutDouble(double magnitude, bool has_rest, Payload* payload) {
  payload->Put(std::bit_cast<uint64_t>(magnitude) << 1 | static_cast<uint64_t>(has_rest), 8);
}

// Returns the tag. `part` is the fraction in units of 2^-52.
uint8_t PutWhole(uint64_t whole, uint64_t part, bool has_rest, Payload* payload) {
  const bool has_part = part != 0 || has_rest;
  const uint64_t shifted = whole << 1 | static_cast<uint64_t>(has_part);
  const int size = WholeSize(shifted);
  payload->Put(shifted, size);
  if (has_part) payload->Put(part << 4 | static_cast<uint64_t>(has_rest), 7);
  return static_cast<uint8_t>(tags::kPositiveWhole1 + size - 1);
}

void AppendDouble(double v, std::string* out) {
  if (std::isnan(v)) return out->push_back(static_cast<char>(tags::kNaN));
  if (v == 0) return out->push_back(static_cast<char>(tags::kZero));
  const double magnitude = std::fabs(v);
  Payload payload;
  uint8_t tag;
  if (magnitude < 1) {
    PutDouble(magnitude, false, &payload);
    tag = tags::kPositiveSmall;
  } else if (magnitude < kTwoTo63) {
    const double whole = std::trunc(magnitude);
    const auto part = static_cast<uint64_t>((magnitude - whole) * kTwoTo52);
    tag = PutWhole(static_cast<uint64_t>(whole), part, false, &payload);
  } else {
    PutDouble(magnitude, false, &payload);
    tag = tags::kPositiveLarge;
  }
  payload.AppendTo(tag, v < 0, out);
}

void PutRest(Decimal128 v, Payload* payload) {
  const bson::DecimalParts parts = bson::ToParts(v);
  char digits[kMaxDecimalDigits + 1];
  int count = 0;
  for (Uint128 c = parts.coefficient; c != 0; c /= 10) {
    digits[kMaxDecimalDigits - ++count] = static_cast<char>(c % 10);
  }
  const char* first = digits + kMaxDecimalDigits - count;
  payload->Put(static_cast<uint64_t>(parts.exponent + count + kExponentBias), 2);
  while (count > 1 && first[count - 1] == 0) --count;
  for (int i = 0; i < count; i += 2) {
    const int low = i + 1 < count ? first[i + 1] : 0;
    const int more = i + 2 < count ? 1 : 0;
    payload->Put(static_cast<uint64_t>(2 * (first[i] * 10 + low) + more), 1);
  }
}

// The finite positive decimal `m`; returns the tag.
uint8_t PutDecimal(Decimal128 m, Payload* payload) {
  const std::optional<int64_t> whole = bson::DecimalToInt64(m);
  if (whole && *whole != 0) {
    const Decimal128 fraction = bson::DecimalSubtract(m, bson::DecimalFromInt64(*whole));
    const bson::TruncatedDouble cut = bson::DecimalToDoubleTowardZero(fraction);
    const double units = cut.value * kTwoTo52;
    const bool has_rest = !cut.exact || units != std::trunc(units);
    const uint8_t tag =
        PutWhole(static_cast<uint64_t>(*whole), static_cast<uint64_t>(units), has_rest, payload);
    if (has_rest) PutRest(fraction, payload);
    return tag;
  }
  const bson::TruncatedDouble cut = bson::DecimalToDoubleTowardZero(m);
  PutDouble(cut.value, !cut.exact, payload);
  if (!cut.exact) PutRest(m, payload);
  return whole ? tags::kPositiveSmall : tags::kPositiveLarge;
}

void AppendDecimal(Decimal128 v, std::string* out) {
  if (bson::DecimalIsNaN(v)) return out->push_back(static_cast<char>(tags::kNaN));
  if (bson::DecimalIsZero(v)) return out->push_back(static_cast<char>(tags::kZero));
  const bool negative = bson::DecimalIsNegative(v);
  v.high &= ~kSignBit;
  Payload payload;
  uint8_t tag = tags::kPositiveLarge;
  if (bson::DecimalIsInfinite(v)) {
    PutDouble(std::numeric_limits<double>::infinity(), false, &payload);
  } else {
    tag = PutDecimal(v, &payload);
  }
  payload.AppendTo(tag, negative, out);
}

void Code(NumberCode code, TypeBits* bits) { bits->Append(static_cast<uint32_t>(code), 2); }

void AppendDoubleBits(double v, TypeBits* bits) {
  const bool looks_integral = std::fabs(v) < kTwoTo63 && v == std::trunc(v);
  Code(looks_integral ? NumberCode::kDouble : NumberCode::kNatural, bits);
  if (v == 0) bits->Append(std::signbit(v) ? 1 : 0, 1);
}

void AppendDecimalBits(Decimal128 v, TypeBits* bits) {
  Code(NumberCode::kDecimal, bits);
  const bool finite = !bson::DecimalIsNaN(v) && !bson::DecimalIsInfinite(v);
  const int exponent = finite ? bson::ToParts(v).exponent + kDecimalExponentBias : 0;
  bits->Append(static_cast<uint32_t>(exponent), kDecimalExponentBits);
  if (bson::DecimalIsZero(v)) bits->Append(bson::DecimalIsNegative(v) ? 1 : 0, 1);
}

void AppendInt64Bits(int64_t v, TypeBits* bits) {
  const bool fits =
      v >= std::numeric_limits<int32_t>::min() && v <= std::numeric_limits<int32_t>::max();
  const bool natural = !fits && v != std::numeric_limits<int64_t>::min();
  Code(natural ? NumberCode::kNatural : NumberCode::kInt64, bits);
}

// A number as read: its magnitude is `whole` + `part` * 2^-52, or `real` where that is not zero, or
// `rest` added to `whole` or in the place of `real`.
struct Parsed {
  bool negative = false;
  uint64_t whole = 0;
  uint64_t part = 0;
  double real = 0;
  std::optional<Decimal128> rest;

  bool IsZero() const { return whole == 0 && part == 0 && real == 0 && !rest; }
};

std::optional<Decimal128> ReadRest(KeyReader* reader) {
  const int exponent = static_cast<int>(reader->Number(2)) - kExponentBias;
  Uint128 coefficient = 0;
  int digits = 0;
  for (bool more = true; more;) {
    if (digits >= kMaxDecimalDigits || reader->failed()) return std::nullopt;
    const uint8_t byte = reader->Byte();
    coefficient = coefficient * 100 + byte / 2;
    digits += 2;
    more = (byte & 1) != 0;
  }
  bson::DecimalParts parts{false, exponent - digits, coefficient};
  // At either end of the exponent's range only one number of trailing zeros fits.
  for (; parts.exponent < kMinExponent && parts.coefficient % 10 == 0 && digits > 0; --digits) {
    parts.coefficient /= 10;
    ++parts.exponent;
  }
  for (; parts.exponent > kMaxExponent && digits < kMaxDecimalDigits; ++digits) {
    parts.coefficient *= 10;
    --parts.exponent;
  }
  if (parts.exponent < kMinExponent || parts.exponent > kMaxExponent) return std::nullopt;
  return bson::FromParts(parts);
}

std::optional<Parsed> Parse(uint8_t positive_tag, KeyReader* reader) {
  Parsed parsed;
  bool has_rest;
  if (positive_tag == tags::kPositiveSmall || positive_tag == tags::kPositiveLarge) {
    const uint64_t shifted = reader->Number(8);
    has_rest = (shifted & 1) != 0;
    parsed.real = std::bit_cast<double>(shifted >> 1);
  } else {
    const uint64_t shifted = reader->Number(positive_tag - tags::kPositiveWhole1 + 1);
    parsed.whole = shifted >> 1;
    const uint64_t part = (shifted & 1) != 0 ? reader->Number(7) : 0;
    parsed.part = part >> 4;
    has_rest = (part & 1) != 0;
  }
  if (has_rest) {
    parsed.rest = ReadRest(reader);
    if (!parsed.rest) return std::nullopt;
  }
  if (reader->failed()) return std::nullopt;
  return parsed;
}

double MagnitudeAsDouble(const Parsed& p) {
  if (p.real != 0) return p.real;
  return static_cast<double>(p.whole) + static_cast<double>(p.part) / kTwoTo52;
}

Decimal128 MagnitudeAsDecimal(const Parsed& p) {
  if (p.real != 0 || p.whole == 0) {
    return p.rest ? *p.rest : bson::DecimalFromDouble(p.real, kMaxDecimalDigits);
  }
  const Decimal128 whole = bson::DecimalFromInt64(static_cast<int64_t>(p.whole));
  const double part = static_cast<double>(p.part) / kTwoTo52;
  return bson::DecimalAdd(whole,
                          p.rest ? *p.rest : bson::DecimalFromDouble(part, kMaxDecimalDigits));
}

bson::Value AsDecimal(const Parsed& p, TypeBitsReader* bits) {
  const int exponent = static_cast<int>(bits->Read(kDecimalExponentBits)) - kDecimalExponentBias;
  if (p.IsZero()) {
    const bool negative = bits->Read(1) != 0;
    return bson::Value::FromDecimal128(bson::FromParts({negative, exponent, 0}));
  }
  Decimal128 v =
      bson::DecimalQuantize(MagnitudeAsDecimal(p), -exponent, bson::RoundingMode::kHalfEven);
  if (p.negative) v.high |= kSignBit;
  return bson::Value::FromDecimal128(v);
}

bson::Value AsDouble(const Parsed& p, TypeBitsReader* bits) {
  if (p.IsZero()) return bson::Value::Double(bits->Read(1) != 0 ? -0.0 : 0.0);
  const double magnitude = MagnitudeAsDouble(p);
  return bson::Value::Double(p.negative ? -magnitude : magnitude);
}

int64_t AsInt64(const Parsed& p) {
  const uint64_t magnitude = p.real == kTwoTo63 ? kSignBit : p.whole;
  return static_cast<int64_t>(p.negative ? 0 - magnitude : magnitude);
}

bson::Value Typed(const Parsed& p, TypeBitsReader* bits) {
  switch (static_cast<NumberCode>(bits->Read(2))) {
    case NumberCode::kNatural:
      if (p.real == 0 && p.part == 0 && !p.rest) return bson::Value::IntFitting(AsInt64(p));
      return AsDouble(p, bits);
    case NumberCode::kDouble:
      return AsDouble(p, bits);
    case NumberCode::kInt64:
      return bson::Value::Int64(AsInt64(p));
    case NumberCode::kDecimal:
      return AsDecimal(p, bits);
  }
  return bson::Value::Null();
}

bson::Value TypedNaN(TypeBitsReader* bits) {
  if (static_cast<NumberCode>(bits->Read(2)) != NumberCode::kDecimal) {
    return bson::Value::Double(std::numeric_limits<double>::quiet_NaN());
  }
  bits->Read(kDecimalExponentBits);
  return bson::Value::FromDecimal128({0, 0x7C00000000000000u});
}

}  // namespace

void AppendNumber(bson::ValueView number, std::string* out, TypeBits* bits) {
  if (number.type() == Type::kDouble) {
    AppendDouble(number.AsDouble(), out);
    if (bits != nullptr) AppendDoubleBits(number.AsDouble(), bits);
  } else if (number.type() == Type::kDecimal128) {
    AppendDecimal(number.AsDecimal128(), out);
    if (bits != nullptr) AppendDecimalBits(number.AsDecimal128(), bits);
  } else if (number.type() == Type::kInt64) {
    AppendInteger(number.AsInt64(), out);
    if (bits != nullptr) AppendInt64Bits(number.AsInt64(), bits);
  } else {
    AppendInteger(number.AsInt32(), out);
    if (bits != nullptr) Code(NumberCode::kNatural, bits);
  }
}

std::optional<bson::Value> ReadNumber(uint8_t tag, KeyReader* reader, TypeBitsReader* bits) {
  if (tag == tags::kNaN) return TypedNaN(bits);
  if (tag == tags::kZero) return Typed(Parsed{}, bits);
  const bool negative = tag < tags::kZero;
  if (negative) reader->Complement();
  auto parsed = Parse(static_cast<uint8_t>(negative ? 2 * tags::kZero - tag : tag), reader);
  if (negative) reader->Complement();
  if (!parsed) return std::nullopt;
  parsed->negative = negative;
  return Typed(*parsed, bits);
}

}  // namespace mayfly::engine
