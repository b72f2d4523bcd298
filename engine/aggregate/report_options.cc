#include "engine/aggregate/report_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

absl::Status WrongType(std::string_view where, ValueView value, std::string_view expected) {
  return Error(ErrorCode::kTypeMismatch,
               StrCat("BSON field '", where, "' is the wrong type '", bson::TypeName(value.type()),
                      "', expected type '", expected, "'"));
}

absl::Status UnknownField(std::string_view where) {
  return Error(40415, StrCat("BSON field '", where, "' is an unknown field."));
}

absl::Status NotAnObject(int code, std::string_view stage, ValueView operand) {
  return Error(
      code,
      StrCat(stage, " must take a nested object but found: ", bson::TypeName(operand.type())));
}

// Fields that are booleans, and no others.
absl::Status CheckFlags(std::string_view stage, bson::View options,
                        std::initializer_list<std::string_view> names) {
  for (const bson::Element& option : options) {
    const std::string where = StrCat(stage, ".", option.key);
    if (std::find(names.begin(), names.end(), option.key) == names.end())
      return UnknownField(where);
    if (!option.value.IsBool()) return WrongType(where, option.value, "bool");
  }
  return absl::OkStatus();
}

bool IsTrue(bson::View options, std::string_view name) {
  const ValueView value = options.Find(name);
  return value.IsBool() && value.AsBool();
}

absl::Status CheckStorageStats(bson::View options) {
  const ValueView scale = options.Find("scale");
  if (scale.IsNullish()) return absl::OkStatus();
  if (!scale.IsNumber()) {
    return WrongType("$collStats.storageStats.scale", scale, "[long, int, decimal, double]");
  }
  if (bson::IsNaN(scale) || bson::ToInt64Rounded(scale) < 1) {
    return Error(ErrorCode::kBadValue,
                 StrCat("BSON field 'scale' value must be >= 1, actual value '",
                        bson::ToInt64Rounded(scale), "'"));
  }
  return absl::OkStatus();
}

absl::Status CheckCollStatsOption(const bson::Element& option) {
  const std::string where = StrCat("$collStats.", option.key);
  if (option.value.IsNullish()) return absl::OkStatus();
  if (!option.value.IsDocument()) return WrongType(where, option.value, "object");
  const bson::View inner = option.value.AsDocument();
  if (option.key == "latencyStats") return CheckFlags(where, inner, {"histograms"});
  if (option.key == "storageStats") return CheckStorageStats(inner);
  if (inner.empty()) return absl::OkStatus();
  return Error(31170,
               StrCat("argument to $collStats stage's ", option.key,
                      " field must be an empty object, but got: ", inner.Count(), " fields"));
}

absl::Status CheckUserField(bson::View user, std::string_view name) {
  const std::string where = StrCat("$listLocalSessions.users.", name);
  const ValueView value = user.Find(name);
  if (value.IsNullish())
    return Error(40414, StrCat("BSON field '", where, "' is missing but a required field"));
  if (!value.IsString()) return WrongType(where, value, "string");
  return absl::OkStatus();
}

absl::Status CheckUser(ValueView user) {
  if (!user.IsDocument()) return WrongType("$listLocalSessions.users", user, "object");
  for (const bson::Element& field : user.AsDocument()) {
    if (field.key != "user" && field.key != "db")
      return UnknownField(StrCat("$listLocalSessions.users.", field.key));
    if (field.value.IsNullish()) continue;
    MAYFLY_RETURN_IF_ERROR(CheckUserField(user.AsDocument(), field.key));
  }
  MAYFLY_RETURN_IF_ERROR(CheckUserField(user.AsDocument(), "user"));
  return CheckUserField(user.AsDocument(), "db");
}

}  // namespace

absl::Status CheckCollStats(ValueView operand, const Namespace&) {
  if (!operand.IsDocument()) return NotAnObject(5447000, "$collStats", operand);
  for (const bson::Element& option : operand.AsDocument()) {
    if (option.key != "latencyStats" && option.key != "storageStats" && option.key != "count" &&
        option.key != "queryExecStats" && option.key != "operationStats") {
      return UnknownField(StrCat("$collStats.", option.key));
    }
    MAYFLY_RETURN_IF_ERROR(CheckCollStatsOption(option));
  }
  return absl::OkStatus();
}

absl::Status CheckCurrentOp(ValueView operand, const Namespace& ns) {
  if (ns.database != "admin") {
    return Error(ErrorCode::kInvalidNamespace,
                 "$currentOp must be run against the 'admin' database with {aggregate: 1}");
  }
  constexpr int kTypeMismatch = static_cast<int>(ErrorCode::kTypeMismatch);
  if (!operand.IsDocument()) return NotAnObject(kTypeMismatch, "$currentOp", operand);
  const bson::View options = operand.AsDocument();
  MAYFLY_RETURN_IF_ERROR(CheckFlags("$currentOp", options,
                                    {"allUsers", "idleConnections", "idleCursors", "idleSessions",
                                     "localOps", "targetAllNodes", "truncateOps"}));
  if (!IsTrue(options, "targetAllNodes")) return absl::OkStatus();
  return Error(ErrorCode::kFailedToParse,
               IsTrue(options, "localOps")
                   ? "The 'localOps' and 'targetAllNodes' parameters cannot both be true"
                   : "The 'targetAllNodes' parameter of $currentOp is only for sharded clusters");
}

absl::Status CheckIndexStats(ValueView operand, const Namespace&) {
  if (operand.IsDocument() && operand.AsDocument().empty()) return absl::OkStatus();
  return Error(28803, "The $indexStats stage specification must be an empty object");
}

absl::Status CheckListClusterCatalog(ValueView operand, const Namespace& ns) {
  constexpr std::string_view kStage = "$listClusterCatalog";
  if (!ns.collection.empty()) {
    return Error(9621301, StrCat(kStage, " must be run against the database, not a collection"));
  }
  if (!operand.IsDocument()) return NotAnObject(9621302, kStage, operand);
  return CheckFlags(kStage, operand.AsDocument(), {"shards", "balancingConfiguration"});
}

absl::Status CheckListLocalSessions(ValueView operand, const Namespace& ns) {
  constexpr std::string_view kStage = "$listLocalSessions";
  const bool is_of_sessions = ns.database == "config" && ns.collection == "system.sessions";
  if (!ns.collection.empty() && !is_of_sessions) {
    return Error(ErrorCode::kInvalidNamespace,
                 "sessions are listed by {aggregate: 1}, or from config.system.sessions");
  }
  if (!operand.IsDocument())
    return NotAnObject(static_cast<int>(ErrorCode::kTypeMismatch), kStage, operand);
  bool users = false;
  bool all_users = false;
  for (const bson::Element& option : operand.AsDocument()) {
    const std::string where = StrCat(kStage, ".", option.key);
    if (option.key != "users" && option.key != "allUsers") return UnknownField(where);
    if (option.value.IsNullish()) continue;
    if (option.key == "allUsers") {
      if (!option.value.IsBool()) return WrongType(where, option.value, "bool");
      all_users = option.value.AsBool();
      continue;
    }
    if (!option.value.IsArray()) return WrongType(where, option.value, "array");
    for (const bson::Element& user : option.value.AsDocument()) {
      if (user.value.IsNullish()) continue;
      MAYFLY_RETURN_IF_ERROR(CheckUser(user.value));
      users = true;
    }
  }
  if (!users || !all_users) return absl::OkStatus();
  return Error(ErrorCode::kUnsupportedFormat,
               StrCat(kStage, " may not specify 'allUsers' as true and 'users' together"));
}

absl::Status CheckListSessions(ValueView operand, const Namespace& ns) {
  if (ns.database != "config" || ns.collection != "system.sessions") {
    return Error(ErrorCode::kInvalidNamespace,
                 "$listSessions may only be run against config.system.sessions");
  }
  return CheckListLocalSessions(operand, ns);
}

absl::Status CheckPlanCacheStats(ValueView operand, const Namespace&) {
  constexpr std::string_view kStage = "$planCacheStats";
  if (!operand.IsDocument())
    return NotAnObject(static_cast<int>(ErrorCode::kFailedToParse), kStage, operand);
  if (operand.AsDocument().Count() > 1) {
    return Error(ErrorCode::kFailedToParse, StrCat(kStage, " has one parameter, allHosts"));
  }
  for (const bson::Element& option : operand.AsDocument()) {
    if (option.key != "allHosts") {
      return Error(ErrorCode::kFailedToParse,
                   StrCat(kStage, " has no parameter named '", option.key, "'"));
    }
    if (!option.value.IsBool()) {
      return Error(13111, StrCat("'allHosts' of ", kStage, " must be a bool, but is ",
                                 bson::TypeName(option.value.type())));
    }
    if (option.value.AsBool()) {
      return Error(4503200,
                   "$planCacheStats stage supports allHosts parameter only for sharded "
                   "clusters");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckQuerySettings(ValueView operand, const Namespace&) {
  if (!operand.IsDocument()) return NotAnObject(7746800, "$querySettings", operand);
  return CheckFlags("$querySettings", operand.AsDocument(), {"showDebugQueryShape"});
}

absl::Status CheckQueryStats(ValueView operand, const Namespace&) {
  constexpr std::string_view kStage = "$queryStats";
  if (!operand.IsDocument())
    return NotAnObject(static_cast<int>(ErrorCode::kFailedToParse), kStage, operand);
  for (const bson::Element& option : operand.AsDocument()) {
    const std::string where = StrCat(kStage, ".", option.key);
    if (option.key != "transformIdentifiers") return UnknownField(where);
    if (!option.value.IsDocument()) return WrongType(where, option.value, "object");
  }
  return absl::OkStatus();
}

absl::Status CheckSampledQueries(ValueView operand, const Namespace&) {
  constexpr std::string_view kStage = "$listSampledQueries";
  if (!operand.IsDocument())
    return NotAnObject(static_cast<int>(ErrorCode::kTypeMismatch), kStage, operand);
  for (const bson::Element& option : operand.AsDocument()) {
    const std::string where = StrCat(kStage, ".", option.key);
    if (option.key != "namespace") return UnknownField(where);
    if (!option.value.IsString()) return WrongType(where, option.value, "string");
  }
  return absl::OkStatus();
}

int64_t ScaleOf(ValueView storage_stats) {
  if (!storage_stats.IsDocument()) return 1;
  const ValueView scale = storage_stats.AsDocument().Find("scale");
  if (!scale.IsNumber()) return 1;
  return std::clamp<int64_t>(bson::ToInt64Rounded(scale), 1, std::numeric_limits<int32_t>::max());
}

}  // namespace mayfly::engine
