// $and, $or, $nor, $not, and the constants that simplification leaves.
#include "base/status.h"
#include "base/strings.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

// Restores whether positions are recorded when it goes.
class WithoutPosition {
 public:
  explicit WithoutPosition(MatchContext& context)
      : context_(context), before_(context.record_position) {
    context.record_position = false;
  }
  ~WithoutPosition() { context_.record_position = before_; }

 private:
  MatchContext& context_;
  bool before_;
};

class ConstantNode final : public FilterNode {
 public:
  explicit ConstantNode(FilterKind kind) : FilterNode(kind) {}
  absl::StatusOr<bool> Matches(bson::View, MatchContext&) const override { return value(); }
  absl::StatusOr<bool> MatchesValue(bson::ValueView, MatchContext&) const override {
    return value();
  }
  void Serialize(bson::Builder* out) const override {
    if (!value()) out->Int32("$alwaysFalse", 1);
  }
  bool MatchesMissing() const override { return value(); }

 private:
  bool value() const { return kind() == FilterKind::kAlwaysTrue; }
};

class ListNode : public FilterNode {
 public:
  ListNode(FilterKind kind, std::vector<FilterPtr> children)
      : FilterNode(kind, std::move(children)) {}

  void Serialize(bson::Builder* out) const override {
    out->OpenArray(kind() == FilterKind::kAnd  ? "$and"
                   : kind() == FilterKind::kOr ? "$or"
                                               : "$nor");
    for (const FilterPtr& child : children()) {
      out->PushOpenDocument();
      child->Serialize(out);
      out->Close();
    }
    out->Close();
  }
};

class AndNode final : public ListNode {
 public:
  explicit AndNode(std::vector<FilterPtr> children)
      : ListNode(FilterKind::kAnd, std::move(children)) {}

  absl::StatusOr<bool> Matches(bson::View document, MatchContext& context) const override {
    for (const FilterPtr& child : children()) {
      absl::StatusOr<bool> matches = child->Matches(document, context);
      if (!matches.ok() || !*matches) return NoMatch(std::move(matches), context);
    }
    return true;
  }

  absl::StatusOr<bool> MatchesValue(bson::ValueView value, MatchContext& context) const override {
    for (const FilterPtr& child : children()) {
      absl::StatusOr<bool> matches = child->MatchesValue(value, context);
      if (!matches.ok() || !*matches) return NoMatch(std::move(matches), context);
    }
    return true;
  }

  bool MatchesMissing() const override {
    for (const FilterPtr& child : children()) {
      if (!child->MatchesMissing()) return false;
    }
    return true;
  }

 private:
  static absl::StatusOr<bool> NoMatch(absl::StatusOr<bool> result, MatchContext& context) {
    context.position = -1;
    return result;
  }
};

// $or; $nor is its negation.
class OrNode final : public ListNode {
 public:
  OrNode(FilterKind kind, std::vector<FilterPtr> children)
      : ListNode(kind, std::move(children)), if_any_(kind == FilterKind::kOr) {}

  absl::StatusOr<bool> Matches(bson::View document, MatchContext& context) const override {
    const WithoutPosition without_position(context);
    for (const FilterPtr& child : children()) {
      MAYFLY_ASSIGN_OR_RETURN(const bool matches, child->Matches(document, context));
      if (matches) return if_any_;
    }
    return !if_any_;
  }

  absl::StatusOr<bool> MatchesValue(bson::ValueView value, MatchContext& context) const override {
    const WithoutPosition without_position(context);
    for (const FilterPtr& child : children()) {
      MAYFLY_ASSIGN_OR_RETURN(const bool matches, child->MatchesValue(value, context));
      if (matches) return if_any_;
    }
    return !if_any_;
  }

 private:
  bool if_any_;
};

class NotNode final : public FilterNode {
 public:
  explicit NotNode(std::vector<FilterPtr> child) : FilterNode(FilterKind::kNot, std::move(child)) {}

  std::string_view path() const override { return child().path(); }

  absl::StatusOr<bool> Matches(bson::View document, MatchContext& context) const override {
    const WithoutPosition without_position(context);
    MAYFLY_ASSIGN_OR_RETURN(const bool matches, child().Matches(document, context));
    return !matches;
  }

  absl::StatusOr<bool> MatchesValue(bson::ValueView value, MatchContext& context) const override {
    const WithoutPosition without_position(context);
    MAYFLY_ASSIGN_OR_RETURN(const bool matches, child().MatchesValue(value, context));
    return !matches;
  }

  void Serialize(bson::Builder* out) const override {
    bson::Builder operators;
    const std::string_view at = ChildPath();
    if (!at.empty() && SerializeAsOperators(child(), at, &operators)) {
      out->OpenDocument(at).Document("$not", operators.Finish()).Close();
      return;
    }
    out->OpenArray("$nor").PushOpenDocument();
    child().Serialize(out);
    out->Close().Close();
  }

  // Keys outside the child's, if a key inside makes the child true.
  std::optional<IndexBounds> Bounds(Multikey multikey) const override {
    const std::optional<IndexBounds> inner = child().Bounds(multikey);
    if (!inner || !inner->exact) return std::nullopt;
    return IndexBounds{Complement(inner->intervals, nullptr), multikey == Multikey::kNo};
  }

  bool MatchesMissing() const override {
    return child().kind() == FilterKind::kAnd || !child().MatchesMissing();
  }

 private:
  const FilterNode& child() const { return *children()[0]; }

  std::string_view ChildPath() const {
    const bool is_list = child().kind() == FilterKind::kAnd && !child().children().empty();
    return is_list ? child().children()[0]->path() : child().path();
  }
};

absl::StatusOr<std::vector<FilterPtr>> ParseList(const FilterOperator& op) {
  if (!op.operand.IsArray()) {
    return Error(ErrorCode::kBadValue, StrCat(op.name, " must be an array"));
  }
  if (op.operand.AsDocument().empty()) {
    return Error(ErrorCode::kBadValue, "$and/$or/$nor must be a nonempty array");
  }
  std::vector<FilterPtr> children;
  for (const bson::Element& element : op.operand.AsDocument()) {
    if (!element.value.IsDocument()) {
      return Error(ErrorCode::kBadValue, "$or/$and/$nor entries need to be full objects");
    }
    MAYFLY_ASSIGN_OR_RETURN(FilterPtr child, op.parser.ParseDocument(element.value.AsDocument(),
                                                                     op.level, op.depth + 1));
    children.push_back(std::move(child));
  }
  return children;
}

absl::Status ParseAnd(const FilterOperator& op, std::vector<FilterPtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<FilterPtr> children, ParseList(op));
  out->push_back(MakeAnd(std::move(children)));
  return absl::OkStatus();
}

absl::Status ParseOr(const FilterOperator& op, std::vector<FilterPtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<FilterPtr> children, ParseList(op));
  out->push_back(MakeOr(std::move(children)));
  return absl::OkStatus();
}

absl::Status ParseNor(const FilterOperator& op, std::vector<FilterPtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<FilterPtr> children, ParseList(op));
  out->push_back(MakeNor(std::move(children)));
  return absl::OkStatus();
}

absl::Status ParseNot(const FilterOperator& op, std::vector<FilterPtr>* out) {
  if (op.depth >= kMaxFilterDepth) {
    return Error(ErrorCode::kBadValue,
                 StrCat("exceeded maximum query tree depth of ", kMaxFilterDepth));
  }
  if (op.operand.type() == bson::Type::kRegex) {
    MAYFLY_ASSIGN_OR_RETURN(FilterPtr node,
                            MakeRegex(op.path, op.operand.AsRegex(), op.parser.context().strings));
    out->push_back(MakeNot(std::move(node)));
    return absl::OkStatus();
  }
  if (!op.operand.IsDocument()) {
    return Error(ErrorCode::kBadValue, "$not needs a regex or a document");
  }
  if (op.operand.AsDocument().empty()) {
    return Error(ErrorCode::kBadValue, "$not cannot be empty");
  }
  std::vector<FilterPtr> children;
  MAYFLY_RETURN_IF_ERROR(op.parser.ParseOperators(op.path, op.operand.AsDocument(), op.level,
                                                  op.depth + 1, &children));
  out->push_back(MakeNot(MakeAnd(std::move(children))));
  return absl::OkStatus();
}

absl::Status ParseConstant(FilterKind kind, const FilterOperator& op, std::vector<FilterPtr>* out) {
  const bson::ValueView v = op.operand;
  const bool is_one = v.IsNumber() && bson::Equal(v, bson::Value::Int32(1));
  if (!is_one) {
    return Error(ErrorCode::kFailedToParse, StrCat(op.name, " must be an integer value of 1"));
  }
  out->push_back(std::make_unique<ConstantNode>(kind));
  return absl::OkStatus();
}

absl::Status ParseAlwaysTrue(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseConstant(FilterKind::kAlwaysTrue, op, out);
}

absl::Status ParseAlwaysFalse(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseConstant(FilterKind::kAlwaysFalse, op, out);
}

constexpr FilterRow kRows[] = {
    {"$and", nullptr, ParseAnd, "All of the filters match."},
    {"$or", nullptr, ParseOr, "At least one of the filters matches."},
    {"$nor", nullptr, ParseNor, "None of the filters matches."},
    {"$not", ParseNot, nullptr, "The operators do not match the value."},
    {"$alwaysTrue", nullptr, ParseAlwaysTrue, "Matches every document."},
    {"$alwaysFalse", nullptr, ParseAlwaysFalse, "Matches no document."},
};

}  // namespace

FilterPtr MakeAlwaysTrue() { return std::make_unique<ConstantNode>(FilterKind::kAlwaysTrue); }
FilterPtr MakeAlwaysFalse() { return std::make_unique<ConstantNode>(FilterKind::kAlwaysFalse); }

FilterPtr MakeAnd(std::vector<FilterPtr> children) {
  if (children.empty()) return MakeAlwaysTrue();
  if (children.size() == 1) return std::move(children[0]);
  return std::make_unique<AndNode>(std::move(children));
}

FilterPtr MakeOr(std::vector<FilterPtr> children) {
  if (children.size() == 1) return std::move(children[0]);
  return std::make_unique<OrNode>(FilterKind::kOr, std::move(children));
}

FilterPtr MakeNor(std::vector<FilterPtr> children) {
  return std::make_unique<OrNode>(FilterKind::kNor, std::move(children));
}

FilterPtr MakeNot(FilterPtr child) {
  std::vector<FilterPtr> children;
  children.push_back(std::move(child));
  return std::make_unique<NotNode>(std::move(children));
}

bool SerializeAsOperators(const FilterNode& node, std::string_view path, bson::Builder* out) {
  if (node.kind() == FilterKind::kAlwaysTrue) return true;
  if (node.kind() == FilterKind::kAlwaysFalse) {
    out->OpenArray("$in").Close();
    return true;
  }
  if (node.kind() == FilterKind::kAnd) {
    for (const FilterPtr& child : node.children()) {
      // There is one $regex in a document of operators, but any number of $in.
      if (child->kind() == FilterKind::kRegex && child->path() == path) {
        out->OpenArray("$in").Push(child->operand()).Close();
      } else if (!SerializeAsOperators(*child, path, out)) {
        return false;
      }
    }
    return true;
  }
  if (node.kind() == FilterKind::kNot) {
    bson::Builder inner;
    if (!SerializeAsOperators(*node.children()[0], path, &inner)) return false;
    out->Document("$not", inner.Finish());
    return true;
  }
  const auto* predicate = dynamic_cast<const PathNode*>(&node);
  if (predicate == nullptr || predicate->path() != path) return false;
  predicate->SerializeOperator(out);
  return true;
}

FilterFamily LogicalFilters() { return {"logical", kRows}; }

}  // namespace mayfly::engine
