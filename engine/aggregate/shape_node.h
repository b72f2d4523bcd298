// The tree inside a Shape; for its parser and its application only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/aggregate/shape.h"

namespace mayfly::engine {

// A field is one of: kept, dropped, computed (`expression`), or a node with children.
struct Shape::Node {
  enum class Action : uint8_t { kChildren, kKeep, kDrop, kCompute };

  Action action = Action::kChildren;
  ExpressionPtr expression;
  std::vector<std::string> names;               // of the children, in order of the specification
  std::vector<std::unique_ptr<Node>> children;  // parallel to `names`
  absl::flat_hash_map<std::string, size_t> index;
  bool computes = false;  // this or something below is computed

  // The place of the child, or -1.
  int Find(std::string_view name) const {
    auto found = index.find(absl::string_view(name.data(), name.size()));
    return found == index.end() ? -1 : static_cast<int>(found->second);
  }
  Node* Add(std::string_view name) {
    index.emplace(std::string(name), children.size());
    names.emplace_back(name);
    children.push_back(std::make_unique<Node>());
    return children.back().get();
  }
};

}  // namespace mayfly::engine
