// Names of variables and where their values are found: numbered slots of a Frame, or values fixed
// when parsing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bson/value.h"

namespace mayfly::engine {

// Index of a variable in a Frame.
using Slot = int;

// One scope of user variables and the scopes around it. Scopes are made while parsing and may be
// dropped afterwards.
class Variables {
 public:
  Variables() = default;
  // An inner scope. `outer` must outlive it and must not get new variables meanwhile.
  explicit Variables(const Variables* outer) : outer_(outer), next_slot_(outer->next_slot()) {}

  // A new variable of this scope, which hides others of its name. The slot's value is set in the
  // Frame.
  Slot Define(std::string_view name);
  // A variable whose value is known already, such as one of a command's `let`.
  void DefineConstant(std::string_view name, bson::Value value);

  struct Found {
    Slot slot = -1;                         // used if `constant` is null
    const bson::Value* constant = nullptr;  // valid as long as the scope
  };
  // Looks through this scope and the outer ones.
  std::optional<Found> Find(std::string_view name) const;
  // The first slot that is not in use.
  Slot next_slot() const { return next_slot_; }

 private:
  struct Entry {
    std::string name;
    Slot slot;
    bson::Value constant;
    bool is_constant;
  };
  const Variables* outer_ = nullptr;
  std::vector<Entry> entries_;
  Slot next_slot_ = 0;
};

// Checks a name that a user gives to a variable ($let, `let`, `as`): 9 FailedToParse unless it
// begins with a lower case letter or non-ASCII and goes on with letters, digits and underscores;
// "CURRENT" is allowed.
absl::Status CheckVariableNameForWrite(std::string_view name);
// Checks a name after "$$": may begin with a capital letter as well.
absl::Status CheckVariableNameForRead(std::string_view name);

}  // namespace mayfly::engine
