// setFeatureCompatibilityVersion: the version that data is to stay usable for.
#include <algorithm>
#include <array>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/kept_settings.h"
#include "commands/parameters.h"
#include "commands/version.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array<std::string_view, 3> kVersions = {"8.0", "8.1", kMongoFeatureVersion};
constexpr int kInvalidVersion = 4926900;
constexpr int kNotConfirmed = 7369100;

constexpr std::array kArguments = {
    ArgSpec{"confirm", ArgType::kFlag, ArgUse::kOptional, "that this is meant"},
    ArgSpec{"downgradeOnDiskChanges", ArgType::kBool, ArgUse::kIgnored,
            "change files for an older version"},
    ArgSpec{"fromConfigServer", ArgType::kBool, ArgUse::kIgnored, "sent by servers"},
};

absl::Status Run(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  static constexpr std::string_view kName = "setFeatureCompatibilityVersion";
  const bson::ValueView target = arguments.target();
  if (target.IsNullish()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 StrCat("BSON field '", kName, ".", kName, "' is missing but a required field"));
  }
  if (!target.IsString()) return WrongTypeError(kName, kName, target.type(), "string");
  const std::string_view version = target.AsString();
  if (std::find(kVersions.begin(), kVersions.end(), version) == kVersions.end()) {
    return Error(kInvalidVersion, StrCat("Invalid feature compatibility version value '", version,
                                         "'; expected '8.0' or '8.1' or '8.2'"));
  }
  if (!arguments.Flag(ArgIndex(kArguments, "confirm"))) {
    return Error(kNotConfirmed,
                 StrCat("Once you have changed the feature compatibility version, it may be "
                        "impossible to go back without support. Run the command again with "
                        "'confirm: true' to do it."));
  }
  MAYFLY_RETURN_IF_ERROR(KeepFeatureVersion(context.services, version));
  bson::Builder value;
  value.String("version", version);
  context.services.parameters.SetByServer("featureCompatibilityVersion",
                                          bson::Value::FromDocument(value.Finish()));
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "setFeatureCompatibilityVersion",
     .place = Place::kWritingWorker,
     .flags = kAdminOnly | kNoApiVersion | kTakesWriteConcern,
     .run = Run,
     .arguments = kArguments,
     .help = "Sets the version that getParameter shows; files are the same for all of them."},
};

}  // namespace

std::span<const CommandRow> FeatureVersionCommands() { return kRows; }

}  // namespace mayfly::commands
