// Aggregation expressions: parsed once into a tree, evaluated over BSON bytes for every document.
//
// A parsed expression is immutable and may be shared by threads; a Frame belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "bson/value.h"
#include "engine/expression/context.h"
#include "engine/expression/variables.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

// What an evaluation reads and the variables it sets. Make one per stream or statement, set `root`
// per document. Slots hold views only: whoever sets one keeps the value alive for as long as the
// slot is read.
class Frame {
 public:
  // Slots 0 ... n-1 are filled from `context.variables`. `context` must outlive the frame.
  explicit Frame(const EvaluationContext& context);

  bson::View root;           // $$ROOT
  const Row* row = nullptr;  // {$meta: ...}; null: no metadata

  const EvaluationContext& context() const { return *context_; }
  bson::ValueView Get(Slot slot) const {
    return static_cast<size_t>(slot) < slots_.size() ? slots_[slot] : bson::ValueView();
  }
  void Set(Slot slot, bson::ValueView value) {
    if (static_cast<size_t>(slot) >= slots_.size()) slots_.resize(slot + 1);
    slots_[slot] = value;
  }

 private:
  const EvaluationContext* context_;
  std::vector<bson::ValueView> slots_;
};

// What an expression, a stage or a pipeline reads.
struct Dependencies {
  std::set<std::string> paths;  // dotted paths below the root document
  bool whole_document = false;  // `paths` is then incomplete
  bool metadata = false;        // {$meta: ...}
  bool random = false;          // answers differ between equal documents
  std::set<Slot> slots;         // variables read
};

class Expression;
using ExpressionPtr = std::unique_ptr<const Expression>;

// One node of a parsed expression.
class Expression {
 public:
  enum class Operator : uint8_t { kOther, kEq, kNe, kGt, kGte, kLt, kLte, kIn, kAnd, kOr, kNot };

  virtual ~Expression() = default;

  // The value for `frame.root`; missing is a value. Errors are MongoDB's.
  virtual absl::StatusOr<bson::Value> Evaluate(Frame& frame) const = 0;
  // The same without copying where possible: the view points into the root document, a variable,
  // this expression, or
  // `*scratch`, and is valid as long as those are unchanged.
  virtual absl::StatusOr<bson::ValueView> View(Frame& frame, bson::Value* scratch) const;
  // Adds what is read to `*out`.
  virtual void AddDependencies(Dependencies* out) const = 0;

  // The value if it is the same for every document, else null.
  virtual const bson::Value* Constant() const { return nullptr; }
  bool IsConstant() const { return Constant() != nullptr; }
  // For planners: "a.b" for the field path "$a.b" of the root document, empty for anything else.
  virtual std::string_view RootPath() const { return {}; }
  // For planners: which comparison or logical operator this is, with its operands.
  virtual Operator op() const { return Operator::kOther; }
  virtual std::vector<const Expression*> Operands() const { return {}; }
};

// What parsing depends on. `variables` is the innermost scope and must not be null.
struct ParseContext {
  const Variables* variables = nullptr;
  const EvaluationContext* evaluation = nullptr;  // for folding constants; must not be null
  int depth = 0;  // nesting so far, checked against kMaxExpressionDepth
  bool strict_api =
      false;  // apiStrict: operators outside the stable API are refused with 323 APIStrictError
  // $$NOW and $$CLUSTER_TIME have a value; not in a command's `let`, nor in commands that MongoDB
  // does not give them to (count, distinct, lists).
  bool has_moment = true;
  bool array_operands = false;  // an accumulator's one operand may be an array, as in windows
};

inline constexpr int kMaxExpressionDepth = 200;

// Parses any value: "$path", "$$variable", {$operator: ...}, {field: expression}, [expressions], or
// a literal. Constant parts are folded; one whose evaluation fails is left to fail when it is
// evaluated.
absl::StatusOr<ExpressionPtr> ParseExpression(bson::ValueView value, const ParseContext& context);

// Parses {field: expression, ...} or {$operator: ...}.
absl::StatusOr<ExpressionPtr> ParseExpressionObject(bson::View object, const ParseContext& context);

// An expression that always gives `value`.
ExpressionPtr MakeConstant(bson::Value value);

// Truth as $and, $cond and $match see it: false, 0, null, undefined and missing are false.
bool IsTrue(bson::ValueView value);

// The values at "a.b" below `document` as the field path "$a.b" gives them: arrays on the way are
// mapped over, and the result is then an array in `*scratch`. `path` must not be empty.
bson::ValueView ResolvePath(bson::View document, const std::vector<std::string>& path,
                            bson::Value* scratch);

// Splits "a.b.c" and checks it as MongoDB's FieldPath does: 40352 empty, 40353 trailing dot, 15998
// empty component, 16410 component that starts with '$', 16411 NUL byte, 15 deeper than 200.
absl::StatusOr<std::vector<std::string>> ParseFieldPath(std::string_view path);

}  // namespace mayfly::engine
