// What the operator asked for: mongod's option names on the command line and in the YAML file, and
// our few own ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace mayfly::server {

enum class StorageEngine { kSqlite, kMemory };
enum class Topology { kReplicaSet, kStandalone };

struct Options {
  std::string db_path = "./data";
  int port = 27017;  // 0: the system chooses
  std::vector<std::string> bind_ip = {"127.0.0.1"};
  bool ipv6 = false;
  bool unix_socket = true;
  std::string unix_socket_prefix = "/tmp";
  int max_connections = 1'000'000;
  int network_spin_us = 30;  // how long the network thread polls before it sleeps; 0: not at all
  std::string repl_set = "globaldb";
  Topology topology = Topology::kReplicaSet;
  std::string advertise;  // "host:port" told to clients; empty: the address by which they came
  StorageEngine storage = StorageEngine::kSqlite;
  bool enable_test_commands = false;
  std::string log_path;  // empty: standard output
  bool log_append = false;
  std::string ttl_log;  // file for one line for each removed document; empty: none
  bool quiet = false;
  int verbosity = 0;
  std::vector<std::pair<std::string, std::string>> set_parameters;  // as given

  std::vector<std::string> argv;  // as started
  std::string parsed;  // for getCmdLineOpts: bytes of a document with mongod's YAML names
};

// What a command line comes to: options to start with, or a text to print and end with.
struct CommandLine {
  Options options;
  std::optional<std::string> text;  // of --help or --version
};

// Reads the command line and the file named by --config; the command line wins. Error: 2 BadValue
// or 9 FailedToParse, with a text for the operator.
absl::StatusOr<CommandLine> ParseCommandLine(int argc, const char* const* argv);

// One option, for the reference.
struct OptionDescription {
  std::string_view flags;   // "--storage,--storageEngine"
  std::string_view config;  // its name in the YAML file; empty: command line only
  std::string_view help;
  bool ignored;  // accepted from mongod's files, without effect
};
std::vector<OptionDescription> DescribeOptions();

// The version of this program.
extern const char* const kVersion;

}  // namespace mayfly::server
