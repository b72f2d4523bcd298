// From the specification to the tree: which fields, of which kind, and what may not stand beside
// what.
#include <algorithm>
#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/expression/operator.h"
#include "engine/expression/path.h"
#include "engine/projection/projection.h"
#include "engine/projection/projection_tree.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Type;
using bson::ValueView;

constexpr int kCollisionBelow = 31249;
constexpr int kCollision = 31250;
constexpr int kOperatorInExclusion = 31252;
constexpr int kInclusionInExclusion = 31253;
constexpr int kExclusionInInclusion = 31254;
constexpr int kElementAfterPositional = 31255;
constexpr int kPositionalAfterElement = 31256;
constexpr int kPositionalObject = 31271;
constexpr int kElementNotObject = 31274;
constexpr int kElementNested = 31275;
constexpr int kTwoPositional = 31276;
constexpr int kPositionalLiteral = 31308;
constexpr int kLiteralInExclusion = 31310;
constexpr int kUnknownExpression = 31325;
constexpr int kPositionalInside = 31394;
constexpr int kPositionalExclusion = 31395;
constexpr int kPositionalWithoutFilter = 51050;
constexpr int kEmptySubProjection = 51270;

bool IsTruthy(ValueView value) { return value.IsBool() ? value.AsBool() : bson::IsNonZero(value); }

int64_t ClampToInt32(ValueView number) {
  return std::clamp<int64_t>(bson::ToInt64Truncated(number), std::numeric_limits<int32_t>::min(),
                             std::numeric_limits<int32_t>::max());
}

// The slice, or nullopt if the operand means the expression $slice.
std::optional<ArraySlice> ParseFindSlice(ValueView operand) {
  if (operand.IsNumber()) {
    const int64_t n = ClampToInt32(operand);
    return n < 0 ? ArraySlice{n, -n} : ArraySlice{0, n};
  }
  if (!operand.IsArray() || operand.AsDocument().Count() != 2) return std::nullopt;
  auto it = operand.AsDocument().begin();
  const ValueView skip = it->value;
  const ValueView limit = (++it)->value;
  if (!skip.IsNumber() || !limit.IsNumber() || ClampToInt32(limit) <= 0) return std::nullopt;
  return ArraySlice{ClampToInt32(skip), ClampToInt32(limit)};
}

bool UsesExpressions(const FilterNode& filter) {
  return filter.kind() == FilterKind::kExpression ||
         std::any_of(filter.children().begin(), filter.children().end(),
                     [](const FilterPtr& child) { return UsesExpressions(*child); });
}

class Parser {
 public:
  using Node = Projection::Node;

  explicit Parser(const ProjectionContext& context)
      : context_(context), root_(std::make_unique<Node>()) {}

  absl::Status Run(bson::View spec) {
    for (const bson::Element& field : spec) MAYFLY_RETURN_IF_ERROR(ParseField("", field));
    const bool inclusion = has_element_ || (id_ && *id_);
    if (!kind_) kind_ = inclusion ? ProjectionKind::kInclusion : ProjectionKind::kExclusion;
    return FinishId();
  }

  ProjectionKind kind() const { return *kind_; }
  std::unique_ptr<Node> TakeRoot() { return std::move(root_); }
  std::vector<std::string> TakePositional() { return std::move(positional_); }

 private:
  // The recursion is bounded by the nesting of the specification.
  absl::Status ParseField(std::string_view prefix, const bson::Element& field) {
    const std::string path = StrCat(prefix, field.key);
    if (path.find(".$.") != std::string::npos) {
      return Error(kPositionalInside,
                   "As of 4.4, it's illegal to specify positional operator in the middle of a "
                   "path.Positional projection may only be used at the end, for example: a.b.$. If "
                   "the query previously used a form like a.b.$.d, remove the parts following the "
                   "'$' and the results will be equivalent.");
    }
    const bool is_positional = path.ends_with(".$");
    const std::string_view plain =
        std::string_view(path).substr(0, path.size() - (is_positional ? 2 : 0));
    MAYFLY_RETURN_IF_ERROR(CheckFieldPath(plain));
    if (field.value.IsDocument()) {
      if (is_positional) {
        return Error(kPositionalObject,
                     "positional projection cannot be used with an expression or sub object");
      }
      return ParseObject(path, field.value.AsDocument());
    }
    if (field.value.IsBool() || field.value.IsNumber()) {
      if (!IsTruthy(field.value)) return ParseExclusion(plain, is_positional);
      return is_positional ? ParsePositional(plain) : ParseInclusion(plain);
    }
    if (is_positional) {
      return Error(kPositionalLiteral, "positional projection cannot be used with a literal");
    }
    return ParseComputed(path, field.value, kLiteralInExclusion);
  }

  absl::Status ParseObject(std::string_view path, bson::View object) {
    const bson::Element first = object.First();
    if (object.empty()) {
      return Error(kEmptySubProjection,
                   "An empty sub-projection is not a valid value. Found empty "
                   "object at path");
    }
    if (!first.key.starts_with('$') || object.Count() > 1) {
      for (const bson::Element& field : object) {
        MAYFLY_RETURN_IF_ERROR(ParseField(StrCat(path, "."), field));
      }
      return absl::OkStatus();
    }
    if (first.key == "$elemMatch") return ParseElement(path, first.value);
    if (first.key == "$slice" && path != positional_path_) {
      if (const std::optional<ArraySlice> slice = ParseFindSlice(first.value)) {
        return ParseSlice(path, *slice);
      }
    }
    return ParseComputed(path, ValueView(Type::kDocument, object.data(), object.size()),
                         kOperatorInExclusion);
  }

  absl::Status ParseInclusion(std::string_view path) {
    MAYFLY_ASSIGN_OR_RETURN(Node * node, AddNode(path));
    node->action = Node::Action::kKeep;
    if (path == "_id") {
      id_ = true;
      return absl::OkStatus();
    }
    return RequireInclusion(path);
  }

  absl::Status RequireInclusion(std::string_view path) {
    if (kind_ == ProjectionKind::kExclusion) {
      return Error(kInclusionInExclusion,
                   StrCat("Cannot do inclusion on field ", path, " in exclusion projection"));
    }
    kind_ = ProjectionKind::kInclusion;
    return absl::OkStatus();
  }

  absl::Status ParseExclusion(std::string_view path, bool is_positional) {
    if (is_positional) {
      return Error(kPositionalExclusion, "positional projection cannot be used with exclusion");
    }
    MAYFLY_ASSIGN_OR_RETURN(Node * node, AddNode(path));
    node->action = Node::Action::kDrop;
    if (path == "_id") {
      id_ = false;
      return absl::OkStatus();
    }
    if (kind_ == ProjectionKind::kInclusion) {
      return Error(kExclusionInInclusion,
                   StrCat("Cannot do exclusion on field ", path, " in inclusion projection"));
    }
    kind_ = ProjectionKind::kExclusion;
    return absl::OkStatus();
  }

  absl::Status ParsePositional(std::string_view path) {
    if (!positional_.empty()) {
      return Error(kTwoPositional, "Cannot specify more than one positional projection per query.");
    }
    if (has_element_) {
      return Error(kPositionalAfterElement, "Cannot specify positional operator and $elemMatch.");
    }
    if (context_.filter == nullptr) {
      return Error(kPositionalWithoutFilter,
                   "Projections with a positional operator require a matcher");
    }
    if (UsesExpressions(*context_.filter)) {
      return Error(ErrorCode::kQueryFeatureNotAllowed,
                   "Executor error: $expr is not allowed with a positional projection");
    }
    MAYFLY_RETURN_IF_ERROR(ParseInclusion(path));
    MAYFLY_ASSIGN_OR_RETURN(positional_, ParseFieldPath(path));
    positional_path_ = path;
    return absl::OkStatus();
  }

  absl::Status ParseElement(std::string_view path, ValueView operand) {
    if (!operand.IsDocument()) {
      return Error(kElementNotObject,
                   StrCat("elemMatch: Invalid argument, object required, but got ",
                          bson::TypeName(operand.type())));
    }
    if (!positional_.empty()) {
      return Error(kElementAfterPositional, "Cannot specify positional operator and $elemMatch.");
    }
    if (path.find('.') != std::string_view::npos) {
      return Error(kElementNested, "Cannot use $elemMatch projection on a nested field.");
    }
    has_element_ = true;
    bson::Builder condition;
    condition.OpenDocument(path).Append("$elemMatch", operand).Close();
    FilterParseContext context;
    context.strings = context_.strings;
    context.features = {
        .expr = false, .text_search = false, .near = false, .where = false, .json_schema = false};
    MAYFLY_ASSIGN_OR_RETURN(FilterPtr element, ParseFilter(condition.Finish(), context));
    MAYFLY_ASSIGN_OR_RETURN(Node * node, AddNode(path));
    node->action = Node::Action::kElement;
    node->element = std::move(element);
    return absl::OkStatus();
  }

  absl::Status ParseSlice(std::string_view path, ArraySlice slice) {
    MAYFLY_ASSIGN_OR_RETURN(Node * node, AddNode(path));
    node->action = Node::Action::kSlice;
    node->slice = slice;
    return absl::OkStatus();
  }

  // `refusal` is the error of an exclusion.
  absl::Status ParseComputed(std::string_view path, ValueView value, int refusal) {
    const bool is_operator = value.IsDocument();
    const std::string_view name = is_operator ? value.AsDocument().First().key : "";
    if (is_operator && FindOperator(name) == nullptr) {
      return Error(kUnknownExpression, StrCat("Unknown expression ", name));
    }
    const bool is_metadata = name == "$meta";
    if (!is_metadata && kind_ == ProjectionKind::kExclusion) {
      return Error(refusal, is_operator
                                ? "Cannot use expression other than $meta in exclusion projection"
                                : StrCat("Cannot use an expression ", path, ": ",
                                         bson::ToShellText(value), " in an exclusion projection"));
    }
    const Variables none;
    ParseContext parse;
    parse.variables = context_.variables != nullptr ? context_.variables : &none;
    parse.evaluation = context_.evaluation;
    MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression, ParseExpression(value, parse));
    MAYFLY_ASSIGN_OR_RETURN(Node * node, AddNode(path));
    node->action = Node::Action::kCompute;
    node->expression = std::move(expression);
    if (!is_metadata) kind_ = ProjectionKind::kInclusion;
    return absl::OkStatus();
  }

  // The new node at the end of `path`.
  absl::StatusOr<Node*> AddNode(std::string_view path) {
    Node* node = root_.get();
    std::string_view rest = path;
    while (true) {
      const size_t dot = rest.find('.');
      const std::string_view name = rest.substr(0, dot);
      const bool is_last = dot == std::string_view::npos;
      const int child = node->Find(name);
      if (child >= 0 && is_last) return Error(kCollision, StrCat("Path collision at ", path));
      node = child >= 0 ? node->children[child].get() : node->Add(name);
      if (is_last) return node;
      rest.remove_prefix(dot + 1);
      if (node->action != Node::Action::kChildren) {
        return Error(kCollisionBelow,
                     StrCat("Path collision at ", path, " remaining portion ", rest));
      }
    }
  }

  // An inclusion keeps `_id` unless told otherwise.
  absl::Status FinishId() {
    if (*kind_ == ProjectionKind::kInclusion && root_->Find("_id") < 0) {
      root_->Add("_id")->action = Node::Action::kKeep;
    }
    MarkComputed(root_.get());
    return absl::OkStatus();
  }

  static bool MarkComputed(Node* node) {
    node->computes =
        node->action == Node::Action::kCompute || node->action == Node::Action::kElement;
    for (const auto& child : node->children) node->computes |= MarkComputed(child.get());
    return node->computes;
  }

  const ProjectionContext& context_;
  std::unique_ptr<Node> root_;
  std::optional<ProjectionKind> kind_;
  std::optional<bool> id_;  // {_id: 1} or {_id: 0} was there
  bool has_element_ = false;
  std::vector<std::string> positional_;
  std::string positional_path_;  // the same with its dots
};

}  // namespace

absl::Span<const ProjectionOperatorRow> ProjectionOperators() {
  static constexpr ProjectionOperatorRow kRows[] = {
      {"$", "At the end of a path: the element by which the filter found the document."},
      {"$elemMatch", "The first element of an array that matches a filter."},
      {"$slice", "Some elements of an array: the first, the last, or a range."},
      {"$meta", "Metadata of the document: its text score, its sort key, its index key ..."},
  };
  return kRows;
}

absl::StatusOr<Projection> Projection::Parse(bson::View spec, const ProjectionContext& context) {
  Parser parser(context);
  MAYFLY_RETURN_IF_ERROR(parser.Run(spec));
  Projection result(parser.kind(), parser.TakeRoot());
  result.filter_ = context.filter;
  result.positional_ = parser.TakePositional();
  return result;
}

}  // namespace mayfly::engine
