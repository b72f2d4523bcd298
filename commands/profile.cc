// profile: which operations are written to system.profile and to the log, for each database.
#include <array>
#include <cmath>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/state.h"
#include "engine/query/filter.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::array kArguments = {
    ArgSpec{"slowms", ArgType::kNumber, ArgUse::kOptional,
            "operations that take longer than so many milliseconds are slow"},
    ArgSpec{"sampleRate", ArgType::kNumber, ArgUse::kOptional,
            "share of the slow operations that is written down, 0 to 1"},
    ArgSpec{"filter", ArgType::kAny, ArgUse::kOptional,
            "which operations are written down, instead of the slow ones; 'unset' for none"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

constexpr int64_t kMaxLevel = 2;

// What a command asks for, checked.
struct Request {
  int64_t level = -1;
  std::optional<double> sample_rate;
  std::optional<bson::Document> filter;
  std::shared_ptr<const engine::FilterNode> parsed_filter;
  bool unset_filter = false;
};

absl::StatusOr<Request> ReadRequest(const Arguments& arguments) {
  Request request;
  const bson::ValueView level = arguments.target();
  if (level.IsNullish()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'profile.profile' is missing but a required field");
  }
  if (!level.IsNumber()) {
    return WrongTypeError("profile", "profile", level.type(), "[long, int, decimal, double]");
  }
  request.level = bson::ToInt64Truncated(level);
  const bson::ValueView rate = arguments[Arg("sampleRate")];
  if (rate.IsNumber()) {
    request.sample_rate = bson::ToDouble(rate);
    if (!(*request.sample_rate >= 0 && *request.sample_rate <= 1)) {
      return Error(ErrorCode::kBadValue, "'sampleRate' must be between 0.0 and 1.0 inclusive");
    }
  }
  const bson::ValueView filter = arguments[Arg("filter")];
  if (filter.IsMissing()) return request;
  request.unset_filter = filter.IsString() && filter.AsString() == "unset";
  if (request.unset_filter) return request;
  if (!filter.IsDocument()) {
    return Error(ErrorCode::kBadValue, "Expected an object, or the string 'unset'.");
  }
  engine::FilterParseContext parse;
  // Lives on: constants must not point into the command, nor its collation.
  static const engine::EvaluationContext kForFolding;
  parse.evaluation = &kForFolding;
  MAYFLY_ASSIGN_OR_RETURN(auto node, engine::ParseFilter(filter.AsDocument(), parse));
  request.filter = engine::ToDocument(*node);
  request.parsed_filter = std::move(node);
  return request;
}

void Change(const Request& request, const Arguments& arguments, std::string_view database,
            ProfileSettings* settings) {
  DatabaseProfile& profile = settings->databases[std::string(database)];
  if (request.level >= 0 && request.level <= kMaxLevel) {
    profile.level = static_cast<int32_t>(request.level);
  }
  if (arguments.Has(Arg("slowms"))) {
    settings->slow_ms = static_cast<int32_t>(arguments.Integer(Arg("slowms"), 0));
  }
  if (request.sample_rate.has_value()) settings->sample_rate = *request.sample_rate;
  if (request.filter.has_value() || request.unset_filter) {
    profile.filter = request.filter;
    profile.parsed_filter = request.parsed_filter;
  }
  bool any = false;
  for (const auto& [name, other] : settings->databases) {
    any = any || other.level > 0 || other.filter.has_value();
  }
  settings->any_profile = any;
}

absl::Status RunProfile(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const Request request, ReadRequest(arguments));
  const std::lock_guard lock(context.state->mutex);
  ProfileSettings& settings = context.state->profile;
  const auto it = settings.databases.find(context.database_name());
  const DatabaseProfile was = it == settings.databases.end() ? DatabaseProfile() : it->second;
  reply.Int32("was", was.level).Int32("slowms", settings.slow_ms);
  reply.Double("sampleRate", settings.sample_rate);
  if (was.filter.has_value()) {
    reply.Document("filter", *was.filter);
    reply.String("note",
                 "When a filter expression is set, slowms and sampleRate are not used for "
                 "profiling and slow-query log lines.");
  }
  const bool changes = request.level != -1 || arguments.Has(Arg("slowms")) ||
                       arguments.Has(Arg("sampleRate")) || arguments.Has(Arg("filter"));
  if (changes) Change(request, arguments, context.database_name(), &settings);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "profile",
     .flags = kNoApiVersion,
     .run = RunProfile,
     .arguments = kArguments,
     .help =
         "Reads and sets which operations are slow; they are logged and kept in system.profile."},
};

}  // namespace

std::span<const CommandRow> ProfileCommands() { return kRows; }

}  // namespace mayfly::commands
