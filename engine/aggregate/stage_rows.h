// The rows of all stages, each defined in the file of its stage.
#pragma once

#include "engine/aggregate/stage.h"

namespace mayfly::engine {

extern const StageRow kAddFieldsRow;
extern const StageRow kBucketRow;
extern const StageRow kChangeStreamRow;
extern const StageRow kBucketAutoRow;
extern const StageRow kCollStatsRow;
extern const StageRow kCountRow;
extern const StageRow kCurrentOpRow;
extern const StageRow kDensifyRow;
extern const StageRow kDocumentsRow;
extern const StageRow kFacetRow;
extern const StageRow kFillRow;
extern const StageRow kGeoNearRow;
extern const StageRow kGraphLookupRow;
extern const StageRow kGroupRow;
extern const StageRow kIndexStatsRow;
extern const StageRow kLimitRow;
extern const StageRow kListLocalSessionsRow;
extern const StageRow kShardedDataDistributionRow;
extern const StageRow kListSampledQueriesRow;
extern const StageRow kQueryStatsRow;
extern const StageRow kQuerySettingsRow;
extern const StageRow kListClusterCatalogRow;
extern const StageRow kListSearchIndexesRow;
extern const StageRow kListSessionsRow;
extern const StageRow kLookupRow;
extern const StageRow kMatchRow;
extern const StageRow kMergeRow;
extern const StageRow kOutRow;
extern const StageRow kPlanCacheStatsRow;
extern const StageRow kProjectRow;
extern const StageRow kRedactRow;
extern const StageRow kReplaceRootRow;
extern const StageRow kReplaceWithRow;
extern const StageRow kSampleRow;
extern const StageRow kSearchRow;
extern const StageRow kSearchMetaRow;
extern const StageRow kSetRow;
extern const StageRow kSetWindowFieldsRow;
extern const StageRow kSkipRow;
extern const StageRow kSortRow;
extern const StageRow kSortByCountRow;
extern const StageRow kUnionWithRow;
extern const StageRow kUnsetRow;
extern const StageRow kUnwindRow;
extern const StageRow kChangeStreamSplitRow;
extern const StageRow kListCatalogRow;
extern const StageRow kRankFusionRow;
extern const StageRow kScoreRow;
extern const StageRow kScoreFusionRow;
extern const StageRow kVectorSearchRow;

}  // namespace mayfly::engine
