// The tree inside a Projection; for its parser and its application only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/projection/projection.h"

namespace mayfly::engine {

// Which part of an array {$slice: n} or {$slice: [skip, limit]} keeps.
struct ArraySlice {
  int64_t skip = 0;   // < 0: from the end
  int64_t limit = 0;  // > 0 elements from there
};

// A field is kept, dropped, or made into something else; or it is a node with children.
struct Projection::Node {
  enum class Action : uint8_t { kChildren, kKeep, kDrop, kSlice, kElement, kCompute };

  Action action = Action::kChildren;
  ArraySlice slice;                // of kSlice
  FilterPtr element;               // of kElement: {name: {$elemMatch: ...}}
  ExpressionPtr expression;        // of kCompute
  std::vector<std::string> names;  // of the children, in the order of the specification
  std::vector<std::unique_ptr<Node>> children;  // parallel to `names`
  bool computes = false;                        // kCompute or kElement, here or below

  // The place of the child, or -1.
  int Find(std::string_view name) const {
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return static_cast<int>(i);
    }
    return -1;
  }
  Node* Add(std::string_view name) {
    names.emplace_back(name);
    children.push_back(std::make_unique<Node>());
    return children.back().get();
  }
};

}  // namespace mayfly::engine
