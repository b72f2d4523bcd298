// What $project, $addFields, $set and $unset make of a document: a tree of fields that are kept,
// left out or computed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "bson/builder.h"
#include "bson/value.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {

// A parsed specification. Immutable.
class Shape {
 public:
  enum class Kind : uint8_t {
    kInclusion,  // named fields are kept, others dropped
    kExclusion,  // named fields are dropped
    kAddition,   // all fields are kept, named ones computed
  };

  // $project. Errors: 51272 empty, 51270 empty inside, 31249 and 31250 paths that collide, 31253
  // and 31254 mixed kinds, 31252 and 31310 computed field in an exclusion, 31324 positional, 31325
  // unknown expression.
  static absl::StatusOr<Shape> ParseProject(bson::View spec, const ParseContext& context);
  // $addFields and $set.
  static absl::StatusOr<Shape> ParseAddFields(bson::View spec, const ParseContext& context);
  // $unset: every path is dropped.
  static absl::StatusOr<Shape> ParseUnset(const std::vector<std::string>& paths);

  Shape(Shape&&) noexcept;
  Shape& operator=(Shape&&) noexcept;
  ~Shape();

  Kind kind() const { return kind_; }
  absl::StatusOr<bson::Document> Apply(Frame& frame) const;
  // Adds what is read. For kInclusion that is all that is kept.
  void AddDependencies(Dependencies* out) const;

 private:
  struct Node;
  class Parser;
  class Application;

  Shape(Kind kind, std::unique_ptr<Node> root);

  Kind kind_;
  std::unique_ptr<Node> root_;
};

}  // namespace mayfly::engine
