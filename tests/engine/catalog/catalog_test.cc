#include "engine/catalog/catalog.h"

#include <memory>
#include <string>

#include "base/status.h"
#include "engine/storage/database.h"
#include "gtest/gtest.h"

namespace mayfly::engine {
namespace {

// Each Load is what the next process would see.
class CatalogTest : public testing::Test {
 protected:
  void SetUp() override { database_ = *store_->Get("db", Store::IfMissing::kCreate); }

  absl::Status Run(absl::FunctionRef<absl::Status(Transaction&)> body) {
    return database_->Run({.access = Access::kWrite}, body);
  }
  void Create(Catalog& catalog, std::string_view name, bool temporary) {
    const absl::Status status = Run([&](Transaction& transaction) {
      CollectionOptions options;
      options.temporary = temporary;
      return catalog.Create(transaction, name, std::move(options), Uuid{}).status();
    });
    ASSERT_TRUE(status.ok()) << status;
  }
  std::unique_ptr<Catalog> Load() {
    std::unique_ptr<Catalog> catalog;
    const absl::Status status = Run([&](Transaction& transaction) -> absl::Status {
      MAYFLY_ASSIGN_OR_RETURN(catalog, Catalog::Load(transaction, "db"));
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return catalog;
  }

  std::unique_ptr<Store> store_ = OpenMemoryStore();
  std::shared_ptr<Database> database_;
};

TEST_F(CatalogTest, TemporaryCollectionOfAnEarlierProcess_IsNotFoundAndDropped) {
  const auto first = Load();
  Create(*first, "kept", false);
  Create(*first, "half", true);
  EXPECT_NE(first->Find("half"), nullptr) << "the command that fills it has to find it";
  EXPECT_FALSE(first->has_abandoned());

  const auto second = Load();
  EXPECT_EQ(second->Find("half"), nullptr);
  EXPECT_EQ(second->All().size(), 1u);
  ASSERT_TRUE(second->has_abandoned());
  ASSERT_TRUE(
      Run([&](Transaction& transaction) { return second->DropAbandoned(transaction); }).ok());
  EXPECT_FALSE(second->has_abandoned());
  EXPECT_EQ(second->Find("half"), nullptr);

  const auto third = Load();
  EXPECT_FALSE(third->has_abandoned());
  EXPECT_NE(third->Find("kept"), nullptr);
}

TEST_F(CatalogTest, DropOfTemporaryCollectionThatIsUndone_IsRepeated) {
  Create(*Load(), "half", true);
  const auto catalog = Load();
  EXPECT_FALSE(Run([&](Transaction& transaction) -> absl::Status {
                 MAYFLY_RETURN_IF_ERROR(catalog->DropAbandoned(transaction));
                 return base::Error(base::ErrorCode::kBadValue, "undone");
               }).ok());
  EXPECT_EQ(catalog->Find("half"), nullptr);
  EXPECT_TRUE(catalog->has_abandoned());
  EXPECT_TRUE(Load()->has_abandoned());
  ASSERT_TRUE(
      Run([&](Transaction& transaction) { return catalog->DropAbandoned(transaction); }).ok());
  EXPECT_FALSE(Load()->has_abandoned());
}

TEST_F(CatalogTest, RenamedTemporaryCollection_IsKept) {
  const auto first = Load();
  Create(*first, "half", true);
  ASSERT_TRUE(Run([&](Transaction& transaction) {
                return first->Rename(transaction, *first->Find("half"), "whole");
              }).ok());
  const auto second = Load();
  EXPECT_FALSE(second->has_abandoned());
  EXPECT_NE(second->Find("whole"), nullptr);
}

}  // namespace
}  // namespace mayfly::engine
