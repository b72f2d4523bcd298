// getClusterParameter and setClusterParameter.
#include <string>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/cluster_parameters.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/kept_settings.h"
#include "commands/state.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

absl::StatusOr<const ClusterParameterRow*> FindRow(std::string_view name) {
  const ClusterParameterRow* const row = FindClusterParameter(name);
  if (row != nullptr) return row;
  return Error(ErrorCode::kNoSuchKey, StrCat("Unknown cluster parameter: ", name));
}

// The parameters that getClusterParameter names.
absl::StatusOr<std::vector<const ClusterParameterRow*>> ReadNames(ValueView target) {
  std::vector<const ClusterParameterRow*> rows;
  if (target.IsString() && target.AsString() == "*") {
    for (const ClusterParameterRow& row : ClusterParameterRows()) rows.push_back(&row);
    return rows;
  }
  if (target.IsString()) {
    MAYFLY_ASSIGN_OR_RETURN(const auto* const row, FindRow(target.AsString()));
    rows.push_back(row);
    return rows;
  }
  if (!target.IsArray()) {
    return WrongTypeError("getClusterParameter", "getClusterParameter", target.type(),
                          "[string, array]");
  }
  for (const bson::Element& element : target.AsDocument()) {
    if (!element.value.IsString()) {
      return WrongTypeError("getClusterParameter", StrCat("getClusterParameter.", element.key),
                            element.value.type(), "string");
    }
    MAYFLY_ASSIGN_OR_RETURN(const auto* const row, FindRow(element.value.AsString()));
    rows.push_back(row);
  }
  if (rows.empty()) {
    return Error(ErrorCode::kBadValue, "Must supply at least one cluster parameter name to get");
  }
  return rows;
}

absl::Status RunGet(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const auto rows, ReadNames(arguments.target()));
  const std::lock_guard lock(context.state->mutex);
  const ClusterParameterValues& values = context.state->cluster_parameters;
  reply.OpenArray("clusterParameters");
  for (const ClusterParameterRow* const row : rows) {
    const auto it = values.find(row->name);
    reply.PushOpenDocument().String("_id", row->name);
    reply.Timestamp("clusterParameterTime",
                    it == values.end() ? bson::Timestamp{} : it->second.time);
    reply.AppendAll(it == values.end() ? DefaultOf(*row) : it->second.value);
    reply.Close();
  }
  reply.Close();
  return absl::OkStatus();
}

absl::Status RunSet(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  const ValueView target = arguments.target();
  if (target.IsNullish()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'setClusterParameter.setClusterParameter' is missing but a required "
                 "field");
  }
  if (!target.IsDocument()) {
    return WrongTypeError("setClusterParameter", "setClusterParameter", target.type(), "object");
  }
  const bson::View given = target.AsDocument();
  if (given.Count() > 1) {
    return Error(ErrorCode::kInvalidOptions, "setClusterParameter sets one parameter at a time");
  }
  const bson::Element first = given.empty() ? bson::Element() : given.First();
  MAYFLY_ASSIGN_OR_RETURN(const auto* const row, FindRow(first.key));
  if (!first.value.IsDocument()) {
    return Error(ErrorCode::kBadValue,
                 StrCat("Cluster parameter value of ", row->name, " must be an object"));
  }
  ClusterParameterValue set;
  MAYFLY_ASSIGN_OR_RETURN(set.value, ReadClusterParameter(*row, first.value.AsDocument()));
  const std::lock_guard lock(context.state->kept_settings_mutex);
  set.time = context.state->NextChangeTime(context.now_ms);
  MAYFLY_RETURN_IF_ERROR(KeepClusterParameter(context.services, row->name, set));
  context.state->SetClusterParameter(row->name, std::move(set));
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "getClusterParameter",
     .flags = kAdminOnly | kAnyFields | kNoApiVersion,
     .run = RunGet,
     .help = "Settings of the whole cluster: '*', a name, or several."},
    {.name = "setClusterParameter",
     .place = Place::kWritingWorker,
     .flags = kAdminOnly | kAnyFields | kNoApiVersion | kNoConcerns,
     .run = RunSet,
     .help = "Sets one of them; it outlives the process."},
};

}  // namespace

std::span<const CommandRow> ClusterParameterCommands() { return kRows; }

}  // namespace mayfly::commands
