// $mod: division with remainder over integers.

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
using bson::Type;
using bson::ValueView;

constexpr double kTwoTo63 = 0x1p63;

// The integer part; nullopt for NaN, infinities and what int64 cannot hold.
std::optional<int64_t> IntegerPart(ValueView number) {
  if (number.type() == Type::kDecimal128) return bson::DecimalToInt64(number.AsDecimal128());
  if (number.type() == Type::kDouble) {
    const double v = number.AsDouble();
    if (!(v >= -kTwoTo63 && v < kTwoTo63)) return std::nullopt;
  }
  return bson::ToInt64Truncated(number);
}

class ModNode final : public PathNode {
 public:
  ModNode(std::string_view path, int64_t divisor, int64_t remainder)
      : PathNode(FilterKind::kMod, path), divisor_(divisor), remainder_(remainder) {}

  void SerializeOperator(bson::Builder* out) const override {
    out->OpenArray("$mod");
    out->Push(bson::Value::IntFitting(divisor_)).Push(bson::Value::IntFitting(remainder_)).Close();
  }
  bool DependsOnCollation() const override { return false; }
  std::optional<IndexBounds> Bounds(Multikey) const override {
    return IndexBounds{{TypeBracket(Type::kDouble)}, false};
  }

 private:
  bool Test(ValueView value, MatchContext&) const override {
    if (!value.IsNumber()) return false;
    const std::optional<int64_t> dividend = IntegerPart(value);
    // INT64_MIN % -1 is 0 but traps.
    return dividend && (divisor_ == -1 ? 0 : *dividend % divisor_) == remainder_;
  }

  int64_t divisor_;
  int64_t remainder_;
};

absl::Status Malformed(std::string_view what) {
  return Error(ErrorCode::kBadValue, StrCat("malformed mod, ", what));
}

absl::Status ParseMod(const FilterOperator& op, std::vector<FilterPtr>* out) {
  if (!op.operand.IsArray()) return Malformed("needs to be an array");
  std::vector<ValueView> arguments;
  for (const bson::Element& element : op.operand.AsDocument()) arguments.push_back(element.value);
  if (arguments.size() < 2) return Malformed("not enough elements");
  if (arguments.size() > 2) return Malformed("too many elements");
  if (!arguments[0].IsNumber()) return Malformed("divisor not a number");
  if (!arguments[1].IsNumber()) return Malformed("remainder not a number");
  const std::optional<int64_t> divisor = IntegerPart(arguments[0]);
  if (!divisor) return Malformed("divisor value is invalid");
  const std::optional<int64_t> remainder = IntegerPart(arguments[1]);
  if (!remainder) return Malformed("remainder value is invalid");
  if (*divisor == 0) return Error(ErrorCode::kBadValue, "divisor cannot be 0");
  out->push_back(std::make_unique<ModNode>(op.path, *divisor, *remainder));
  return absl::OkStatus();
}

constexpr FilterRow kRows[] = {
    {"$mod", ParseMod, nullptr, "The number divided by the first operand leaves the second."},
};

}  // namespace

FilterFamily ArithmeticFilters() { return {"arithmetic", kRows}; }

}  // namespace mayfly::engine
