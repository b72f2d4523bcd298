// The catalog's rows as bytes: see catalog.h for the layout.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"

namespace mayfly::engine {

inline constexpr char kCollectionRow = 'c';
inline constexpr char kCountersRow = 'n';
inline constexpr char kSweepRow = 's';

std::string CollectionKey(std::string_view name);
std::string CountersKey(SpaceId records);
std::string SweepKey(SpaceId records);

bson::Document MakeCollectionRow(const Collection::State& state);
absl::StatusOr<Collection::State> ReadCollectionRow(std::string_view name, bson::View row);

bson::Document MakeCountersRow(const CollectionCounters& counters);
CollectionCounters ReadCountersRow(bson::View row);

bson::Document MakeSweepRow(const SweepState& sweep);
SweepState ReadSweepRow(bson::View row);

// The in-memory form of `spec` with its filter and collation parsed; space and multikey fields are
// left empty.
absl::StatusOr<std::shared_ptr<Index>> MakeIndex(const IndexSpec& spec);

}  // namespace mayfly::engine
