// The list of update operator families.
#include "engine/update/update_operator.h"

namespace mayfly::engine {
namespace {

using FamilyFunction = UpdateOperatorFamily (*)();
constexpr FamilyFunction kFamilies[] = {
    FieldUpdateOperators,
    NumberUpdateOperators,
    PushUpdateOperators,
    RemovalUpdateOperators,
};

}  // namespace

UpdateChange UpdateChange::ReplaceUnlessSame(bson::ValueView before, bson::Value value) {
  return bson::IdenticalBytes(before, value) ? None() : Replace(std::move(value));
}

const UpdateOperatorRow* FindUpdateOperator(std::string_view name) {
  for (const FamilyFunction family : kFamilies) {
    const UpdateOperatorFamily rows = family();
    for (int i = 0; i < rows.count; ++i) {
      if (rows.rows[i].name == name) return &rows.rows[i];
    }
  }
  return nullptr;
}

std::vector<const UpdateOperatorRow*> AllUpdateOperators() {
  std::vector<const UpdateOperatorRow*> all;
  for (const FamilyFunction family : kFamilies) {
    const UpdateOperatorFamily rows = family();
    for (int i = 0; i < rows.count; ++i) all.push_back(&rows.rows[i]);
  }
  return all;
}

}  // namespace mayfly::engine
