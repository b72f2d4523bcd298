// Projections: which fields of a document are kept, and what is made of them. Of find and
// findAndModify, and of the stages $project, $addFields, $set and $unset.
//
//   {a: 1, "b.c": 1}                   these fields and _id
//   {a: 0}                             all but these
//   {a: "$b", c: {$add: ["$d", 1]}}    computed
//   {a: {$slice: 2}}                   part of an array; in find only, as the next two
//   {a: {$elemMatch: {b: 1}}}          the first element that matches
//   {"a.$": 1}                         the element that made the filter match
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bson/builder.h"
#include "bson/value.h"
#include "engine/expression/expression.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

struct ProjectionContext {
  // The statement's filter, for the positional operator; must outlive the projection. Null: `$` is
  // refused.
  const FilterNode* filter = nullptr;
  const bson::StringComparator* strings = nullptr;  // must outlive the projection
  const Variables* variables = nullptr;             // null: none
  const EvaluationContext* evaluation = nullptr;    // must not be null
};

enum class ProjectionKind : uint8_t {
  kInclusion,  // named fields are kept, others dropped
  kExclusion,  // named fields are dropped
  kAddition,   // all fields are kept, named ones computed
};

// What a projection may have besides fields and values; for reference.
struct ProjectionOperatorRow {
  std::string_view name;
  std::string_view help;
};
absl::Span<const ProjectionOperatorRow> ProjectionOperators();

// A parsed projection. Immutable, thread-safe.
class Projection {
 public:
  struct Node;

  // Of find. Errors: 31249 and 31250 paths that collide, 31253 and 31254 inclusion mixed with
  // exclusion, 31252 and 31310 computed fields in an exclusion, 51270 empty sub-projection, 31325
  // unknown operator; 31274, 31275, 31255, 31256 for $elemMatch; 31394, 31276, 31395, 31308, 31271,
  // 51050, 224 for the positional operator; paths as in ParseFieldPath.
  static absl::StatusOr<Projection> Parse(bson::View spec, const ProjectionContext& context);
  // $project. Errors: 51272 empty, 31324 positional, 168 $elemMatch; else the same.
  static absl::StatusOr<Projection> ParseStage(bson::View spec, const ParseContext& context);
  // $addFields and $set. Errors: 40176 paths that collide, 40181 an operator beside other fields,
  // 40183 a dot inside a sub-object; paths as in ParseFieldPath.
  static absl::StatusOr<Projection> ParseAddFields(bson::View spec, const ParseContext& context);
  // $unset: every path is dropped.
  static absl::StatusOr<Projection> ParseUnset(const std::vector<std::string>& paths);

  Projection(Projection&&) noexcept;
  Projection& operator=(Projection&&) noexcept;
  ~Projection();

  ProjectionKind kind() const { return kind_; }
  // True for {}: documents stay as they are.
  bool IsIdentity() const;

  // Writes the projected document into the open document of `out`. `context.row` is for {$meta:
  // ...}. Errors: those of expressions; 51246 and 51247 if the positional operator finds no
  // element.
  absl::Status Apply(bson::View document, MatchContext& context, bson::Builder* out) const;
  absl::StatusOr<bson::Document> Apply(bson::View document, MatchContext& context) const;
  // Of a stage: to the document of the frame.
  absl::StatusOr<bson::Document> Apply(Frame& frame) const;

  // For planners: the dotted paths that are enough to make the result, `_id` among them if it is
  // kept; nullopt if the document itself is needed (exclusion, operators, expressions).
  std::optional<std::vector<std::string>> CoveredPaths() const;
  bool RequiresDocument() const { return !CoveredPaths().has_value(); }
  // Adds what is read besides the fields that pass because nothing is said of them.
  void AddDependencies(Dependencies* out) const;

 private:
  Projection(ProjectionKind kind, std::unique_ptr<Node> root);

  ProjectionKind kind_;
  std::unique_ptr<Node> root_;
  const FilterNode* filter_ = nullptr;
  std::vector<std::string> positional_;  // path of the positional operator; empty: none
};

}  // namespace mayfly::engine
