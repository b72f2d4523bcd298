// The tree inside a Projection; for its parsers and its application only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
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
    if (names.size() > kFewNames) [[unlikely]] {
      const auto found = places.find(absl::string_view(name.data(), name.size()));
      return found == places.end() ? -1 : found->second;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return static_cast<int>(i);
    }
    return -1;
  }
  Node* Add(std::string_view name) {
    names.emplace_back(name);
    children.push_back(std::make_unique<Node>());
    if (names.size() > kFewNames) {
      for (size_t i = places.size(); i < names.size(); ++i) {
        places.emplace(names[i], static_cast<int>(i));
      }
    }
    return children.back().get();
  }

 private:
  // Up to so many are found faster by looking at each.
  static constexpr size_t kFewNames = 16;

  absl::flat_hash_map<std::string, int> places;  // of all names; empty while they are few
};

// The new node at the end of `path`, which must be a path. Errors: 31250 if it is there, 31249 if a
// field on the way is no node with children.
absl::StatusOr<Projection::Node*> AddProjectionNode(std::string_view path, Projection::Node* root);

// Sets `computes` in all of the tree.
bool MarkComputed(Projection::Node* node);

}  // namespace mayfly::engine
