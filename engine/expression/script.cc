// JavaScript: there is none in this server, as in a mongod with --noscripting.
#include "engine/expression/operator.h"

namespace mayfly::engine {
namespace {

absl::StatusOr<ExpressionPtr> ParseScript(bson::ValueView, const OperatorRow&,
                                          const ParseContext&) {
  return base::Error(31264,
                     "Cannot run server-side javascript without the javascript engine enabled");
}

constexpr OperatorRow kRows[] = {
    {.name = "$function",
     .arguments_min = 1,
     .arguments_max = 1,
     .function = nullptr,
     .parse = ParseScript,
     .help = "a JavaScript function",
     .support = base::Support::kRefused},
};

}  // namespace

absl::Span<const OperatorRow> ScriptOperators() { return kRows; }

}  // namespace mayfly::engine
