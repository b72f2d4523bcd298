// Compares a reply with what a script expects of it.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "bson/view.h"
#include "tests/scripts/script.h"

namespace mayfly::test {

// Values kept by {$save: 'name'} in an expected reply, for {$saved: 'name'} in later commands and
// replies.
using SavedValues = std::map<std::string, bson::Value, std::less<>>;

// Empty if `reply` is as `step` expects; else what differs. Fields that are not named are not
// looked at; named ones are compared whole, numbers by value. In place of a value may stand
// {$any: 1} anything, {$save: 'name'} anything, kept, {$absent: 1} no such field; a nested document
// whose last field is $etc may have more fields.
std::string Mismatch(const Step& step, bson::View reply, SavedValues* saved);

// `command` with every {$saved: 'name'} replaced. Error: a name that was not saved.
absl::StatusOr<bson::Document> Substitute(bson::View command, const SavedValues& saved);

}  // namespace mayfly::test
