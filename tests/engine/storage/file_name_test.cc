#include "engine/storage/sqlite/file_name.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mayfly::engine {
namespace {

TEST(FileNameTest, PlainName_IsKept) { EXPECT_EQ(FileNameOf("my-App_2"), "my-App_2.mayfly"); }

TEST(FileNameTest, OtherBytes_AreEncoded) {
  EXPECT_EQ(FileNameOf("a.b c/d"), "a%2Eb%20c%2Fd.mayfly");
  EXPECT_EQ(FileNameOf("\xc3\xa4%"), "%C3%A4%25.mayfly");
}

TEST(FileNameTest, AnyByte_RoundTrips) {
  for (int byte = 1; byte < 256; ++byte) {
    const std::string name = std::string("x") + static_cast<char>(byte);
    EXPECT_EQ(DatabaseOf(FileNameOf(name)), name) << byte;
  }
}

TEST(FileNameTest, LongestName_FitsIntoAFileName) {
  EXPECT_LE(FileNameOf(std::string(63, '\xff')).size() + sizeof("-wal"), 255u);
}

TEST(FileNameTest, OtherFiles_AreNotDatabases) {
  for (const char* file :
       {"", ".mayfly", "a", "a.db", "a.mayfly-wal", "a.mayfly-shm", "a%2e.mayfly", "a%.mayfly",
        "a%2.mayfly", "a%41.mayfly", "a.b.mayfly", "a%zz.mayfly"}) {
    EXPECT_EQ(DatabaseOf(file), std::nullopt) << file;
  }
}

}  // namespace
}  // namespace mayfly::engine
