// $bitsAllSet, $bitsAllClear, $bitsAnySet, $bitsAnyClear: bits of integers and of binary data.
//
// Bit 0 is the lowest of a number, and the lowest of the first byte of binary data. A negative
// number has all bits beyond the 64th set (two's complement); binary data has none beyond its end.
#include <algorithm>
#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

constexpr uint32_t kBitsOfNumber = 64;

enum class BitTest : uint8_t { kAllSet, kAllClear, kAnySet, kAnyClear };

std::string_view OperatorName(BitTest test) {
  switch (test) {
    case BitTest::kAllSet:
      return "$bitsAllSet";
    case BitTest::kAllClear:
      return "$bitsAllClear";
    case BitTest::kAnySet:
      return "$bitsAnySet";
    case BitTest::kAnyClear:
      return "$bitsAnyClear";
  }
  return "";
}

// The bytes after the subtype; in the old binary format they begin with a second length.
std::string_view RawBytes(ValueView binary) { return binary.bytes().substr(5); }

class BitsNode final : public PathNode {
 public:
  BitsNode(BitTest test, std::string_view path, std::vector<uint32_t> positions)
      : PathNode(FilterKind::kBits, path), test_(test), positions_(std::move(positions)) {
    for (const uint32_t position : positions_) {
      mask_ |= uint64_t{1} << std::min(position, kBitsOfNumber - 1);
    }
  }

  void SerializeOperator(bson::Builder* out) const override {
    out->OpenArray(OperatorName(test_));
    for (const uint32_t position : positions_) out->PushInt32(static_cast<int32_t>(position));
    out->Close();
  }
  bool DependsOnCollation() const override { return false; }
  std::optional<IndexBounds> Bounds(Multikey) const override {
    return IndexBounds{
        Union({TypeBracket(bson::Type::kDouble)}, {TypeBracket(bson::Type::kBinary)}, nullptr),
        false};
  }

 private:
  bool Test(ValueView value, MatchContext&) const override {
    if (value.type() == bson::Type::kBinary) return TestBytes(RawBytes(value));
    if (!value.IsNumber()) return false;
    const std::optional<int64_t> number = bson::ToInt64Exact(value);
    return number && TestNumber(static_cast<uint64_t>(*number));
  }

  bool TestNumber(uint64_t bits) const {
    switch (test_) {
      case BitTest::kAllSet:
        return (bits & mask_) == mask_;
      case BitTest::kAllClear:
        return (bits & mask_) == 0;
      case BitTest::kAnySet:
        return (bits & mask_) != 0;
      case BitTest::kAnyClear:
        return (bits & mask_) != mask_;
    }
    return false;
  }

  bool TestBytes(std::string_view bytes) const {
    const auto is_set = [bytes](uint32_t position) {
      const uint32_t byte = position / 8;
      return byte < bytes.size() && ((bytes[byte] >> (position % 8)) & 1) != 0;
    };
    switch (test_) {
      case BitTest::kAllSet:
        return std::all_of(positions_.begin(), positions_.end(), is_set);
      case BitTest::kAllClear:
        return std::none_of(positions_.begin(), positions_.end(), is_set);
      case BitTest::kAnySet:
        return std::any_of(positions_.begin(), positions_.end(), is_set);
      case BitTest::kAnyClear:
        return !std::all_of(positions_.begin(), positions_.end(), is_set);
    }
    return false;
  }

  BitTest test_;
  std::vector<uint32_t> positions_;
  uint64_t mask_ = 0;  // positions beyond a number's bits stand for its sign
};

absl::StatusOr<std::vector<uint32_t>> PositionsOfList(bson::View list) {
  std::vector<uint32_t> positions;
  for (const bson::Element& element : list) {
    const auto fail = [&](std::string_view what) {
      return Error(ErrorCode::kBadValue,
                   StrCat("Failed to parse bit position. Expected ", what, " in: ", element.key));
    };
    if (!element.value.IsNumber()) return fail("a number");
    const std::optional<int64_t> position = bson::ToInt64Exact(element.value);
    if (!position) return fail("an integer");
    if (*position < 0) return fail("a non-negative number");
    if (*position > std::numeric_limits<int32_t>::max()) return fail("an integer");
    positions.push_back(static_cast<uint32_t>(*position));
  }
  return positions;
}

absl::StatusOr<std::vector<uint32_t>> PositionsOfNumber(ValueView number) {
  const std::optional<int64_t> mask = bson::ToInt64Exact(number);
  if (!mask || *mask < 0) {
    return Error(ErrorCode::kFailedToParse, mask ? "Expected a non-negative number in: bit mask"
                                                 : "Expected an integer: bit mask");
  }
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < kBitsOfNumber; ++i) {
    if ((*mask >> i) & 1) positions.push_back(i);
  }
  return positions;
}

std::vector<uint32_t> PositionsOfBytes(std::string_view bytes) {
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < bytes.size() * 8; ++i) {
    if ((bytes[i / 8] >> (i % 8)) & 1) positions.push_back(i);
  }
  return positions;
}

absl::Status ParseBits(BitTest test, const FilterOperator& op, std::vector<FilterPtr>* out) {
  std::vector<uint32_t> positions;
  if (op.operand.IsArray()) {
    MAYFLY_ASSIGN_OR_RETURN(positions, PositionsOfList(op.operand.AsDocument()));
  } else if (op.operand.IsNumber()) {
    MAYFLY_ASSIGN_OR_RETURN(positions, PositionsOfNumber(op.operand));
  } else if (op.operand.type() == bson::Type::kBinary) {
    positions = PositionsOfBytes(RawBytes(op.operand));
  } else {
    return Error(
        ErrorCode::kBadValue,
        StrCat(op.path, " takes an Array, a number, or a BinData but received: ", op.name));
  }
  out->push_back(std::make_unique<BitsNode>(test, op.path, std::move(positions)));
  return absl::OkStatus();
}

absl::Status ParseAllSet(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseBits(BitTest::kAllSet, op, out);
}
absl::Status ParseAllClear(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseBits(BitTest::kAllClear, op, out);
}
absl::Status ParseAnySet(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseBits(BitTest::kAnySet, op, out);
}
absl::Status ParseAnyClear(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseBits(BitTest::kAnyClear, op, out);
}

constexpr FilterRow kRows[] = {
    {"$bitsAllSet", ParseAllSet, nullptr, "All of the bits are 1."},
    {"$bitsAllClear", ParseAllClear, nullptr, "All of the bits are 0."},
    {"$bitsAnySet", ParseAnySet, nullptr, "At least one of the bits is 1."},
    {"$bitsAnyClear", ParseAnyClear, nullptr, "At least one of the bits is 0."},
};

}  // namespace

FilterFamily BitFilters() { return {"bits", kRows}; }

}  // namespace mayfly::engine
