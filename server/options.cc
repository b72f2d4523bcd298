#include "server/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <span>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "server/config_file.h"

namespace mayfly::server {

const char* const kVersion = "0.1.0";

namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

enum class Kind { kText, kInteger, kSwitch };

// One option: how it is spelt, and how its value gets into Options. Values arrive as text; a switch
// gives "true".
struct Row {
  const char* flags;   // as CLI11 takes them
  const char* config;  // its name in the YAML file; empty: command line only
  Kind kind;
  absl::Status (*set)(Options& options, const std::string& value);
  const char* help;
};

absl::StatusOr<int> Integer(const std::string& text, int min, int max) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < min || value > max) {
    return Error(ErrorCode::kBadValue,
                 StrCat("'", text, "' is not a number from ", min, " to ", max));
  }
  return value;
}

absl::StatusOr<bool> Boolean(const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return Error(ErrorCode::kBadValue, StrCat("'", text, "' is not true or false"));
}

template <auto Member>
absl::Status SetText(Options& options, const std::string& value) {
  options.*Member = value;
  return absl::OkStatus();
}

template <auto Member>
absl::Status SetBoolean(Options& options, const std::string& value) {
  MAYFLY_ASSIGN_OR_RETURN(options.*Member, Boolean(value));
  return absl::OkStatus();
}

template <auto Member, int kMin, int kMax>
absl::Status SetInteger(Options& options, const std::string& value) {
  MAYFLY_ASSIGN_OR_RETURN(options.*Member, Integer(value, kMin, kMax));
  return absl::OkStatus();
}

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    const size_t first = text.find_first_not_of(' ', start);
    const size_t last = text.find_last_not_of(' ', comma == 0 ? 0 : comma - 1);
    if (first < comma) parts.push_back(text.substr(first, last - first + 1));
    start = comma + 1;
  }
  return parts;
}

absl::Status SetBindIp(Options& options, const std::string& value) {
  options.bind_ip = SplitList(value);
  if (options.bind_ip.empty()) return Error(ErrorCode::kBadValue, "the list of addresses is empty");
  return absl::OkStatus();
}

absl::Status SetBindIpAll(Options& options, const std::string& value) {
  MAYFLY_ASSIGN_OR_RETURN(const bool all, Boolean(value));
  if (all) options.bind_ip = {"0.0.0.0"};
  return absl::OkStatus();
}

absl::Status SetNoUnixSocket(Options& options, const std::string& value) {
  MAYFLY_ASSIGN_OR_RETURN(const bool none, Boolean(value));
  options.unix_socket = !none;
  return absl::OkStatus();
}

absl::Status SetStorage(Options& options, const std::string& value) {
  if (value != "sqlite" && value != "memory")
    return Error(ErrorCode::kBadValue, "storage is 'sqlite' or 'memory'");
  options.storage = value == "memory" ? StorageEngine::kMemory : StorageEngine::kSqlite;
  return absl::OkStatus();
}

absl::Status SetTopology(Options& options, const std::string& value) {
  if (value != "replicaset" && value != "standalone") {
    return Error(ErrorCode::kBadValue, "topology is 'replicaset' or 'standalone'");
  }
  options.topology = value == "standalone" ? Topology::kStandalone : Topology::kReplicaSet;
  return absl::OkStatus();
}

absl::Status SetAdvertise(Options& options, const std::string& value) {
  const size_t colon = value.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return Error(ErrorCode::kBadValue, "give it as HOST:PORT");
  MAYFLY_RETURN_IF_ERROR(Integer(value.substr(colon + 1), 1, 65535).status());
  options.advertise = value;
  return absl::OkStatus();
}

absl::Status SetParameter(Options& options, const std::string& value) {
  const size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0)
    return Error(ErrorCode::kBadValue, "give it as NAME=VALUE");
  const std::string name = value.substr(0, equals);
  if (name == "enableTestCommands")
    return SetBoolean<&Options::enable_test_commands>(options, value.substr(equals + 1));
  options.set_parameters.emplace_back(name, value.substr(equals + 1));
  return absl::OkStatus();
}

// Taken from mongod's habits and without effect here.
absl::Status Ignore(Options&, const std::string&) { return absl::OkStatus(); }

constexpr Row kRows[] = {
    {"--dbpath", "storage.dbPath", Kind::kText, SetText<&Options::db_path>,
     "Folder of the data files (./data)"},
    {"--port", "net.port", Kind::kInteger, SetInteger<&Options::port, 0, 65535>,
     "TCP port (27017); 0 picks a free one"},
    {"--bind_ip", "net.bindIp", Kind::kText, SetBindIp,
     "Addresses to listen on, separated by commas (127.0.0.1)"},
    {"--bind_ip_all", "net.bindIpAll", Kind::kSwitch, SetBindIpAll, "Listen on all addresses"},
    {"--ipv6", "net.ipv6", Kind::kSwitch, SetBoolean<&Options::ipv6>,
     "Let host names in --bind_ip give IPv6 addresses"},
    {"--maxConns", "net.maxIncomingConnections", Kind::kInteger,
     SetInteger<&Options::max_connections, 1, 1'000'000>, "Connections at most"},
    {"--nounixsocket", "", Kind::kSwitch, SetNoUnixSocket, "Do not listen on a Unix socket"},
    {"--unixSocketPrefix", "net.unixDomainSocket.pathPrefix", Kind::kText,
     SetText<&Options::unix_socket_prefix>, "Folder of the Unix socket (/tmp)"},
    {"--unixSocketEnabled", "net.unixDomainSocket.enabled", Kind::kText,
     SetBoolean<&Options::unix_socket>, "Listen on a Unix socket (true)"},
    {"--networkSpinMicros", "net.spinMicros", Kind::kInteger,
     SetInteger<&Options::network_spin_us, 0, 10'000>,
     "How long the network thread polls before it sleeps (30); 0 switches it off"},
    {"--replSet", "replication.replSetName", Kind::kText, SetText<&Options::repl_set>,
     "Name of the set (globaldb)"},
    {"--topology", "replication.topology", Kind::kText, SetTopology,
     "What clients are told: replicaset or standalone"},
    {"--advertise", "net.advertise", Kind::kText, SetAdvertise,
     "HOST:PORT that clients are told; by default the address by which they came"},
    {"--storage,--storageEngine", "storage.engine", Kind::kText, SetStorage, "sqlite or memory"},
    {"--enableTestCommands", "", Kind::kSwitch, SetBoolean<&Options::enable_test_commands>,
     "Offer the commands that tests need, such as moving the clock"},
    {"--logpath", "systemLog.path", Kind::kText, SetText<&Options::log_path>, "Log to this file"},
    {"--logappend", "systemLog.logAppend", Kind::kSwitch, SetBoolean<&Options::log_append>,
     "Append to the log file instead of starting anew"},
    {"--ttlLog", "ttl.log", Kind::kText, SetText<&Options::ttl_log>,
     "Write one line of JSON to this file for each document that expiry removes"},
    {"--logDestination", "systemLog.destination", Kind::kText, Ignore,
     "Accepted for mongod's files; --logpath decides"},
    {"--quiet", "systemLog.quiet", Kind::kSwitch, SetBoolean<&Options::quiet>,
     "Log warnings and errors only"},
    {"--verbosity", "systemLog.verbosity", Kind::kInteger, SetInteger<&Options::verbosity, 0, 5>,
     "0 to 5; from 1 on every connection is logged"},
    {"--setParameter", "setParameter", Kind::kText, SetParameter, "NAME=VALUE, may be repeated"},
};

// "storage.dbPath": "x", "storage.engine": "y" become { storage: { dbPath: "x", engine: "y" } }.
// `values` is sorted, so that names with the same prefix stand together.
using ParsedValues = std::map<std::string, std::pair<Kind, std::string>>;

void AppendParsed(bson::Builder& out, ParsedValues::const_iterator begin,
                  ParsedValues::const_iterator end, size_t prefix) {
  for (auto at = begin; at != end;) {
    const size_t dot = at->first.find('.', prefix);
    if (dot == std::string::npos) {
      const std::string_view key = std::string_view(at->first).substr(prefix);
      const auto& [kind, value] = at->second;
      if (kind == Kind::kInteger) {
        out.Int32(key, static_cast<int32_t>(std::atoi(value.c_str())));
      } else if (kind == Kind::kSwitch) {
        out.Bool(key, value == "true" || value == "1");
      } else {
        out.String(key, value);
      }
      ++at;
      continue;
    }
    const std::string group = at->first.substr(0, dot + 1);
    auto group_end = at;
    while (group_end != end && group_end->first.starts_with(group)) ++group_end;
    out.OpenDocument(std::string_view(group).substr(prefix, dot - prefix));
    AppendParsed(out, at, group_end, dot + 1);
    out.Close();
    at = group_end;
  }
}

std::string FirstFlag(const Row& row) {
  const std::string flags = row.flags;
  return flags.substr(0, flags.find(','));
}

absl::Status Apply(const Row& row, const std::string& value, Options* options,
                   ParsedValues* parsed) {
  const absl::Status status = row.set(*options, value);
  if (!status.ok()) return base::WithPrefix(status, StrCat(FirstFlag(row), ": "));
  if (row.set == SetParameter) {
    const size_t equals = value.find('=');
    (*parsed)[StrCat("setParameter.", value.substr(0, equals))] = {Kind::kText,
                                                                   value.substr(equals + 1)};
  } else if (row.config[0] != '\0') {
    (*parsed)[row.config] = {row.kind, value};
  }
  return absl::OkStatus();
}

absl::Status ApplyConfigFile(const std::string& path, Options* options, ParsedValues* parsed) {
  MAYFLY_ASSIGN_OR_RETURN(const auto entries, ReadConfigFile(path));
  for (const ConfigEntry& entry : entries) {
    if (entry.name.starts_with("setParameter.")) {
      const std::string assignment =
          StrCat(entry.name.substr(std::string_view("setParameter.").size()), "=", entry.value);
      MAYFLY_RETURN_IF_ERROR(SetParameter(*options, assignment));
      (*parsed)[entry.name] = {Kind::kText, entry.value};
      continue;
    }
    const Row* found = nullptr;
    for (const Row& row : kRows) {
      if (entry.name == row.config) found = &row;
    }
    if (found == nullptr) {
      return Error(ErrorCode::kBadValue,
                   StrCat("unrecognized option '", entry.name, "' in ", path));
    }
    MAYFLY_RETURN_IF_ERROR(Apply(*found, entry.value, options, parsed));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<OptionDescription> DescribeOptions() {
  std::vector<OptionDescription> all;
  for (const Row& row : kRows) all.push_back({row.flags, row.config, row.help, row.set == Ignore});
  return all;
}

absl::StatusOr<CommandLine> ParseCommandLine(int argc, const char* const* argv) {
  CLI::App app("Mayfly, a MongoDB-compatible document server on SQLite");
  app.name("mayfly");
  app.set_version_flag("--version", kVersion);
  std::string config_path;
  app.add_option("-f,--config", config_path, "Read options from this YAML file (mongod's names)");
  std::vector<std::vector<std::string>> values(std::size(kRows));
  for (size_t i = 0; i < std::size(kRows); ++i) {
    const Row& row = kRows[i];
    if (row.kind == Kind::kSwitch) {
      app.add_flag_function(
          row.flags, [&values, i](int64_t) { values[i] = {"true"}; }, row.help);
    } else {
      app.add_option(row.flags, values[i], row.help)
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  CommandLine result;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    result.text = app.help();
    return result;
  } catch (const CLI::CallForVersion&) {
    result.text = StrCat("mayfly version v", kVersion, "\n");
    return result;
  } catch (const CLI::ParseError& error) {
    return Error(ErrorCode::kFailedToParse,
                 StrCat(error.what(), "\nRun with --help for the options."));
  }
  ParsedValues parsed;
  if (!config_path.empty())
    MAYFLY_RETURN_IF_ERROR(ApplyConfigFile(config_path, &result.options, &parsed));
  for (size_t i = 0; i < std::size(kRows); ++i) {
    for (const std::string& value : values[i]) {
      MAYFLY_RETURN_IF_ERROR(Apply(kRows[i], value, &result.options, &parsed));
    }
  }
  result.options.argv.assign(argv, argv + argc);
  bson::Builder document;
  AppendParsed(document, parsed.begin(), parsed.end(), 0);
  result.options.parsed = document.Finish().TakeBytes();
  return result;
}

}  // namespace mayfly::server
