#include "commands/parameters.h"

#include <set>
#include <string>

#include "base/status.h"
#include "bson/json.h"
#include "gtest/gtest.h"
#include "tests/support/shell_notation.h"

namespace mayfly::commands {
namespace {

using bson::Value;

absl::StatusOr<std::vector<Value>> Set(ParameterStore& store, std::string_view text) {
  const bson::Document document = *test::ParseShell(text);
  std::vector<ParameterStore::Change> changes;
  for (const bson::Element& e : document.view()) changes.push_back({e.key, e.value});
  return store.Set(changes);
}

int SetCode(ParameterStore& store, std::string_view text) {
  return static_cast<int>(base::CodeOf(Set(store, text).status()));
}

TEST(ParameterRowsTest, AreInOrderWithHelpAndNoneTwice) {
  std::string before;
  for (const ParameterRow& row : ParameterRows()) {
    EXPECT_LT(before, row.name);
    EXPECT_FALSE(row.help.empty()) << row.name;
    before = row.name;
  }
}

TEST(ParameterStoreTest, StartsWithDefaults) {
  ParameterStore store;
  EXPECT_EQ(store.GetInteger("cursorTimeoutMillis"), 600000);
  EXPECT_TRUE(store.GetBool("ttlMonitorEnabled"));
  EXPECT_EQ(bson::ToShellText(store.Get("featureCompatibilityVersion").view()),
            "{ version: \"8.2\" }");
  EXPECT_TRUE(store.Get("noSuchParameter").IsMissing());
}

TEST(ParameterStoreTest, SetsAllOrNone) {
  ParameterStore store;
  const auto before = Set(store, "{logLevel: 2, quiet: true}");
  ASSERT_TRUE(before.ok());
  EXPECT_EQ((*before)[0].view().AsInt32(), 0);
  EXPECT_EQ(SetCode(store, "{logLevel: 3, unknown: 1}"), 72);
  EXPECT_EQ(store.GetInteger("logLevel"), 2);
}

TEST(ParameterStoreTest, RefusesWhatDoesNotFit) {
  ParameterStore store;
  EXPECT_EQ(SetCode(store, "{logLevel: -1}"), 2);
  EXPECT_EQ(SetCode(store, "{logLevel: {$numberLong: '2147483648'}}"), 2);
  EXPECT_EQ(SetCode(store, "{logLevel: '1'}"), 2);
  EXPECT_EQ(SetCode(store, "{logLevel: NaN}"), 2);
  EXPECT_EQ(SetCode(store, "{automationServiceDescriptor: 1}"), 14);
  EXPECT_EQ(SetCode(store, "{automationServiceDescriptor: '" + std::string(65, 'x') + "'}"), 15);
  EXPECT_EQ(SetCode(store, "{featureCompatibilityVersion: '8.0'}"), 20);
  EXPECT_EQ(SetCode(store, "{authSchemaVersion: 3}"), 72);
}

TEST(ParameterStoreTest, TakesOtherTypesAsMongoDbDoes) {
  ParameterStore store;
  EXPECT_EQ(SetCode(store, "{logLevel: 1.5, quiet: 'true'}"), 0);
  EXPECT_EQ(store.GetInteger("logLevel"), 1);
  EXPECT_TRUE(store.GetBool("quiet"));
  EXPECT_EQ(SetCode(store, "{logLevel: true, quiet: 0.0}"), 0);
  EXPECT_FALSE(store.GetBool("quiet"));
}

TEST(ParameterStoreTest, LogLevelIsTheRootOfTheComponents) {
  ParameterStore store;
  EXPECT_EQ(SetCode(store,
                    "{logLevel: 3, logComponentVerbosity: {command: 2, network: {asio: "
                    "{verbosity: 1}}}}"),
            0);
  const Value tree = store.Get("logComponentVerbosity");
  EXPECT_EQ(tree.view().AsDocument().Find("verbosity").AsInt32(), 3);
  const bson::View network = tree.view().AsDocument().Find("network").AsDocument();
  EXPECT_EQ(network.Find("verbosity").AsInt32(), -1);
  EXPECT_EQ(network.Find("asio").AsDocument().Find("verbosity").AsInt32(), 1);
  EXPECT_EQ(SetCode(store, "{logComponentVerbosity: {verbosity: 1}}"), 0);
  EXPECT_EQ(store.GetInteger("logLevel"), 1);
  EXPECT_EQ(SetCode(store, "{logComponentVerbosity: {noSuch: {verbosity: 1}}}"), 2);
  EXPECT_EQ(SetCode(store, "{logComponentVerbosity: {command: {verbosity: 'abc'}}}"), 2);
  EXPECT_EQ(SetCode(store, "{logComponentVerbosity: 'abc'}"), 14);
}

TEST(ParameterStoreTest, CallsHooksWithTheNewValue) {
  ParameterStore store;
  std::vector<int> seen;
  store.OnChange("logLevel", [&](const Value& v) { seen.push_back(v.view().AsInt32()); });
  EXPECT_EQ(SetCode(store, "{logLevel: 4}"), 0);
  EXPECT_EQ(SetCode(store, "{logComponentVerbosity: {verbosity: 5}}"), 0);
  EXPECT_EQ(SetCode(store, "{logLevel: 'x'}"), 2);
  EXPECT_EQ(seen, (std::vector<int>{4, 5}));
}

TEST(ParameterStoreTest, ReadsTextAtStartup) {
  ParameterStore store;
  EXPECT_TRUE(store.SetAtStartup("cursorTimeoutMillis", "5000").ok());
  EXPECT_EQ(store.GetInteger("cursorTimeoutMillis"), 5000);
  EXPECT_TRUE(store.SetAtStartup("ttlMonitorEnabled", "false").ok());
  EXPECT_FALSE(store.GetBool("ttlMonitorEnabled"));
  EXPECT_TRUE(store.SetAtStartup("saslHostName", "box").ok());
  EXPECT_EQ(store.Get("saslHostName").view().AsString(), "box");
  EXPECT_FALSE(store.SetAtStartup("ttlMonitorEnabled", "perhaps").ok());
  EXPECT_FALSE(store.SetAtStartup("cursorTimeoutMillis", "soon").ok());
  EXPECT_FALSE(store.SetAtStartup("noSuchParameter", "1").ok());
  EXPECT_FALSE(store.SetAtStartup("maxSessions", "1").ok());
}

}  // namespace
}  // namespace mayfly::commands
