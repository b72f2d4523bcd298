// Why a document failed a validator, for errInfo.details of error 121.
#pragma once

#include "bson/builder.h"
#include "bson/view.h"
#include "engine/expression/context.h"

namespace mayfly::engine {

// Appends to the open document of `out` the operators of `validator` that `document` does not
// fulfil, down to single comparisons and rules of a JSON schema. For documents that fail it.
void AppendValidationDetails(bson::View validator, bson::View document,
                             const EvaluationContext& context, bson::Builder* out);

}  // namespace mayfly::engine
