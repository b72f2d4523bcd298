// Sorting of a stream, in memory as far as it fits, also for plans without an index that gives the
// order.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/aggregate/spill.h"
#include "engine/aggregate/stage.h"
#include "engine/expression/sort_pattern.h"

namespace mayfly::engine {

// The rows of `source` ordered by `pattern`, equal ones in order of arrival; with `limit` only the
// first so many. Rows get their sort key as metadata. `pattern` and `runtime` must outlive the
// stream.
class SortStream final : public StageStream {
 public:
  SortStream(std::unique_ptr<Stream> source, const SortPattern& pattern,
             std::optional<int64_t> limit, const Runtime& runtime);
  absl::StatusOr<bool> Next(Row* row) override;

 private:
  using Item = SpilledRow;
  // Items in order, in a file; `head` is the next one.
  struct Run {
    std::unique_ptr<SpillFile> file;
    Item head;
  };

  bool Before(const Item& a, const Item& b) const;
  // True if the limit is reached and the row is behind all that are kept. Looks at it without a
  // copy.
  absl::StatusOr<bool> IsBeyondLimit(const Row& row);
  absl::StatusOr<std::vector<bson::Value>> MakeKey(const Row& row);
  absl::Status Add(Row&& row);
  absl::Status Fill();
  // Puts the items into a file as one more run.
  absl::Status Spill();
  absl::Status StartMerge();
  absl::StatusOr<bool> NextMerged(Row* row);
  static void Give(Item&& item, Row* row);

  const SortPattern& pattern_;
  const std::optional<int64_t> limit_;
  const bool is_plain_;  // fields only, no metadata
  const Runtime& runtime_;
  std::vector<bson::ValueView> views_;
  std::vector<Item>
      items_;              // a heap with the last one in front while a limit is filled, then sorted
  std::vector<Run> runs_;  // while they are merged: a heap with the first one in front
  int64_t sequence_ = 0;
  int64_t given_ = 0;
  int64_t bytes_ = 0;
  bool filled_ = false;
  size_t next_ = 0;
};

// Tells every $sort that is followed by $limit, or by $skip and $limit, how many documents are
// wanted.
void LimitSorts(std::vector<StagePtr>* stages);

}  // namespace mayfly::engine
