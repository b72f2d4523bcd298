#include "engine/projection/projection_tree.h"

#include "base/status.h"
#include "base/strings.h"

namespace mayfly::engine {
namespace {

constexpr int kCollisionBelow = 31249;
constexpr int kCollision = 31250;

}  // namespace

absl::StatusOr<Projection::Node*> AddProjectionNode(std::string_view path, Projection::Node* root) {
  Projection::Node* node = root;
  std::string_view rest = path;
  while (true) {
    const size_t dot = rest.find('.');
    const std::string_view name = rest.substr(0, dot);
    const bool is_last = dot == std::string_view::npos;
    const int child = node->Find(name);
    if (child >= 0 && is_last) {
      return base::Error(kCollision, base::StrCat("Path collision at ", path));
    }
    node = child >= 0 ? node->children[child].get() : node->Add(name);
    if (is_last) return node;
    rest.remove_prefix(dot + 1);
    if (node->action != Projection::Node::Action::kChildren) {
      return base::Error(kCollisionBelow,
                         base::StrCat("Path collision at ", path, " remaining portion ", rest));
    }
  }
}

bool MarkComputed(Projection::Node* node) {
  node->computes = node->action == Projection::Node::Action::kCompute ||
                   node->action == Projection::Node::Action::kElement;
  for (const auto& child : node->children) node->computes |= MarkComputed(child.get());
  return node->computes;
}

}  // namespace mayfly::engine
