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
constexpr int kPositionalInStage = 31324;
constexpr int kUnknownExpression = 31325;
constexpr int kPositionalInside = 31394;
constexpr int kPositionalExclusion = 31395;
constexpr int kPositionalWithoutFilter = 51050;
constexpr int kEmptySubProjection = 51270;
constexpr int kEmptyStage = 51272;

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

  // `find` is null for a stage, which has no operators of its own.
  Parser(const ParseContext& expressions, const ProjectionContext* find)
      : expressions_(expressions), find_(find), root_(std::make_unique<Node>()) {}

  absl::Status Run(bson::View spec) {
    for (const bson::Element& field : spec) MAYFLY_RETURN_IF_ERROR(ParseField("", field));
    if (!kind_) kind_ = KindOfUndecided();
    FinishId();
    return absl::OkStatus();
  }

  ProjectionKind kind() const { return *kind_; }
  std::unique_ptr<Node> TakeRoot() { return std::move(root_); }
  std::vector<std::string> TakePositional() { return std::move(positional_); }

 private:
  // Of a projection with nothing but `_id`, slices, $elemMatch and metadata.
  ProjectionKind KindOfUndecided() const {
    const bool keeps_id = id_.has_value() && *id_;
    const bool includes =
        has_slice_ ? keeps_id : (keeps_id || has_element_ || (find_ == nullptr && has_metadata_));
    return includes ? ProjectionKind::kInclusion : ProjectionKind::kExclusion;
  }

  // The recursion is bounded by the length of a path.
  absl::Status ParseField(std::string_view prefix, const bson::Element& field) {
    const std::string path = StrCat(prefix, field.key);
    if (find_ == nullptr && path.ends_with(".$")) {
      return Error(kPositionalInStage,
                   "Cannot use positional projection in aggregation projection");
    }
    if (find_ != nullptr && path.find(".$.") != std::string::npos) {
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
    if (first.key == "$elemMatch") {
      if (find_ != nullptr) return ParseElement(path, first.value);
      return Error(ErrorCode::kInvalidPipelineOperator, "Cannot use $elemMatch in this context");
    }
    if (find_ != nullptr && first.key == "$slice" && path != positional_path_) {
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
    if (find_->filter == nullptr) {
      return Error(kPositionalWithoutFilter,
                   "Projections with a positional operator require a matcher");
    }
    if (UsesExpressions(*find_->filter)) {
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
    context.strings = find_->strings;
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
    has_slice_ = true;
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
    MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression, ParseExpression(value, expressions_));
    MAYFLY_ASSIGN_OR_RETURN(Node * node, AddNode(path));
    node->action = Node::Action::kCompute;
    node->expression = std::move(expression);
    has_metadata_ = has_metadata_ || is_metadata;
    if (!is_metadata) kind_ = ProjectionKind::kInclusion;
    return absl::OkStatus();
  }

  absl::StatusOr<Node*> AddNode(std::string_view path) {
    return AddProjectionNode(path, root_.get());
  }

  // An inclusion keeps `_id` unless told otherwise.
  void FinishId() {
    if (*kind_ == ProjectionKind::kInclusion && root_->Find("_id") < 0) {
      root_->Add("_id")->action = Node::Action::kKeep;
    }
    MarkComputed(root_.get());
  }

  const ParseContext& expressions_;
  const ProjectionContext* const find_;
  std::unique_ptr<Node> root_;
  std::optional<ProjectionKind> kind_;
  std::optional<bool> id_;  // {_id: 1} or {_id: 0} was there
  bool has_element_ = false;
  bool has_slice_ = false;
  bool has_metadata_ = false;
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
  const Variables none;
  ParseContext expressions;
  expressions.variables = context.variables != nullptr ? context.variables : &none;
  expressions.evaluation = context.evaluation;
  Parser parser(expressions, &context);
  MAYFLY_RETURN_IF_ERROR(parser.Run(spec));
  Projection result(parser.kind(), parser.TakeRoot());
  result.filter_ = context.filter;
  result.positional_ = parser.TakePositional();
  return result;
}

absl::StatusOr<Projection> Projection::ParseStage(bson::View spec, const ParseContext& context) {
  constexpr std::string_view kPrefix = "Invalid $project :: caused by :: ";
  if (spec.empty()) {
    return Error(kEmptyStage,
                 StrCat(kPrefix, "projection specification must have at least one field"));
  }
  Parser parser(context, nullptr);
  if (const absl::Status status = parser.Run(spec); !status.ok()) {
    return base::WithPrefix(status, kPrefix);
  }
  return Projection(parser.kind(), parser.TakeRoot());
}

}  // namespace mayfly::engine
