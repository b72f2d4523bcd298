#include "server/options.h"

#include <fstream>
#include <vector>

#include "base/status.h"
#include "bson/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mayfly::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

absl::StatusOr<CommandLine> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "mayfly");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

std::string WriteConfig(const std::string& text) {
  const std::string path = ::testing::TempDir() + "mayfly_options_test.yaml";
  std::ofstream(path) << text;
  return path;
}

TEST(Options, NothingGivenGivesTheDefaults) {
  const auto line = Parse({});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_FALSE(line->text.has_value());
  EXPECT_EQ(line->options.db_path, "./data");
  EXPECT_EQ(line->options.port, 27017);
  EXPECT_THAT(line->options.bind_ip, ElementsAre("127.0.0.1"));
  EXPECT_EQ(line->options.repl_set, "globaldb");
  EXPECT_TRUE(line->options.unix_socket);
  EXPECT_THAT(line->options.argv, ElementsAre("mayfly"));
}

TEST(Options, CommandLineIsRead) {
  const auto line =
      Parse({"--dbpath", "/x", "--port=0", "--bind_ip", "localhost, ::1", "--storage", "memory",
             "--topology", "standalone", "--advertise", "h:1", "--nounixsocket", "--setParameter",
             "ttlMonitorEnabled=false", "--setParameter", "enableTestCommands=1"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->options.db_path, "/x");
  EXPECT_EQ(line->options.port, 0);
  EXPECT_THAT(line->options.bind_ip, ElementsAre("localhost", "::1"));
  EXPECT_EQ(line->options.storage, StorageEngine::kMemory);
  EXPECT_EQ(line->options.topology, Topology::kStandalone);
  EXPECT_EQ(line->options.advertise, "h:1");
  EXPECT_FALSE(line->options.unix_socket);
  EXPECT_TRUE(line->options.enable_test_commands);
  EXPECT_THAT(line->options.set_parameters, ElementsAre(Pair("ttlMonitorEnabled", "false")));
}

TEST(Options, ConfigFileHasMongodsNamesAndTheCommandLineWins) {
  const std::string path = WriteConfig(
      "storage:\n  dbPath: /from/file\nnet:\n  port: 1\n  bindIp: 0.0.0.0\n  unixDomainSocket:\n   "
      " enabled: false\n"
      "setParameter:\n  enableTestCommands: 1\n  a: b\n");
  const auto line = Parse({"--config", path.c_str(), "--port", "2"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->options.db_path, "/from/file");
  EXPECT_EQ(line->options.port, 2);
  EXPECT_THAT(line->options.bind_ip, ElementsAre("0.0.0.0"));
  EXPECT_FALSE(line->options.unix_socket);
  EXPECT_TRUE(line->options.enable_test_commands);
  EXPECT_THAT(line->options.set_parameters, ElementsAre(Pair("a", "b")));
}

TEST(Options, ParsedOptionsAreNestedAsMongodReportsThem) {
  const auto line =
      Parse({"--dbpath", "/x", "--port", "5", "--bind_ip_all", "--setParameter", "a=b"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(
      bson::ToRelaxedJson(bson::View(std::string_view(line->options.parsed))),
      bson::ToRelaxedJson(*bson::ParseJson(
          R"({"net": {"bindIpAll": true, "port": 5}, "setParameter": {"a": "b"}, "storage": {"dbPath": "/x"}})")));
}

TEST(Options, WrongValuesAreRefusedWithTheOptionsName) {
  for (const auto& [arguments, text] :
       std::vector<std::pair<std::vector<const char*>, const char*>>{
           {{"--port", "65536"}, "--port"},
           {{"--port", "1x"}, "--port"},
           {{"--storage", "wiredTiger"}, "--storage"},
           {{"--topology", "ring"}, "--topology"},
           {{"--advertise", "host"}, "--advertise"},
           {{"--bind_ip", ","}, "--bind_ip"},
           {{"--setParameter", "novalue"}, "--setParameter"},
           {{"--noSuchOption"}, "--noSuchOption"},
           {{"stray"}, "stray"}}) {
    const auto line = Parse(arguments);
    ASSERT_FALSE(line.ok()) << text;
    EXPECT_THAT(std::string(base::MessageOf(line.status())), HasSubstr(text));
  }
}

TEST(Options, ConfigFileWithAnUnknownNameIsRefused) {
  const std::string path = WriteConfig("net:\n  prot: 1\n");
  const auto line = Parse({"--config", path.c_str()});
  ASSERT_FALSE(line.ok());
  EXPECT_THAT(std::string(base::MessageOf(line.status())), HasSubstr("net.prot"));
}

TEST(Options, ConfigFileThatIsMissingOrNoYamlIsRefused) {
  EXPECT_FALSE(Parse({"--config", "/no/such/file"}).ok());
  EXPECT_FALSE(Parse({"--config", WriteConfig("a: [").c_str()}).ok());
  EXPECT_FALSE(Parse({"--config", WriteConfig("- a\n- b\n").c_str()}).ok());
}

TEST(Options, HelpAndVersionAreTexts) {
  EXPECT_THAT(Parse({"--help"})->text.value_or(""), HasSubstr("--dbpath"));
  EXPECT_THAT(Parse({"--version"})->text.value_or(""), HasSubstr(kVersion));
}

}  // namespace
}  // namespace mayfly::server
