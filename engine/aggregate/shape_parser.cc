// Parsing of $project, $addFields and $unset specifications into shapes.
#include <utility>

#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/aggregate/shape.h"
#include "engine/aggregate/shape_node.h"
#include "engine/expression/field_path.h"

namespace mayfly::engine {
namespace {

bool IsOperatorObject(bson::ValueView value) {
  if (!value.IsDocument()) return false;
  std::string_view key = value.AsDocument().First().key;
  return !key.empty() && key[0] == '$';
}

bool IsFlag(bson::ValueView value) { return value.IsNumber() || value.IsBool(); }

}  // namespace

// Adds fields to a tree, one after the other.
class Shape::Parser {
 public:
  Parser(std::string_view stage, const ParseContext* context) : stage_(stage), context_(context) {}

  // Decides the kind of $project from its fields; the first that is not _id counts.
  absl::StatusOr<Kind> ProjectKind(bson::View spec) {
    std::optional<Kind> kind, id_kind;
    MAYFLY_RETURN_IF_ERROR(FindKind(spec, "", &kind, &id_kind));
    if (kind) return *kind;
    return id_kind.value_or(Kind::kInclusion);
  }

  absl::Status AddAll(bson::View spec, const std::string& prefix, Kind kind, Node* root) {
    for (const bson::Element& element : spec) {
      const std::string path =
          prefix.empty() ? std::string(element.key) : base::StrCat(prefix, ".", element.key);
      MAYFLY_RETURN_IF_ERROR(AddField(path, element.value, kind, root));
    }
    return absl::OkStatus();
  }

  absl::Status AddLeaf(const std::string& path, Node::Action action, ExpressionPtr expression,
                       Node* root) {
    MAYFLY_ASSIGN_OR_RETURN(std::vector<std::string> parts, ParseFieldPath(path));
    Node* node = root;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (node->action != Node::Action::kChildren) return Collision(31249, path);
      const int child = node->Find(parts[i]);
      const bool last = i + 1 == parts.size();
      if (last && child >= 0) return Collision(31250, path);
      node->computes = node->computes || expression != nullptr;
      node = child >= 0 ? node->children[child].get() : node->Add(parts[i]);
    }
    node->action = action;
    node->computes = expression != nullptr;
    node->expression = std::move(expression);
    return absl::OkStatus();
  }

 private:
  absl::Status Collision(int code, const std::string& path) const {
    if (stage_ == "$addFields") {
      return base::Error(
          40176, base::StrCat("Invalid $addFields :: caused by :: specification contains two "
                              "conflicting paths. Cannot specify both '",
                              path, "' and a path above or below it"));
    }
    return base::Error(
        code, base::StrCat("Invalid ", stage_, " :: caused by :: Path collision at ", path));
  }

  absl::Status FindKind(bson::View spec, const std::string& prefix, std::optional<Kind>* kind,
                        std::optional<Kind>* id_kind) {
    for (const bson::Element& element : spec) {
      if (element.value.IsDocument() && !IsOperatorObject(element.value)) {
        MAYFLY_RETURN_IF_ERROR(FindKind(element.value.AsDocument(),
                                        prefix + std::string(element.key) + ".", kind, id_kind));
        continue;
      }
      const bool exclusion = IsFlag(element.value) && !IsTrue(element.value);
      const Kind own = exclusion ? Kind::kExclusion : Kind::kInclusion;
      const bool is_id = prefix.empty() && element.key == "_id";
      if (is_id && IsFlag(element.value)) {
        *id_kind = own;
      } else if (!*kind) {
        *kind = own;
      }
    }
    return absl::OkStatus();
  }

  absl::Status AddField(const std::string& path, bson::ValueView value, Kind kind, Node* root) {
    if (kind != Kind::kAddition && path.size() >= 2 && path.substr(path.size() - 2) == ".$") {
      return base::Error(31324, "Cannot use positional projection in aggregation projection");
    }
    MAYFLY_RETURN_IF_ERROR(ParseFieldPath(path).status());
    MAYFLY_RETURN_IF_ERROR(CheckOperatorObject(value, kind));
    if (kind != Kind::kAddition && IsFlag(value)) return AddFlag(path, IsTrue(value), kind, root);
    if (value.IsDocument() && !IsOperatorObject(value)) {
      if (value.AsDocument().empty() && kind != Kind::kAddition) {
        return base::Error(
            51270, base::StrCat(
                       "An empty sub-projection is not a valid value. Found empty object at path"));
      }
      if (!value.AsDocument().empty()) return AddNested(path, value.AsDocument(), kind, root);
    }
    const bool meta = IsOperatorObject(value) && value.AsDocument().First().key == "$meta";
    if (kind == Kind::kExclusion && !meta) {
      if (IsOperatorObject(value)) {
        return base::Error(
            31252,
            base::StrCat(
                "Invalid ", stage_,
                " :: caused by :: Cannot use expression other than $meta in exclusion projection"));
      }
      return base::Error(
          31310, base::StrCat("Invalid ", stage_, " :: caused by :: Cannot use an expression ",
                              path, ": ", bson::ToShellText(value), " in an exclusion projection"));
    }
    absl::StatusOr<ExpressionPtr> expression = ParseExpression(value, *context_);
    if (!expression.ok()) {
      if (kind == Kind::kInclusion && IsOperatorObject(value) &&
          IsUnknown(expression.status(), value)) {
        return base::Error(31325,
                           base::StrCat("Invalid ", stage_, " :: caused by :: Unknown expression ",
                                        value.AsDocument().First().key));
      }
      return base::WithPrefix(expression.status(),
                              base::StrCat("Invalid ", stage_, " :: caused by :: "));
    }
    return AddLeaf(path, Node::Action::kCompute, *std::move(expression), root);
  }

  // An operator must stand alone.
  static absl::Status CheckOperatorObject(bson::ValueView value, Kind kind) {
    if (!IsOperatorObject(value) || value.AsDocument().Count() == 1) return absl::OkStatus();
    if (kind == Kind::kAddition) {
      return base::Error(40181, "an expression specification must contain exactly one field");
    }
    return CheckFieldName(value.AsDocument().First().key);
  }

  // Whether the operator at the top of `value` itself is what was not recognised.
  static bool IsUnknown(const absl::Status& status, bson::ValueView value) {
    if (base::CodeOf(status) != base::ErrorCode::kInvalidPipelineOperator) return false;
    // find knows this one.
    if (value.AsDocument().First().key == "$elemMatch") return false;
    return base::MessageOf(status).find(base::StrCat("'", value.AsDocument().First().key, "'")) !=
           std::string_view::npos;
  }

  absl::Status AddNested(const std::string& path, bson::View value, Kind kind, Node* root) {
    if (++depth_ > kMaxExpressionDepth) {
      return base::Error(base::ErrorCode::kOverflow, "projection is nested too deeply");
    }
    for (const bson::Element& element : value) {
      if (!element.key.empty() && element.key[0] == '$') {
        MAYFLY_RETURN_IF_ERROR(CheckFieldName(element.key));
      }
      if (kind == Kind::kAddition && element.key.find('.') != std::string_view::npos) {
        return base::Error(
            40183, base::StrCat("FieldPath field names may not contain '.' in a sub-object: ",
                                element.key));
      }
    }
    absl::Status status = AddAll(value, path, kind, root);
    --depth_;
    return status;
  }

  absl::Status AddFlag(const std::string& path, bool keep, Kind kind, Node* root) {
    const bool is_id = path == "_id";
    if (kind == Kind::kInclusion && !keep) {
      if (is_id) return AddLeaf(path, Node::Action::kDrop, nullptr, root);
      return base::Error(
          31254, base::StrCat("Invalid ", stage_, " :: caused by :: Cannot do exclusion on field ",
                              path, " in inclusion projection"));
    }
    if (kind == Kind::kExclusion && keep) {
      if (is_id) return AddLeaf(path, Node::Action::kKeep, nullptr, root);
      return base::Error(
          31253, base::StrCat("Invalid ", stage_, " :: caused by :: Cannot do inclusion on field ",
                              path, " in exclusion projection"));
    }
    return AddLeaf(path, keep ? Node::Action::kKeep : Node::Action::kDrop, nullptr, root);
  }

  const std::string_view stage_;
  const ParseContext* context_;
  int depth_ = 0;
};

absl::StatusOr<Shape> Shape::ParseProject(bson::View spec, const ParseContext& context) {
  if (spec.empty()) {
    return base::Error(
        51272,
        "Invalid $project :: caused by :: projection specification must have at least one field");
  }
  Parser parser("$project", &context);
  MAYFLY_ASSIGN_OR_RETURN(Kind kind, parser.ProjectKind(spec));
  auto root = std::make_unique<Node>();
  MAYFLY_RETURN_IF_ERROR(parser.AddAll(spec, "", kind, root.get()));
  if (kind == Kind::kInclusion && root->Find("_id") < 0)
    root->Add("_id")->action = Node::Action::kKeep;
  return Shape(kind, std::move(root));
}

absl::StatusOr<Shape> Shape::ParseAddFields(bson::View spec, const ParseContext& context) {
  auto root = std::make_unique<Node>();
  Parser parser("$addFields", &context);
  MAYFLY_RETURN_IF_ERROR(parser.AddAll(spec, "", Kind::kAddition, root.get()));
  return Shape(Kind::kAddition, std::move(root));
}

absl::StatusOr<Shape> Shape::ParseUnset(const std::vector<std::string>& paths) {
  auto root = std::make_unique<Node>();
  Parser parser("$unset", nullptr);
  for (const std::string& path : paths) {
    MAYFLY_RETURN_IF_ERROR(parser.AddLeaf(path, Node::Action::kDrop, nullptr, root.get()));
  }
  return Shape(Kind::kExclusion, std::move(root));
}

}  // namespace mayfly::engine
