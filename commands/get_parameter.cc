// getParameter and setParameter: server parameters, read and changed.
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/parameters.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

// What the value of getParameter itself asks for.
struct Selection {
  bool all = false;
  bool details = false;
  std::optional<ParameterSettable> settable;  // only those
};

absl::StatusOr<bool> ReadFlag(const bson::Element& element) {
  const bson::ValueView value = element.value;
  if (value.IsNullish()) return false;
  if (value.IsBool()) return value.AsBool();
  if (value.IsNumber()) return bson::IsNonZero(value);
  return WrongTypeError("getParameter", element.key, value.type(),
                        "[bool, long, int, decimal, double]");
}

absl::StatusOr<std::optional<ParameterSettable>> ReadSetAt(bson::ValueView value) {
  if (value.IsNullish()) return std::nullopt;
  if (!value.IsString()) return WrongTypeError("getParameter", "setAt", value.type(), "string");
  if (value.AsString() == "startup") return kAtStartup;
  if (value.AsString() == "runtime") return kAtRuntime;
  return Error(ErrorCode::kBadValue,
               StrCat("Enumeration value '", value.AsString(),
                      "' for field 'getParameter.setAt' is not a valid value."));
}

absl::StatusOr<Selection> ReadSelection(bson::ValueView target) {
  Selection selection;
  if (target.IsString() && target.AsString() == "*") selection.all = true;
  if (!target.IsDocument()) return selection;
  for (const bson::Element& element : target.AsDocument()) {
    if (element.key == "showDetails") {
      MAYFLY_ASSIGN_OR_RETURN(selection.details, ReadFlag(element));
    } else if (element.key == "allParameters") {
      MAYFLY_ASSIGN_OR_RETURN(selection.all, ReadFlag(element));
    } else if (element.key == "setAt") {
      MAYFLY_ASSIGN_OR_RETURN(selection.settable, ReadSetAt(element.value));
    } else {
      return Error(ErrorCode::kIDLUnknownField,
                   StrCat("BSON field 'getParameter.", element.key, "' is an unknown field."));
    }
  }
  return selection;
}

void Show(const ParameterRow& row, const ParameterStore& parameters, bool details,
          bson::Builder& reply) {
  const bson::Value value = parameters.Get(row.name);
  if (!details) {
    reply.Append(row.name, value);
    return;
  }
  reply.OpenDocument(row.name).Append("value", value);
  reply.Bool("settableAtRuntime", (row.settable & kAtRuntime) != 0);
  reply.Bool("settableAtStartup", (row.settable & kAtStartup) != 0).Close();
}

absl::Status RunGetParameter(CommandContext& context, const Arguments& arguments,
                             bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const Selection selection, ReadSelection(arguments.target()));
  const ParameterStore& parameters = context.services.parameters;
  const bson::View body = context.invocation.body;
  size_t shown = 0;
  for (const ParameterRow& row : ParameterRows()) {
    const bool asked =
        selection.all ? !selection.settable.has_value() || (row.settable & *selection.settable) != 0
                      : body.Has(row.name);
    if (!asked) continue;
    Show(row, parameters, selection.details, reply);
    ++shown;
  }
  if (shown == 0 && !selection.all) {
    return Error(ErrorCode::kInvalidOptions, "no option found to get");
  }
  return absl::OkStatus();
}

// The fields of the command that are parameters: all but the first and what any command has.
std::vector<ParameterStore::Change> ReadChanges(bson::View body) {
  std::vector<ParameterStore::Change> changes;
  bool first = true;
  for (const bson::Element& element : body) {
    if (!first && !IsCommonField(element.key)) changes.push_back({element.key, element.value});
    first = false;
  }
  return changes;
}

absl::Status RunSetParameter(CommandContext& context, const Arguments&, bson::Builder& reply) {
  const auto changes = ReadChanges(context.invocation.body);
  if (changes.empty()) {
    return Error(ErrorCode::kInvalidOptions,
                 "no option found to set, use help:true to see options ");
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto before, context.services.parameters.Set(changes));
  reply.Append("was", before.front());
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "getParameter",
     .flags = kAdminOnly | kAnyFields | kNoApiVersion,
     .run = RunGetParameter,
     .help = "Values of server parameters: {getParameter: 1, name: 1}, or '*' for all."},
    {.name = "setParameter",
     .flags = kAdminOnly | kAnyFields | kNoApiVersion,
     .run = RunSetParameter,
     .help = "Changes server parameters: {setParameter: 1, name: value}."},
};

}  // namespace

std::span<const CommandRow> ParameterCommands() { return kRows; }

}  // namespace mayfly::commands
