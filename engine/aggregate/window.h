// Windows over sorted documents: what $setWindowFields computes for every document of a partition.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/aggregate/accumulator.h"
#include "engine/expression/date_time.h"
#include "engine/expression/expression.h"
#include "engine/expression/sort_pattern.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

// Which documents around the current one belong to the window.
struct WindowBounds {
  // Nullopt: unbounded. By position: documents before (negative) or after. By range: added to the
  // sort value.
  enum class Kind : uint8_t { kDocuments, kRange } kind = Kind::kDocuments;
  std::optional<int64_t> low, high;                  // kDocuments
  std::optional<bson::Value> range_low, range_high;  // kRange
  std::optional<DateUnit> unit;                      // kRange over dates
};

// One partition while it is computed.
struct Partition {
  absl::Span<const Row> rows;
  const SortPattern* sort = nullptr;  // null if there is none
  Frame* frame = nullptr;             // its root is set by At()

  // Points the frame to a document.
  Frame& At(size_t i) const {
    frame->root = rows[i].doc();
    frame->row = &rows[i];
    return *frame;
  }
  const bson::StringComparator* strings() const { return frame->context().strings; }
};

// The value of the partition's one sort field in document `i`.
absl::StatusOr<bson::Value> SortValue(const Partition& partition, size_t i);

// The documents [begin, end) of the window around document `i`.
struct WindowRange {
  size_t begin;
  size_t end;
};
absl::StatusOr<WindowRange> FindWindow(const Partition& partition, const WindowBounds& bounds,
                                       size_t i);

// A parsed window function. Immutable.
class WindowFunction {
 public:
  virtual ~WindowFunction() = default;
  // One value for each document of the partition.
  virtual absl::StatusOr<std::vector<bson::Value>> Compute(const Partition& partition) const = 0;
  virtual void AddDependencies(Dependencies* out) const = 0;
};
using WindowFunctionPtr = std::unique_ptr<const WindowFunction>;

struct WindowContext {
  const ParseContext& expressions;
  const SortPattern* sort;             // null if the stage has none
  std::optional<WindowBounds> bounds;  // nullopt if `window` was not given
};

struct WindowRow;
using WindowParser = absl::StatusOr<WindowFunctionPtr> (*)(bson::ValueView operand,
                                                           const WindowRow& row,
                                                           const WindowContext& context);
// One function of windows; accumulators serve for all other names.
struct WindowRow {
  std::string_view name;
  WindowParser parse;
  std::string_view help;
  bool stands_alone = false;  // nothing may stand beside it: 5371601
};
absl::Span<const WindowRow> MomentFunctions();
absl::Span<const WindowRow> RankFunctions();
absl::Span<const WindowRow> SeriesFunctions();
const WindowRow* FindWindowFunction(std::string_view name);

// An accumulator over windows.
WindowFunctionPtr MakeAccumulatorFunction(AccumulatorSpecPtr spec, const WindowBounds& bounds);

// {documents: [...]} or {range: [...], unit: ...}. Error: 9 FailedToParse, 5339902 and others for
// ranges without a sort.
absl::StatusOr<WindowBounds> ParseWindowBounds(bson::ValueView window, const ParseContext& context,
                                               const SortPattern* sort);

}  // namespace mayfly::engine
