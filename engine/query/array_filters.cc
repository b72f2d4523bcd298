// $all, $elemMatch, $size: predicates about arrays as a whole.
#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

class SizeNode final : public PathNode {
 public:
  SizeNode(std::string_view path, int64_t size)
      : PathNode(FilterKind::kSize, path, LeafArray::kWhole), size_(size) {}

  void SerializeOperator(bson::Builder* out) const override {
    out->Int32("$size", static_cast<int32_t>(size_));
  }
  bool DependsOnCollation() const override { return false; }
  std::optional<IndexBounds> Bounds(Multikey) const override {
    if (size_ != 0) return std::nullopt;
    // The key of an empty array; inside another array, the array itself.
    return IndexBounds{Union({Interval::Point(bson::Value::Undefined())},
                             {TypeBracket(bson::Type::kArray)}, nullptr),
                       false};
  }

 private:
  bool Test(ValueView value, MatchContext&) const override {
    return value.IsArray() && value.AsDocument().Count() == size_;
  }

  int64_t size_;
};

// Matches arrays of which one element that is a document (or array) matches the child.
class ElementObjectNode final : public PathNode {
 public:
  ElementObjectNode(std::string_view path, std::vector<FilterPtr> child)
      : PathNode(FilterKind::kElementObject, path, LeafArray::kWhole, std::move(child)) {}

  void SerializeOperator(bson::Builder* out) const override {
    out->OpenDocument("$elemMatch");
    children()[0]->Serialize(out);
    out->Close();
  }
  bool MatchesMissing() const override { return false; }

 private:
  bool Test(ValueView value, MatchContext& context) const override {
    if (!value.IsArray()) return false;
    int64_t index = -1;
    for (const bson::Element& element : value.AsDocument()) {
      ++index;
      if (!element.value.IsContainer()) continue;
      const absl::StatusOr<bool> matches =
          children()[0]->Matches(element.value.AsDocument(), context);
      if (!matches.ok() || !*matches) continue;
      if (context.record_position) context.position = index;
      return true;
    }
    return false;
  }
};

// Matches arrays of which one element fulfils all children.
class ElementValueNode final : public PathNode {
 public:
  ElementValueNode(std::string_view path, std::vector<FilterPtr> children,
                   const bson::StringComparator* strings)
      : PathNode(FilterKind::kElementValue, path, LeafArray::kWhole, std::move(children)),
        strings_(strings) {}

  void SerializeOperator(bson::Builder* out) const override {
    bson::Builder operators;
    for (const FilterPtr& child : children()) {
      // A second $regex would hide the first.
      if (child->kind() == FilterKind::kRegex && children().size() > 1) {
        operators.OpenArray("$in").Push(child->operand()).Close();
      } else {
        SerializeAsOperators(*child, "", &operators);
      }
    }
    out->Document("$elemMatch", operators.Finish());
  }
  bool MatchesMissing() const override { return false; }

  std::optional<IndexBounds> Bounds(Multikey) const override {
    IndexBounds result{{Interval::Everything()}, false};
    for (const FilterPtr& child : children()) {
      // Each element is one key, whatever the index has for the rest of the array.
      const std::optional<IndexBounds> bounds = child->Bounds(Multikey::kNo);
      if (bounds) result.intervals = Intersect(result.intervals, bounds->intervals, strings_);
    }
    return result;
  }

 private:
  bool Test(ValueView value, MatchContext& context) const override {
    if (!value.IsArray()) return false;
    int64_t index = -1;
    for (const bson::Element& element : value.AsDocument()) {
      ++index;
      if (!All(element.value, context)) continue;
      if (context.record_position) context.position = index;
      return true;
    }
    return false;
  }

  bool All(ValueView element, MatchContext& context) const {
    for (const FilterPtr& child : children()) {
      const absl::StatusOr<bool> matches = child->MatchesValue(element, context);
      if (!matches.ok() || !*matches) return false;
    }
    return true;
  }

  const bson::StringComparator* strings_;
};

absl::Status ParseSize(const FilterOperator& op, std::vector<FilterPtr>* out) {
  const auto fail = [&](std::string_view what) {
    return Error(ErrorCode::kBadValue, StrCat("Failed to parse $size. Expected ", what,
                                              ": $size: ", bson::ToShellText(op.operand)));
  };
  if (!op.operand.IsNumber()) return fail("a number in");
  const std::optional<int64_t> size = bson::ToInt64Exact(op.operand);
  if (!size) return fail("an integer");
  if (*size < 0) return fail("a non-negative number in");
  if (*size > std::numeric_limits<int32_t>::max()) return fail("an integer");
  out->push_back(std::make_unique<SizeNode>(op.path, *size));
  return absl::OkStatus();
}

// True if the operand of $elemMatch is about each element itself ({$gt: 5}) and not about its
// fields.
bool IsAboutElements(bson::View operand) {
  const std::string_view first = operand.First().key;
  if (!first.starts_with('$') || first == "$ref" || first == "$id" || first == "$db") return false;
  return FindDocumentOperator(first) == nullptr;
}

absl::StatusOr<FilterPtr> ParseElement(const FilterOperator& op, ValueView operand) {
  if (!operand.IsDocument()) return Error(ErrorCode::kBadValue, "$elemMatch needs an Object");
  if (op.depth >= kMaxFilterDepth) {
    return Error(ErrorCode::kBadValue,
                 StrCat("exceeded maximum query tree depth of ", kMaxFilterDepth));
  }
  const bson::View filter = operand.AsDocument();
  std::vector<FilterPtr> children;
  if (IsAboutElements(filter)) {
    MAYFLY_RETURN_IF_ERROR(
        op.parser.ParseOperators("", filter, FilterLevel::kEmbedded, op.depth + 1, &children));
    return std::make_unique<ElementValueNode>(op.path, std::move(children),
                                              op.parser.context().strings);
  }
  MAYFLY_ASSIGN_OR_RETURN(FilterPtr child,
                          op.parser.ParseDocument(filter, FilterLevel::kEmbedded, op.depth + 1));
  children.push_back(std::move(child));
  return std::make_unique<ElementObjectNode>(op.path, std::move(children));
}

absl::Status ParseElemMatch(const FilterOperator& op, std::vector<FilterPtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(FilterPtr node, ParseElement(op, op.operand));
  out->push_back(std::move(node));
  return absl::OkStatus();
}

bool IsElemMatch(ValueView value) {
  return value.IsDocument() && value.AsDocument().First().key == "$elemMatch";
}

// {$all: [{$elemMatch: ...}, ...]}
absl::Status ParseAllElements(const FilterOperator& op, std::vector<FilterPtr>* children) {
  for (const bson::Element& element : op.operand.AsDocument()) {
    if (!IsElemMatch(element.value)) {
      return Error(ErrorCode::kBadValue, "$all/$elemMatch has to be consistent");
    }
    MAYFLY_ASSIGN_OR_RETURN(FilterPtr node,
                            ParseElement(op, element.value.AsDocument().First().value));
    children->push_back(std::move(node));
  }
  return absl::OkStatus();
}

absl::Status ParseAllValues(const FilterOperator& op, std::vector<FilterPtr>* children) {
  const bson::StringComparator* strings = op.parser.context().strings;
  for (const bson::Element& element : op.operand.AsDocument()) {
    if (element.value.type() == bson::Type::kRegex) {
      MAYFLY_ASSIGN_OR_RETURN(FilterPtr node, MakeRegex(op.path, element.value.AsRegex(), strings));
      children->push_back(std::move(node));
      continue;
    }
    if (HasPathOperator(element.value)) {
      return Error(ErrorCode::kBadValue, "no $ expressions in $all");
    }
    if (element.value.type() == bson::Type::kUndefined) {
      return Error(ErrorCode::kBadValue, "cannot compare to undefined");
    }
    children->push_back(MakeComparison(FilterKind::kEqual, op.path, element.value, strings));
  }
  return absl::OkStatus();
}

absl::Status ParseAll(const FilterOperator& op, std::vector<FilterPtr>* out) {
  if (!op.operand.IsArray()) return Error(ErrorCode::kBadValue, "$all needs an array");
  const bson::View list = op.operand.AsDocument();
  if (list.empty()) {
    out->push_back(MakeAlwaysFalse());
    return absl::OkStatus();
  }
  std::vector<FilterPtr> children;
  const bool elements = IsElemMatch(list.First().value);
  MAYFLY_RETURN_IF_ERROR(elements ? ParseAllElements(op, &children)
                                  : ParseAllValues(op, &children));
  out->push_back(MakeAnd(std::move(children)));
  return absl::OkStatus();
}

constexpr FilterRow kRows[] = {
    {"$all", ParseAll, nullptr, "The array contains every operand."},
    {"$elemMatch", ParseElemMatch, nullptr, "One element of the array fulfils all conditions."},
    {"$size", ParseSize, nullptr, "The array has this many elements."},
};

}  // namespace

FilterFamily ArrayFilters() { return {"array", kRows}; }

}  // namespace mayfly::engine
