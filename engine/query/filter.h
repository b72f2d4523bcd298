// MongoDB's filter language as a tree: parsed once, matched against any number of documents.
//
//   ParseFilter({a: {$gt: 5}}, context) -> FilterNode; node->Matches(document, match_context) ->
//   true or false
//
// Operators are rows of families (filter_families.h). A planner needs to know none of them: it asks
// nodes for their path, their children and their bounds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/builder.h"
#include "bson/compare.h"
#include "bson/value.h"
#include "engine/expression/context.h"
#include "engine/query/interval.h"

namespace mayfly::engine {

namespace text {
class Index;
}

class Expression;
class Frame;
class Row;
class Variables;

// Levels of nested filters ($and, $or, $not, $elemMatch ...).
inline constexpr int kMaxFilterDepth = 100;

// Which operators that are not for everywhere may be used.
struct FilterFeatures {
  bool expr = true;         // $expr
  bool text_search = true;  // $text
  bool near = true;         // $near, $nearSphere
  bool where = true;        // $where
  bool json_schema = true;  // $jsonSchema
};

struct FilterParseContext {
  // The operation's collation; must outlive the filter. Null: binary.
  const bson::StringComparator* strings = nullptr;
  // Variables that $expr may use (a command's `let`); null: none.
  const Variables* variables = nullptr;
  // For folding constants in $expr. May be null if `features.expr` is false.
  const EvaluationContext* evaluation = nullptr;
  // What the collection's text index covers, for $text; null: there is none. Must outlive the
  // filter.
  const text::Index* text_index = nullptr;
  FilterFeatures features;
  bool has_moment = true;  // for $$NOW and $$CLUSTER_TIME in $expr, see ParseContext
};

// What matching reads besides the document, and what it finds out. One per statement; not
// thread-safe.
class MatchContext {
 public:
  // `evaluation` must outlive the context.
  explicit MatchContext(const EvaluationContext& evaluation);
  ~MatchContext();
  MatchContext(const MatchContext&) = delete;
  MatchContext& operator=(const MatchContext&) = delete;

  const EvaluationContext& evaluation() const { return *evaluation_; }
  // For $expr, made on first use.
  Frame& frame();
  // The row being matched, for {$meta: ...} in $expr; may stay null.
  const Row* row = nullptr;

  // For the positional operator `$`: set `record_position`, then after a match `position` is the
  // index in the outermost array that the filter walked through, or -1. Predicates below $or, $nor
  // and $not do not record.
  bool record_position = false;
  int64_t position = -1;

 private:
  const EvaluationContext* evaluation_;
  std::unique_ptr<Frame> frame_;
};

// In the order in which the children of $and and $or are sorted, which is MongoDB's.
enum class FilterKind : uint8_t {
  kAnd,
  kOr,
  kElementObject,  // {path: {$elemMatch: {field: ...}}}; the child's paths are below each element
  kElementValue,   // {path: {$elemMatch: {$gt: ...}}}; the children apply to each element
  kSize,
  kEqual,
  kLessEqual,
  kLess,
  kGreater,
  kGreaterEqual,
  kRegex,
  kMod,
  kExists,
  kIn,
  kBits,
  kNot,  // one child
  kNor,
  kType,
  kGeo,         // $geoWithin, $geoIntersects
  kExpression,  // $expr
  kAlwaysFalse,
  kAlwaysTrue,
  kSample,  // $sampleRate
  kSchema,  // $jsonSchema
  kNear,    // $near, $nearSphere
  kText,    // $text
};

class FilterNode;
using FilterPtr = std::unique_ptr<FilterNode>;

// One node of a parsed filter. Immutable; may be matched by many threads at once.
class FilterNode {
 public:
  virtual ~FilterNode() = default;

  FilterKind kind() const { return kind_; }
  const std::vector<FilterPtr>& children() const { return children_; }
  // The dotted path the predicate is about; empty for nodes without one.
  virtual std::string_view path() const { return {}; }

  // Whether `document` matches. `document` must have passed ValidateDocument.
  virtual absl::StatusOr<bool> Matches(bson::View document, MatchContext& context) const = 0;
  // Whether one value matches, the path ignored: what $elemMatch asks for elements that are not
  // documents. Array values are not walked through. For nodes without a path that look at
  // documents: whether the value is a document that matches.
  virtual absl::StatusOr<bool> MatchesValue(bson::ValueView value, MatchContext& context) const = 0;

  // Appends the node as a filter to the open document, in the form explain shows as parsedQuery.
  virtual void Serialize(bson::Builder* out) const = 0;

  // For planners. What the node says about keys of an index on path(); nullopt: nothing. Only for
  // nodes with a path (a negated predicate has the path of what it negates).
  virtual std::optional<IndexBounds> Bounds(Multikey multikey) const { return std::nullopt; }
  // True if a document without the path may match, so an index that leaves such documents out
  // (sparse) cannot be used.
  virtual bool MatchesMissing() const { return true; }
  // Compared with a value: the right-hand side of kEqual ... kGreaterEqual, the regular expression
  // of kRegex; missing for all other kinds.
  virtual bson::ValueView operand() const { return {}; }
  // The parsed expression of kExpression; null for all other kinds.
  virtual const Expression* expression() const { return nullptr; }
  // Hands out the children of a node that is about to go.
  std::vector<FilterPtr> TakeChildren() && { return std::move(children_); }
  // True if answers depend on the collation.
  virtual bool DependsOnCollation() const;

 protected:
  explicit FilterNode(FilterKind kind) : kind_(kind) {}
  FilterNode(FilterKind kind, std::vector<FilterPtr> children)
      : kind_(kind), children_(std::move(children)) {}

 private:
  FilterKind kind_;
  std::vector<FilterPtr> children_;
};

// Parses and simplifies (an $and of one becomes its child, $and inside $and is flattened, an empty
// filter is kAlwaysTrue). Errors are MongoDB's, mostly 2 BadValue.
absl::StatusOr<FilterPtr> ParseFilter(bson::View filter, const FilterParseContext& context);

// The filter as a document, as explain shows it.
bson::Document ToDocument(const FilterNode& filter);

// The value if the filter can only match documents whose `path` equals one value that is no array,
// regex, null or undefined; for look-ups by `_id`. The view lives as long as the filter. Other
// predicates may be there too: see IsEqualityOnly.
std::optional<bson::ValueView> EqualityOn(const FilterNode& filter, std::string_view path);
// True if the filter is nothing but that equality.
bool IsEqualityOnly(const FilterNode& filter, std::string_view path);

// A value that an upsert puts into the new document.
struct FilterEquality {
  std::string_view path;
  bson::ValueView value;
};
// The equalities that every matching document fulfils: implicit and $eq, $in and $all with one
// value, those below $and, and below $or with one branch. Sorted by path. Error: 54
// NotSingleValueField if a path is matched twice or lies inside another.
absl::StatusOr<std::vector<FilterEquality>> CollectEqualities(const FilterNode& filter);

// True if every document that matches `query` also matches `partial`; may be false though it is so.
// For indexes with a partialFilterExpression.
bool Implies(const FilterNode& query, const FilterNode& partial,
             const bson::StringComparator* strings = nullptr);

}  // namespace mayfly::engine
