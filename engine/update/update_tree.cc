#include "engine/update/update_tree.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "engine/expression/path.h"

namespace mayfly::engine {
namespace {

using base::StrCat;

absl::Status Conflict(std::string_view path, std::string_view at) {
  return base::Error(
      base::ErrorCode::kConflictingUpdateOperators,
      StrCat("Updating the path '", path, "' would create a conflict at '", at, "'"));
}

// The node at `path[depth]` below `node`, made if missing. Nodes are still unshared while a tree is
// built.
UpdateNode* Descend(UpdateNode* node, const std::string& part, UpdateNode::Kind kind) {
  const auto make = [kind] {
    auto made = std::make_shared<UpdateNode>();
    made->kind = kind;
    return made;
  };
  if (node->kind == UpdateNode::Kind::kFields && IsPositional(part)) {
    if (node->positional == nullptr) node->positional = make();
    return const_cast<UpdateNode*>(node->positional.get());
  }
  const std::string name(node->kind == UpdateNode::Kind::kElements ? *ArrayFilterIdentifier(part)
                                                                   : std::string_view(part));
  if (const UpdateNodePtr* found = node->Find(name)) return const_cast<UpdateNode*>(found->get());
  const auto at =
      std::find_if(node->children.begin(), node->children.end(),
                   [&](const UpdateNode::Child& c) { return CreatedBefore(name, c.first); });
  return const_cast<UpdateNode*>(node->children.insert(at, {name, make()})->second.get());
}

std::string ChildPath(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : StrCat(path, ".", name);
}

}  // namespace

const UpdateNodePtr* UpdateNode::Find(std::string_view name) const {
  for (const Child& child : children) {
    if (child.first == name) return &child.second;
  }
  return nullptr;
}

absl::Status AddToTree(UpdateNode* root, const UpdatePath& path, UpdateOperatorPtr op) {
  UpdateNode* node = root;
  for (size_t i = 0; i < path.size(); ++i) {
    const bool is_last = i + 1 == path.size();
    const UpdateNode::Kind kind = is_last                              ? UpdateNode::Kind::kLeaf
                                  : ArrayFilterIdentifier(path[i + 1]) ? UpdateNode::Kind::kElements
                                                                       : UpdateNode::Kind::kFields;
    node = Descend(node, path[i], kind);
    if (node->kind != kind || (is_last && node->op != nullptr)) {
      const UpdatePath at(path.begin(), path.begin() + static_cast<ptrdiff_t>(i) + 1);
      return Conflict(JoinPath(path), JoinPath(at));
    }
  }
  node->op = std::move(op);
  return absl::OkStatus();
}

absl::StatusOr<UpdateNodePtr> MergeTrees(const UpdateNodePtr& a, const UpdateNodePtr& b,
                                         std::string_view path) {
  if (a->kind != b->kind || a->kind == UpdateNode::Kind::kLeaf) {
    return base::Error(base::ErrorCode::kConflictingUpdateOperators,
                       StrCat("Update created a conflict at '", path, "'"));
  }
  auto merged = std::make_shared<UpdateNode>(*a);
  for (const UpdateNode::Child& child : b->children) {
    const auto at =
        std::find_if(merged->children.begin(), merged->children.end(),
                     [&](const auto& c) { return !CreatedBefore(c.first, child.first); });
    if (at == merged->children.end() || at->first != child.first) {
      merged->children.insert(at, child);
      continue;
    }
    MAYFLY_ASSIGN_OR_RETURN(at->second,
                            MergeTrees(at->second, child.second, ChildPath(path, child.first)));
  }
  if (merged->positional == nullptr) {
    merged->positional = b->positional;
  } else if (b->positional != nullptr) {
    MAYFLY_ASSIGN_OR_RETURN(merged->positional,
                            MergeTrees(merged->positional, b->positional, ChildPath(path, "$")));
  }
  return UpdateNodePtr(std::move(merged));
}

}  // namespace mayfly::engine
