// The rows of all stages, each defined in the file of its stage.
#pragma once

#include "engine/aggregate/stage.h"

namespace mayfly::engine {

extern const StageRow kAddFieldsRow;
extern const StageRow kCountRow;
extern const StageRow kDocumentsRow;
extern const StageRow kGroupRow;
extern const StageRow kLimitRow;
extern const StageRow kMatchRow;
extern const StageRow kProjectRow;
extern const StageRow kReplaceRootRow;
extern const StageRow kReplaceWithRow;
extern const StageRow kSetRow;
extern const StageRow kSkipRow;
extern const StageRow kSortByCountRow;
extern const StageRow kSortRow;
extern const StageRow kUnsetRow;
extern const StageRow kUnwindRow;

}  // namespace mayfly::engine
