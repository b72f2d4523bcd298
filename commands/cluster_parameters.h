// Cluster parameters: settings of all members of a cluster at once, here of the one server. They
// are kept in config.clusterParameters.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"
#include "bson/types.h"
#include "bson/value.h"
#include "bson/view.h"

namespace mayfly::commands {

// One field of a parameter. The alternative of its default is its type.
struct ClusterField {
  std::string_view name;
  std::variant<bool, int64_t, double> by_default;
  double min = 0;  // of numbers
};

struct ClusterParameterRow {
  std::string_view name;
  std::string_view help;
  std::span<const ClusterField> fields;
  // For parameters whose value is not a flat document: extended JSON of the default, and how a
  // value is read. Empty and null: by `fields`.
  std::string_view by_default = {};
  absl::StatusOr<bson::Document> (*read)(bson::View value) = nullptr;
};

// In order of name.
std::span<const ClusterParameterRow> ClusterParameterRows();
const ClusterParameterRow* FindClusterParameter(std::string_view name);  // null if unknown

// The value of a parameter that was never set.
bson::Document DefaultOf(const ClusterParameterRow& row);
// The whole value, with the defaults of what `given` leaves out. Errors: 14 TypeMismatch, 2
// BadValue, 52 DollarPrefixedFieldName, 40415 for unknown fields.
absl::StatusOr<bson::Document> ReadClusterParameter(const ClusterParameterRow& row,
                                                    bson::View given);

// What was set.
struct ClusterParameterValue {
  bson::Document value;
  bson::Timestamp time;
};
using ClusterParameterValues = std::map<std::string, ClusterParameterValue, std::less<>>;

}  // namespace mayfly::commands
