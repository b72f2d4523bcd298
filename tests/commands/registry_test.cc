#include "commands/registry.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace mayfly::commands {
namespace {

TEST(RegistryTest, NoNameIsThereTwice) {
  const Registry registry;
  std::set<std::string> names;
  for (const CommandRow* row : registry.rows()) {
    EXPECT_TRUE(names.emplace(row->name).second) << row->name;
    if (!row->alias.empty()) {
      EXPECT_TRUE(names.emplace(row->alias).second) << row->alias;
    }
  }
}

TEST(RegistryTest, EveryRowHasHelpAndAHandler) {
  const Registry registry;
  for (const CommandRow* row : registry.rows()) {
    EXPECT_FALSE(row->help.empty()) << row->name;
    EXPECT_NE(row->run, nullptr) << row->name;
  }
}

TEST(RegistryTest, WhatIsRefusedSaysHow) {
  const Registry registry;
  for (const CommandRow* row : registry.rows()) {
    EXPECT_EQ((row->flags & kUnsupported) != 0, row->refusal != nullptr) << row->name;
  }
}

TEST(RegistryTest, EveryArgumentHasHelpAndIsThereOnce) {
  const Registry registry;
  for (const CommandRow* row : registry.rows()) {
    std::set<std::string> names;
    for (const ArgSpec& argument : row->arguments) {
      EXPECT_FALSE(argument.help.empty()) << row->name << "." << argument.name;
      EXPECT_TRUE(names.emplace(argument.name).second) << row->name << "." << argument.name;
    }
  }
}

TEST(RegistryTest, NamesAreComparedExactly) {
  const Registry registry;
  EXPECT_NE(registry.Find("hello"), nullptr);
  EXPECT_EQ(registry.Find("Hello"), nullptr);
  EXPECT_EQ(registry.Find(""), nullptr);
}

}  // namespace
}  // namespace mayfly::commands
