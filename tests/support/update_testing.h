// Helpers of the update tests: documents and updates as extended JSON, results as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bson/json.h"
#include "engine/query/filter.h"
#include "engine/update/update.h"

namespace mayfly::engine {

// One update statement of a test.
struct UpdateCase {
  std::string_view update;  // extended JSON of an object, or of {"u": [...]} for pipelines
  std::vector<std::string> filters = {};  // arrayFilters
  std::optional<uint32_t> matched_index = std::nullopt;
  bool multi = false;
  bool keep_empty_timestamps = false;
  bool show_types = false;  // results as canonical extended JSON
};

inline constexpr int64_t kTestNowMs = 1'700'000'000'123;

// Extended JSON of the result as bson/json.h prints it, "unchanged", or "error <code>".
std::string Applied(const UpdateCase& test, std::string_view document);
// The same for what an upsert with `filter` inserts. A generated `_id` is 0123...ef repeated.
std::string Upserted(const UpdateCase& test, std::string_view filter);

// The same document as Applied() would print it; other texts unchanged.
std::string Printed(std::string_view expected, bool show_types = false);

// A row of a table: `update` applied to `document` gives `expected`.
struct AppliedRow {
  std::string_view update;
  std::string_view document;
  std::string_view expected;
};
void ExpectApplied(const std::vector<AppliedRow>& rows, bool show_types = false);

}  // namespace mayfly::engine
