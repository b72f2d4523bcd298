// Random BSON values of every type, dense enough that equal and nearly equal ones are common.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "base/random.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "bson/value.h"

namespace mayfly::bson::testing {

class RandomValues {
 public:
  explicit RandomValues(uint64_t seed) : random_(seed) {}

  uint64_t Below(uint64_t n) { return random_.Below(n); }

  Value Any(int depth = 0) {
    if (Below(2) == 0) return Number();
    switch (Below(depth < 3 ? 20 : 16)) {
      case 0:
        return Value::Null();
      case 1:
        return Value::Undefined();
      case 2:
        return Value::MinKey();
      case 3:
        return Value::MaxKey();
      case 4:
        return Value::Symbol(Text(true));
      case 5:
      case 6:
        return Value::String(Text(true));
      case 7:
        return Value::Code(Text(true));
      case 8:
        return Value::Bool(Below(2) == 0);
      case 9:
        return Value::Date(Integer());
      case 10:
        return Value::FromTimestamp(
            {static_cast<uint32_t>(Below(3)), static_cast<uint32_t>(Below(3))});
      case 11:
        return Value::FromRegex(Text(false), Text(false));
      case 12:
        return Value::FromBinary(static_cast<uint8_t>(Below(4)), Text(true));
      case 13:
        return Value::FromObjectId(Id());
      case 14:
        return DbPointer();
      case 15:
        return CodeWithScope(depth + 1);
      case 16:
      case 17:
        return Value::FromArray(Container(depth + 1, true));
      default:
        return Value::FromDocument(Container(depth + 1, false));
    }
  }

  Value Number() {
    switch (Below(5)) {
      case 0:
        return Value::Int32(static_cast<int32_t>(Integer()));
      case 1:
        return Value::Int64(Integer());
      case 2:
        return Value::Double(Double());
      case 3:
        // A decimal on or right beside a double.
        return Value::FromDecimal128(DecimalFromDouble(Double(), 10 + static_cast<int>(Below(25))));
      default:
        return Value::FromDecimal128(Decimal());
    }
  }

  std::string Text(bool with_nul) {
    std::string text;
    for (uint64_t n = Below(4); n > 0; --n) {
      constexpr char kBytes[] = {'\0', '\x01', '\x02', 'a', 'b', '\x7F', '\x80', '\xFE', '\xFF'};
      text.push_back(kBytes[with_nul ? Below(9) : 1 + Below(8)]);
    }
    if (Below(50) == 0) text.append(300, 'x');
    return text;
  }

  Document Container(int depth, bool is_array) {
    Builder b;
    if (is_array) b.OpenArray("");
    for (uint64_t n = Below(4); n > 0; --n) {
      const Value v = Any(depth);
      if (is_array) {
        b.Push(v);
      } else {
        b.Append(Text(false), v);
      }
    }
    if (!is_array) return b.Finish();
    b.Close();
    const Document holder = b.Finish();
    return Document(holder.view().First().value.AsDocument());
  }

 private:
  int64_t Integer() {
    switch (Below(4)) {
      case 0:
        return static_cast<int64_t>(Below(5)) - 2;
      case 1:
        return static_cast<int64_t>(random_.NextU64() >> Below(64)) * (Below(2) == 0 ? 1 : -1);
      case 2: {
        const int64_t power =
            Below(63) == 0 ? std::numeric_limits<int64_t>::min() : int64_t{1} << Below(63);
        return static_cast<int64_t>(static_cast<uint64_t>(power) + Below(3) - 1);
      }
      default:
        return static_cast<int64_t>(random_.NextU64());
    }
  }

  double Double() {
    switch (Below(6)) {
      case 0:
        return static_cast<double>(Integer());
      case 1:
        return static_cast<double>(Integer()) / 8;
      case 2: {
        constexpr double kSpecial[] = {0.0,
                                       -0.0,
                                       std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::denorm_min(),
                                       std::numeric_limits<double>::max()};
        return kSpecial[Below(7)];
      }
      case 3:
        return std::nextafter(static_cast<double>(Integer()), 0.0);
      case 4:
        return static_cast<double>(Below(1000)) / 100;
      default:
        return std::ldexp(random_.NextDouble() - 0.5, static_cast<int>(Below(2200)) - 1100);
    }
  }

  Decimal128 Decimal() {
    switch (Below(6)) {
      case 0:
        return {0, (Below(2) << 63) | (0x78ull << 56)};  // infinity
      case 1:
        return {0, 0x7Cull << 56};
      case 2: {
        DecimalParts parts{Below(2) == 0, static_cast<int>(Below(12288)) - 6176, 0};
        parts.coefficient = random_.NextU64() >> Below(64);
        return FromParts(parts);
      }
      case 3: {
        DecimalParts parts{Below(2) == 0, static_cast<int>(Below(40)) - 34, 0};
        parts.coefficient = static_cast<Uint128>(random_.NextU64()) * (random_.NextU64() >> 16);
        return FromParts(parts);
      }
      case 4:
        return DecimalAdd(DecimalFromDouble(Double(), 34), DecimalFromInt64(1));
      default:
        return FromParts({Below(2) == 0, static_cast<int>(Below(8)) - 4, Below(200)});
    }
  }

  ObjectId Id() {
    ObjectId id;
    id.bytes[Below(12)] = static_cast<uint8_t>(Below(3));
    return id;
  }

  static void PutSize(size_t n, std::string* out) {
    const auto size = static_cast<uint32_t>(n);
    out->append(reinterpret_cast<const char*>(&size), sizeof size);
  }

  static Value Raw(Type type, const std::string& bytes) {
    return Value(ValueView(type, reinterpret_cast<const uint8_t*>(bytes.data()),
                           static_cast<uint32_t>(bytes.size())));
  }

  Value DbPointer() {
    const std::string ns = Text(true);
    const ObjectId id = Id();
    std::string bytes;
    PutSize(ns.size() + 1, &bytes);
    bytes.append(ns).push_back('\0');
    bytes.append(reinterpret_cast<const char*>(id.bytes.data()), 12);
    return Raw(Type::kDbPointer, bytes);
  }

  Value CodeWithScope(int depth) {
    const std::string code = Text(true);
    const Document scope = Container(depth, false);
    std::string bytes;
    PutSize(4 + 4 + code.size() + 1 + scope.bytes().size(), &bytes);
    PutSize(code.size() + 1, &bytes);
    bytes.append(code).push_back('\0');
    bytes.append(scope.bytes());
    return Raw(Type::kCodeWithScope, bytes);
  }

  base::Random random_;
};

}  // namespace mayfly::bson::testing
