#include "tools/bench/purge/raw_purge.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <random>
#include <vector>

#include "tools/bench/documents.h"
#include "tools/bench/raw_store.h"

namespace mayfly::bench {
namespace {

// Rows in one transaction.
constexpr int64_t kBatch = 10'000;

absl::Status Fill(RawStore& store, int64_t documents, int indexes) {
  std::mt19937_64 random(7);
  for (int64_t first = 0; first < documents; first += kBatch) {
    MAYFLY_RETURN_IF_ERROR(store.Begin());
    for (int64_t id = first; id < std::min(first + kBatch, documents); ++id) {
      const Document document = ItemDocument(random, id);
      std::vector<int64_t> keys = {id / 1000};  // the due moment: many share one
      for (int i = 0; i < indexes; ++i) keys.push_back(static_cast<int64_t>(random() >> 1));
      MAYFLY_RETURN_IF_ERROR(
          store.Insert(id, keys, bson_get_data(document.get()), document.get()->len));
    }
    MAYFLY_RETURN_IF_ERROR(store.Commit());
  }
  return absl::OkStatus();
}

absl::Status DeleteRange(RawStore& store, const std::string& table, const std::string& column,
                         int64_t from, int64_t to) {
  MAYFLY_RETURN_IF_ERROR(store.Begin());
  MAYFLY_RETURN_IF_ERROR(store.Run("DELETE FROM " + table + " WHERE " + column +
                                   " >= " + std::to_string(from) + " AND " + column + " < " +
                                   std::to_string(to)));
  return store.Commit();
}

absl::Status Delete(RawStore& store, int64_t documents, int indexes) {
  for (int64_t first = 0; first < documents; first += kBatch) {
    MAYFLY_RETURN_IF_ERROR(DeleteRange(store, "d", "id", first, first + kBatch + 1));
  }
  for (int64_t first = 0; first < documents; first += kBatch) {
    MAYFLY_RETURN_IF_ERROR(DeleteRange(store, "k", "k", first, first + kBatch));
  }
  for (int64_t first = 0; first < documents; first += kBatch) {
    MAYFLY_RETURN_IF_ERROR(
        DeleteRange(store, "s0", "k", first / 1000, (first + kBatch) / 1000 + 1));
  }
  // Keys are spread evenly over the positive numbers.
  const int64_t runs = std::max<int64_t>(1, documents / kBatch);
  const int64_t step = std::numeric_limits<int64_t>::max() / runs;
  for (int i = 1; i <= indexes; ++i) {
    for (int64_t run = 0; run < runs; ++run) {
      const int64_t end = run + 1 == runs ? std::numeric_limits<int64_t>::max() : (run + 1) * step;
      MAYFLY_RETURN_IF_ERROR(DeleteRange(store, "s" + std::to_string(i), "k", run * step, end));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RawPurge> MeasureRawPurge(const std::string& folder, int64_t documents,
                                         int indexes) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  RawPurge result{.documents = documents};
  {
    MAYFLY_ASSIGN_OR_RETURN(const auto store, RawStore::Open(folder, "NORMAL"));
    MAYFLY_RETURN_IF_ERROR(Fill(*store, documents, indexes));
    const auto start = std::chrono::steady_clock::now();
    MAYFLY_RETURN_IF_ERROR(Delete(*store, documents, indexes));
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::filesystem::remove_all(folder);
  return result;
}

}  // namespace mayfly::bench
