// The list of all stages, and the look-up by name.
#include "absl/container/flat_hash_map.h"
#include "base/strings.h"
#include "engine/aggregate/stage.h"
#include "engine/aggregate/stage_rows.h"

namespace mayfly::engine {
namespace {

using NameMap = absl::flat_hash_map<absl::string_view, const StageRow*>;

NameMap MakeNameMap() {
  NameMap map;
  for (const StageRow* row : StageRows()) map.emplace(base::ToAbsl(row->name), row);
  return map;
}

}  // namespace

absl::Span<const StageRow* const> StageRows() {
  static const auto* const rows = new std::vector<const StageRow*>{
      &kAddFieldsRow,
      &kBucketRow,
      &kChangeStreamRow,
      &kBucketAutoRow,
      &kCollStatsRow,
      &kCountRow,
      &kCurrentOpRow,
      &kDensifyRow,
      &kDocumentsRow,
      &kFacetRow,
      &kFillRow,
      &kGeoNearRow,
      &kGraphLookupRow,
      &kGroupRow,
      &kIndexStatsRow,
      &kLimitRow,
      &kListLocalSessionsRow,
      &kShardedDataDistributionRow,
      &kListSampledQueriesRow,
      &kQueryStatsRow,
      &kQuerySettingsRow,
      &kListClusterCatalogRow,
      &kListSearchIndexesRow,
      &kListSessionsRow,
      &kLookupRow,
      &kMatchRow,
      &kMergeRow,
      &kOutRow,
      &kPlanCacheStatsRow,
      &kProjectRow,
      &kRedactRow,
      &kReplaceRootRow,
      &kReplaceWithRow,
      &kSampleRow,
      &kSearchRow,
      &kSearchMetaRow,
      &kSetRow,
      &kSetWindowFieldsRow,
      &kSkipRow,
      &kSortRow,
      &kSortByCountRow,
      &kUnionWithRow,
      &kUnsetRow,
      &kUnwindRow,
      &kChangeStreamSplitRow,
      &kListCatalogRow,
      &kRankFusionRow,
      &kScoreRow,
      &kScoreFusionRow,
      &kVectorSearchRow,
  };
  return *rows;
}

const StageRow* FindStage(std::string_view name) {
  static const NameMap* const map = new NameMap(MakeNameMap());
  auto found = map->find(base::ToAbsl(name));
  return found == map->end() ? nullptr : found->second;
}

}  // namespace mayfly::engine
