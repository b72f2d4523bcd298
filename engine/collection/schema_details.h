// Which rules of a JSON schema a document does not fulfil, for errInfo.details of error 121.
#pragma once

#include "bson/builder.h"
#include "bson/view.h"
#include "engine/expression/context.h"

namespace mayfly::engine {

// Appends `schemaRulesNotSatisfied` to the open document of `out`.
void AppendSchemaDetails(bson::View schema, bson::View document, const EvaluationContext& context,
                         bson::Builder* out);

}  // namespace mayfly::engine
