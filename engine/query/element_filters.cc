// $exists and $type: whether a field is there, and of which type.
#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"
#include "engine/query/type_set.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

class ExistsNode final : public PathNode {
 public:
  explicit ExistsNode(std::string_view path) : PathNode(FilterKind::kExists, path) {}

  void SerializeOperator(bson::Builder* out) const override { out->Bool("$exists", true); }
  bool DependsOnCollation() const override { return false; }
  // A key of null may stand for a missing field, so nothing is certain.
  std::optional<IndexBounds> Bounds(Multikey) const override {
    return IndexBounds{{Interval::Everything()}, false};
  }

 private:
  bool Test(ValueView value, MatchContext&) const override { return !value.IsMissing(); }
};

class TypeNode final : public PathNode {
 public:
  TypeNode(std::string_view path, TypeSet types)
      : PathNode(FilterKind::kType, path), types_(types) {}

  void SerializeOperator(bson::Builder* out) const override {
    out->OpenArray("$type");
    types_.Push(out);
    out->Close();
  }
  bool DependsOnCollation() const override { return false; }

  std::optional<IndexBounds> Bounds(Multikey) const override {
    // An array is not a key itself.
    if (types_.Has(bson::Type::kArray)) return std::nullopt;
    Intervals intervals;
    types_.ForEach([&](bson::Type type) { intervals.push_back(TypeBracket(type)); });
    return IndexBounds{Union(std::move(intervals), {}, nullptr), false};
  }

 private:
  bool Test(ValueView value, MatchContext&) const override {
    return !value.IsMissing() && types_.Has(value.type());
  }

  TypeSet types_;
};

bool IsTrue(ValueView value) {
  if (value.IsBool()) return value.AsBool();
  if (value.IsNumber()) return bson::IsNonZero(value);
  return !value.IsNullish();
}

absl::Status ParseExists(const FilterOperator& op, std::vector<FilterPtr>* out) {
  FilterPtr node = MakeExists(op.path);
  out->push_back(IsTrue(op.operand) ? std::move(node) : MakeNot(std::move(node)));
  return absl::OkStatus();
}

absl::Status ParseType(const FilterOperator& op, std::vector<FilterPtr>* out) {
  TypeSet types;
  if (op.operand.IsArray()) {
    for (const bson::Element& element : op.operand.AsDocument()) {
      MAYFLY_RETURN_IF_ERROR(types.Add(element.value));
    }
  } else {
    MAYFLY_RETURN_IF_ERROR(types.Add(op.operand));
  }
  if (types.empty()) {
    return Error(ErrorCode::kFailedToParse, StrCat(op.path, " must match at least one type"));
  }
  out->push_back(std::make_unique<TypeNode>(op.path, types));
  return absl::OkStatus();
}

constexpr FilterRow kRows[] = {
    {"$exists", ParseExists, nullptr, "The field is there (true) or is not (false)."},
    {"$type", ParseType, nullptr, "The value, or an element of it, is of one of the types."},
};

}  // namespace

FilterPtr MakeExists(std::string_view path) { return std::make_unique<ExistsNode>(path); }

FilterFamily ElementFilters() { return {"element", kRows}; }

}  // namespace mayfly::engine
