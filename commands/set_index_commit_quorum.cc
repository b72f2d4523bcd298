// setIndexCommitQuorum: how many members must have built an index before it is used. With the one
// member of the set any quorum is met; there only has to be such a build.
#include <algorithm>
#include <array>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kArguments = {
    ArgSpec{"indexNames", ArgType::kArray, ArgUse::kRequired, "of indexes that are being built"},
    ArgSpec{"commitQuorum", ArgType::kAny, ArgUse::kRequired, "'majority', 'votingMembers' ..."},
};

absl::Status Run(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  const bson::ValueView quorum = arguments[1];
  if (!quorum.IsString() && !quorum.IsNumber()) {
    return WrongTypeError("setIndexCommitQuorum", "commitQuorum", quorum.type(),
                          "[string, long, int, decimal, double]");
  }
  const auto collection = context.FindCollection(name);
  if (collection == nullptr) return NamespaceNotFound(FullName(context, name));
  for (const bson::Element& element : arguments.Document(0)) {
    if (!element.value.IsString()) {
      return WrongTypeError("setIndexCommitQuorum", StrCat("indexNames.", element.key),
                            element.value.type(), "string");
    }
    const std::string_view wanted = element.value.AsString();
    const auto& indexes = collection->indexes();
    const bool building = std::any_of(indexes.begin(), indexes.end(), [&](const auto& index) {
      return index->building && index->spec.name == wanted;
    });
    if (building) continue;
    return Error(ErrorCode::kIndexNotFound,
                 StrCat("Cannot find an index build on collection '", collection->ns(),
                        "' with the provided index names"));
  }
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "setIndexCommitQuorum",
     .place = Place::kRead,
     .flags = kNoApiVersion | kNoConcerns | kTakesWriteConcern,
     .run = Run,
     .arguments = kArguments,
     .help = "How many members must build an index; the one there is always does."},
};

}  // namespace

std::span<const CommandRow> IndexCommitQuorumCommands() { return kRows; }

}  // namespace mayfly::commands
