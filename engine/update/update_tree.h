// The tree of an operator update: one node per path component, operators at the leaves.
//
// Nodes are immutable after parsing and shared: merging two trees (an element matched by several
// array filters) makes new nodes only along the paths they have in common.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/update/update_operator.h"
#include "engine/update/update_path.h"

namespace mayfly::engine {

struct UpdateNode;
using UpdateNodePtr = std::shared_ptr<const UpdateNode>;

struct UpdateNode {
  enum class Kind { kLeaf, kFields, kElements };
  // A child under the name of a field, or under the identifier of an array filter ("" for `$[]`).
  using Child = std::pair<std::string, UpdateNodePtr>;

  Kind kind = Kind::kFields;
  std::shared_ptr<const UpdateOperator> op;  // kLeaf
  std::vector<Child> children;  // kFields: in the order of CreatedBefore; kElements: by identifier
  UpdateNodePtr positional;     // kFields: the child named `$`

  const UpdateNodePtr* Find(std::string_view name) const;
};

// Puts `op` at `path` below `root`. Error: 40 ConflictingUpdateOperators if the path equals, leads
// to or passes through one that is there already.
absl::Status AddToTree(UpdateNode* root, const UpdatePath& path, UpdateOperatorPtr op);

// Both trees in one. Error 40 as above; `path` is where they are, for its text.
absl::StatusOr<UpdateNodePtr> MergeTrees(const UpdateNodePtr& a, const UpdateNodePtr& b,
                                         std::string_view path);

}  // namespace mayfly::engine
