// One update operator with its argument at one path: what happens to the value found there.
//
// Each family of operators lives in a file of its own with its rows at the end; update_operators.cc
// lists the families.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bson/value.h"
#include "engine/update/update.h"

namespace mayfly::engine {

// The place an operator is applied to.
struct UpdateTarget {
  bson::ValueView value;  // missing if there is nothing yet
  std::string_view path;  // dotted, for error texts
  bson::View document;    // the whole document before the update
  const EvaluationContext* evaluation = nullptr;
  bool is_insert = false;  // an upsert builds a new document
};

// What an operator made of a value.
struct UpdateChange {
  enum class Kind { kNone, kRemove, kReplace };
  Kind kind = Kind::kNone;
  bson::Value value;  // the new one, if kReplace

  static UpdateChange None() { return {}; }
  static UpdateChange Remove() { return {Kind::kRemove, {}}; }
  static UpdateChange Replace(bson::Value value) { return {Kind::kReplace, std::move(value)}; }
  // None if `value` has the type and bytes of `before`.
  static UpdateChange ReplaceUnlessSame(bson::ValueView before, bson::Value value);
};

// What an operator does about a path that is not there.
enum class MissingPath {
  kCreate,          // makes it: 28 PathNotViable if it cannot be made
  kIgnoreIfViable,  // nothing, but 28 if it could not be made
  kIgnore,          // nothing
};

// Immutable once parsed.
class UpdateOperator {
 public:
  virtual ~UpdateOperator() = default;
  virtual MissingPath OnMissingPath(const UpdateTarget& target) const = 0;
  // `target.value` is missing only if OnMissingPath says kCreate.
  virtual absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const = 0;
  // Errors about the document as a whole, found before anything is applied.
  virtual absl::Status CheckDocument(bson::View doc) const { return absl::OkStatus(); }
};

using UpdateOperatorPtr = std::unique_ptr<const UpdateOperator>;

// `argument` is the element {path: operand} below the operator's name. What the operator keeps of
// it, it copies.
using ParseUpdateOperator = absl::StatusOr<UpdateOperatorPtr> (*)(
    const bson::Element& argument, const UpdateParseContext& context);

struct UpdateOperatorRow {
  std::string_view name;
  ParseUpdateOperator parse;
  std::string_view help;
  // $rename: the operand names the path to write, the element's key the path to take the value
  // from.
  bool path_in_operand = false;
};

// Null if there is none of that name.
const UpdateOperatorRow* FindUpdateOperator(std::string_view name);
// All rows of all families.
std::vector<const UpdateOperatorRow*> AllUpdateOperators();

// The families.
struct UpdateOperatorFamily {
  const UpdateOperatorRow* rows;
  int count;
};
UpdateOperatorFamily
FieldUpdateOperators();  // $set $setOnInsert $unset $rename $currentDate $min $max
UpdateOperatorFamily NumberUpdateOperators();   // $inc $mul $bit
UpdateOperatorFamily PushUpdateOperators();     // $push $addToSet
UpdateOperatorFamily RemovalUpdateOperators();  // $pop $pull $pullAll

// What else has a name: clauses of $push, and what stands in a path in the place of an index. For
// reference only.
struct UpdateNameRow {
  std::string_view name;
  std::string_view help;
};
std::vector<UpdateNameRow> PushClauses();
absl::Span<const UpdateNameRow> PositionalPathParts();

// The other half of $rename: takes the value away from its old path.
UpdateOperatorPtr MakeRenameSource();

}  // namespace mayfly::engine
