#include "commands/concerns.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "commands/command.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

constexpr int64_t kMaxTimeout = std::numeric_limits<int32_t>::max();
// `w` may ask for at most this many members before it is nonsense, as in MongoDB.
constexpr int64_t kMaxReplicaSetMembers = 50;

// Where a concern comes from, as servers tell each other.
absl::Status CheckProvenance(std::string_view concern, ValueView value) {
  static constexpr std::array<std::string_view, 5> kKnown = {
      "clientSupplied", "implicitDefault", "customDefault", "getLastErrorDefaults",
      "internalWriteDefault"};
  if (value.IsNullish()) return absl::OkStatus();
  if (!value.IsString()) return WrongTypeError(concern, "provenance", value.type(), "string");
  if (std::find(kKnown.begin(), kKnown.end(), value.AsString()) != kKnown.end())
    return absl::OkStatus();
  return Error(ErrorCode::kBadValue,
               StrCat("Enumeration value '", value.AsString(), "' for field '", concern,
                      ".provenance' is not a valid value."));
}

// {tag: members}; the one member of the set has no tags.
absl::Status ReadTags(bson::View tags, WriteConcern* concern) {
  if (tags.empty()) return Error(ErrorCode::kFailedToParse, "tagged write concern requires tags");
  for (const bson::Element& tag : tags) {
    if (!tag.value.IsNumber()) {
      return Error(ErrorCode::kFailedToParse,
                   StrCat("tags must be a single level document with only number values; found: ",
                          bson::TypeName(tag.value.type())));
    }
  }
  concern->unsatisfied =
      Error(ErrorCode::kUnsatisfiableWriteConcern, "No replica set members have these tags");
  return absl::OkStatus();
}

absl::Status ReadW(ValueView value, WriteConcern* concern) {
  if (value.IsNumber()) {
    if (bson::IsNaN(value))
      return Error(ErrorCode::kFailedToParse, "w has to be a number, not NaN");
    const int64_t w = bson::ToInt64Rounded(value);
    if (w < 0 || w > kMaxReplicaSetMembers) {
      return Error(
          ErrorCode::kFailedToParse,
          StrCat("w has to be a non-negative number and not greater than ", kMaxReplicaSetMembers));
    }
    concern->acknowledged = w != 0;
    if (w > 1) {
      concern->unsatisfied =
          Error(ErrorCode::kUnsatisfiableWriteConcern, "Not enough data-bearing nodes");
    }
    return absl::OkStatus();
  }
  if (value.IsString()) {
    const std::string_view mode = value.AsString();
    if (mode != "majority") {
      concern->unsatisfied = Error(
          ErrorCode::kUnknownReplWriteConcern,
          StrCat("No write concern mode named '", mode, "' found in replica set configuration"));
    }
    return absl::OkStatus();
  }
  if (value.IsDocument()) return ReadTags(value.AsDocument(), concern);
  return Error(ErrorCode::kFailedToParse, "w has to be a number, string, or object");
}

}  // namespace

absl::StatusOr<WriteConcern> ParseWriteConcern(ValueView value) {
  WriteConcern concern;
  if (value.IsMissing()) return concern;
  bool journal = false;
  bool fsync = false;
  for (const bson::Element& element : value.AsDocument()) {
    const ValueView v = element.value;
    if (element.key == "w") {
      MAYFLY_RETURN_IF_ERROR(ReadW(v, &concern));
    } else if (element.key == "j" || element.key == "fsync") {
      if (!v.IsBool() && !v.IsNumber() && !v.IsNullish()) {
        return WrongTypeError("writeConcern", element.key, v.type(),
                              "[bool, long, int, decimal, double]");
      }
      const bool set = v.IsBool() ? v.AsBool() : v.IsNumber() && bson::IsNonZero(v);
      (element.key == "j" ? journal : fsync) = set;
    } else if (element.key == "wtimeout") {
      if (v.IsNumber() && bson::ToInt64Truncated(v) > kMaxTimeout) {
        return Error(ErrorCode::kFailedToParse, "wtimeout must be a 32-bit integer");
      }
    } else if (element.key == "provenance") {
      MAYFLY_RETURN_IF_ERROR(CheckProvenance("writeConcern", v));
    } else if (element.key != "getLastError") {
      return Error(ErrorCode::kIDLUnknownField,
                   StrCat("BSON field 'writeConcern.", element.key, "' is an unknown field."));
    }
  }
  if (journal && fsync) {
    return Error(ErrorCode::kFailedToParse, "fsync and j options cannot be used together");
  }
  if (journal || fsync) concern.durability = engine::Durability::kSynced;
  return concern;
}

std::string_view ReadConcernLevel(const CommonArguments& common) {
  const ValueView concern = common.read_concern;
  const ValueView level = concern.IsDocument() ? concern.AsDocument().Find("level") : ValueView();
  return level.IsString() ? level.AsString() : std::string_view();
}

absl::Status CheckReadConcern(ValueView value, bool replica_set) {
  if (value.IsMissing()) return absl::OkStatus();
  static constexpr std::array<std::string_view, 5> kLevels = {"local", "majority", "available",
                                                              "linearizable", "snapshot"};
  std::string_view level;
  bool has_snapshot_time = false;
  for (const bson::Element& element : value.AsDocument()) {
    const ValueView v = element.value;
    if (element.key == "level") {
      if (v.IsNullish()) continue;
      if (!v.IsString()) return WrongTypeError("readConcern", "level", v.type(), "string");
      level = v.AsString();
      if (std::find(kLevels.begin(), kLevels.end(), level) == kLevels.end()) {
        return Error(ErrorCode::kBadValue,
                     StrCat("Enumeration value '", v.AsString(),
                            "' for field 'readConcern.level' is not a valid value."));
      }
    } else if (element.key == "afterClusterTime" || element.key == "atClusterTime") {
      if (v.type() != bson::Type::kTimestamp) {
        return WrongTypeError("readConcern", element.key, v.type(), "timestamp");
      }
      if (!replica_set) {
        return Error(
            ErrorCode::kIllegalOperation,
            StrCat("Cannot specify ", element.key, " readConcern without replication enabled"));
      }
      if (v.AsTimestamp() == bson::Timestamp{}) {
        return Error(ErrorCode::kInvalidOptions,
                     StrCat(element.key, " cannot be a null timestamp"));
      }
      has_snapshot_time = has_snapshot_time || element.key == "atClusterTime";
    } else if (element.key == "provenance") {
      MAYFLY_RETURN_IF_ERROR(CheckProvenance("readConcern", v));
    } else if (element.key != "afterOpTime" && element.key != "allowTransactionTableSnapshot" &&
               element.key != "waitLastStableRecoveryTimestamp") {
      return Error(ErrorCode::kIDLUnknownField,
                   StrCat("BSON field 'readConcern.", element.key, "' is an unknown field."));
    }
  }
  if (has_snapshot_time && level != "snapshot") {
    return Error(ErrorCode::kInvalidOptions,
                 "readConcern.atClusterTime is only allowed with the level snapshot");
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ParseMaxTimeMs(ValueView value, std::string_view command) {
  if (value.IsNullish()) return 0;
  if (!value.IsNumber()) {
    return WrongTypeError(command, "maxTimeMS", value.type(), "[long, int, decimal, double]");
  }
  const auto exact = bson::ToInt64Exact(value);
  if (!exact.has_value()) {
    return Error(ErrorCode::kFailedToParse, "maxTimeMS must be representable as a whole number");
  }
  if (*exact < 0 || *exact > kMaxTimeout) {
    return Error(ErrorCode::kBadValue,
                 StrCat(*exact, " value for maxTimeMS is out of range [0, 2147483647]"));
  }
  return *exact;
}

absl::Status CheckApiParameters(const CommonArguments& common, bool in_stable_api,
                                std::string_view command) {
  const bool strict = common.api_strict.IsBool() && common.api_strict.AsBool();
  if (common.api_version.IsMissing()) {
    if (common.api_strict.IsMissing() && common.api_deprecation_errors.IsMissing())
      return absl::OkStatus();
    return Error(4886600,
                 "Provided apiStrict and/or apiDeprecationErrors without passing apiVersion");
  }
  if (common.api_version.AsString() != "1") {
    return Error(ErrorCode::kAPIVersionError, "API version must be \"1\"");
  }
  if (strict && !in_stable_api) {
    return Error(ErrorCode::kAPIStrictError, StrCat("Provided apiStrict:true, but the command ",
                                                    command, " is not in API Version 1."));
  }
  return absl::OkStatus();
}

absl::Status CheckSessionArguments(const CommonArguments& common, uint32_t flags) {
  if (!common.lsid.IsMissing()) {
    const ValueView id = common.lsid.AsDocument().Find("id");
    if (id.IsMissing()) {
      return Error(ErrorCode::kIDLFailedToParse,
                   "BSON field 'OperationSessionInfo.lsid.id' is missing but a required field");
    }
    if (id.type() != bson::Type::kBinary) return WrongTypeError("lsid", "id", id.type(), "binData");
    if (id.AsBinary().subtype != bson::kBinaryUuid || id.AsBinary().bytes.size() != 16) {
      return Error(ErrorCode::kInvalidUUID, "BSON field 'lsid.id' must be a UUID");
    }
  }
  if (!common.txn_number.IsMissing()) {
    if (common.lsid.IsMissing()) {
      return Error(ErrorCode::kInvalidOptions,
                   "Transaction number requires a session ID to also be specified");
    }
    if (bson::ToInt64Truncated(common.txn_number) < 0) {
      return Error(ErrorCode::kInvalidOptions, "Transaction number cannot be negative");
    }
  }
  if (!common.autocommit.IsMissing()) {
    if (common.txn_number.IsMissing()) {
      return Error(ErrorCode::kInvalidOptions,
                   "'autocommit' field requires a transaction number to also be specified");
    }
    if (common.autocommit.AsBool()) {
      return Error(ErrorCode::kInvalidOptions, "Specifying autocommit=true is not allowed.");
    }
    if ((flags & kEndsTransaction) != 0) return absl::OkStatus();
    if (!common.write_concern.IsMissing()) {
      return Error(ErrorCode::kInvalidOptions,
                   "writeConcern is not allowed within a multi-statement transaction");
    }
    return Error(ErrorCode::kIllegalOperation,
                 "Multi-document transactions are not supported by this server");
  }
  if (!common.start_transaction.IsMissing()) {
    return Error(ErrorCode::kInvalidOptions,
                 "Specifying startTransaction requires autocommit=false");
  }
  return absl::OkStatus();
}

}  // namespace mayfly::commands
