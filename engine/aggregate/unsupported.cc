// Stages that need what this server does not have: a search engine, change streams inside
// pipelines. They are known, and answer with MongoDB's errors for a server without it.
#include "base/strings.h"
#include "engine/aggregate/stage_rows.h"

namespace mayfly::engine {
namespace {

absl::Status ParseSearch(bson::ValueView, const StageRow&, const PipelineContext&,
                         std::vector<StagePtr>*) {
  return base::Error(31082,
                     "Using $search and $vectorSearch aggregation stages requires additional "
                     "configuration. Please "
                     "connect to Atlas or an AtlasCLI local deployment to enable.");
}

absl::Status ParseChangeStream(bson::ValueView, const StageRow&, const PipelineContext&,
                               std::vector<StagePtr>*) {
  return base::Error(40573, "The $changeStream stage is not supported");
}

// As a server that does not have the stage.
absl::Status ParseUnknown(bson::ValueView, const StageRow& row, const PipelineContext&,
                          std::vector<StagePtr>*) {
  return base::Error(40324, base::StrCat("Unrecognized pipeline stage name: '", row.name, "'"));
}

constexpr StageRow Unknown(std::string_view name, std::string_view help) {
  return {.name = name,
          .parse = ParseUnknown,
          .help = help,
          .in_facet = false,
          .stable_api = false,
          .support = base::Support::kRefused};
}

}  // namespace

const StageRow kChangeStreamRow = {.name = "$changeStream",
                                   .parse = ParseChangeStream,
                                   .help = "changes as they happen",
                                   .position = StagePosition::kFirst,
                                   .support = base::Support::kRefused};
const StageRow kSearchRow = {.name = "$search",
                             .parse = ParseSearch,
                             .help = "full-text search; needs a search engine beside the server",
                             .position = StagePosition::kFirst,
                             .in_facet = false,
                             .stable_api = false,
                             .support = base::Support::kRefused};
const StageRow kSearchMetaRow = {
    .name = "$searchMeta",
    .parse = ParseSearch,
    .help = "metadata of a full-text search; needs a search engine beside the server",
    .position = StagePosition::kFirst,
    .in_facet = false,
    .stable_api = false,
    .support = base::Support::kRefused};
const StageRow kVectorSearchRow = {.name = "$vectorSearch",
                                   .parse = ParseSearch,
                                   .help = "vector search; needs a search engine beside the server",
                                   .position = StagePosition::kFirst,
                                   .in_facet = false,
                                   .stable_api = false,
                                   .support = base::Support::kRefused};
const StageRow kListSearchIndexesRow = {
    .name = "$listSearchIndexes",
    .parse = ParseSearch,
    .help = "lists search indexes; needs a search engine beside the server",
    .position = StagePosition::kFirst,
    .in_facet = false,
    .stable_api = false,
    .support = base::Support::kRefused};

const StageRow kChangeStreamSplitRow =
    Unknown("$changeStreamSplitLargeEvent", "splits changes that are too large for one document");
const StageRow kListCatalogRow =
    Unknown("$listCatalog", "lists collections as storage keeps them; see $listClusterCatalog");
const StageRow kRankFusionRow =
    Unknown("$rankFusion", "joins the results of several searches by their ranks");
const StageRow kScoreRow = Unknown("$score", "gives documents a score");
const StageRow kScoreFusionRow =
    Unknown("$scoreFusion", "joins the results of several searches by their scores");

}  // namespace mayfly::engine
