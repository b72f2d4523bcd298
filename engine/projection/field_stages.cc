// From the specifications of $addFields, $set and $unset to the tree.
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "engine/expression/field_path.h"
#include "engine/projection/projection.h"
#include "engine/projection/projection_tree.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::StrCat;
using bson::ValueView;
using Node = Projection::Node;

constexpr int kConflictingPaths = 40176;
constexpr int kOperatorNotAlone = 40181;
constexpr int kDotInside = 40183;

bool IsOperatorObject(ValueView value) {
  return value.IsDocument() && value.AsDocument().First().key.starts_with('$');
}

class AddFieldsParser {
 public:
  explicit AddFieldsParser(const ParseContext& context)
      : context_(context), root_(std::make_unique<Node>()) {}

  // The recursion is bounded by kMaxExpressionDepth.
  absl::Status AddAll(bson::View spec, std::string_view prefix, int depth) {
    if (depth > kMaxExpressionDepth) {
      return Error(base::ErrorCode::kOverflow, "projection is nested too deeply");
    }
    for (const bson::Element& field : spec) {
      MAYFLY_RETURN_IF_ERROR(AddField(StrCat(prefix, field.key), field.value, depth));
    }
    return absl::OkStatus();
  }

  std::unique_ptr<Node> TakeRoot() {
    MarkComputed(root_.get());
    return std::move(root_);
  }

 private:
  absl::Status AddField(const std::string& path, ValueView value, int depth) {
    MAYFLY_RETURN_IF_ERROR(ParseFieldPath(path).status());
    const bool is_operator = IsOperatorObject(value);
    if (is_operator && value.AsDocument().Count() > 1) {
      return Error(kOperatorNotAlone, "an expression specification must contain exactly one field");
    }
    if (value.IsDocument() && !is_operator && !value.AsDocument().empty()) {
      MAYFLY_RETURN_IF_ERROR(CheckNested(value.AsDocument()));
      return AddAll(value.AsDocument(), StrCat(path, "."), depth + 1);
    }
    auto expression = ParseExpression(value, context_);
    if (!expression.ok()) {
      return base::WithPrefix(expression.status(), "Invalid $addFields :: caused by :: ");
    }
    const auto node = AddProjectionNode(path, root_.get());
    if (!node.ok()) {
      return Error(kConflictingPaths,
                   StrCat("Invalid $addFields :: caused by :: specification contains two "
                          "conflicting paths. Cannot specify both '",
                          path, "' and a path above or below it"));
    }
    (*node)->action = Node::Action::kCompute;
    (*node)->expression = *std::move(expression);
    return absl::OkStatus();
  }

  static absl::Status CheckNested(bson::View object) {
    for (const bson::Element& field : object) {
      if (field.key.starts_with('$')) MAYFLY_RETURN_IF_ERROR(CheckFieldName(field.key));
      if (field.key.find('.') != std::string_view::npos) {
        return Error(
            kDotInside,
            StrCat("FieldPath field names may not contain '.' in a sub-object: ", field.key));
      }
    }
    return absl::OkStatus();
  }

  const ParseContext& context_;
  std::unique_ptr<Node> root_;
};

}  // namespace

absl::StatusOr<Projection> Projection::ParseAddFields(bson::View spec,
                                                      const ParseContext& context) {
  AddFieldsParser parser(context);
  MAYFLY_RETURN_IF_ERROR(parser.AddAll(spec, "", 0));
  return Projection(ProjectionKind::kAddition, parser.TakeRoot());
}

absl::StatusOr<Projection> Projection::ParseUnset(const std::vector<std::string>& paths) {
  auto root = std::make_unique<Node>();
  for (const std::string& path : paths) {
    MAYFLY_RETURN_IF_ERROR(ParseFieldPath(path).status());
    const auto node = AddProjectionNode(path, root.get());
    if (!node.ok()) return base::WithPrefix(node.status(), "Invalid $unset :: caused by :: ");
    (*node)->action = Node::Action::kDrop;
  }
  return Projection(ProjectionKind::kExclusion, std::move(root));
}

}  // namespace mayfly::engine
