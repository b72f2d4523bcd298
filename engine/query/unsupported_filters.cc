// Operators that are known but need what this server does not have; each fails as MongoDB does
// without it.
#include "base/status.h"
#include "engine/query/filter_families.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;

// As a server started without a script engine answers.
constexpr int kNoScriptEngine = 6108304;

absl::Status ParseWhere(const FilterOperator& op, std::vector<FilterPtr>*) {
  if (op.level != FilterLevel::kTop) {
    return Error(ErrorCode::kBadValue, "$where can only be applied to the top-level document");
  }
  if (!op.parser.context().features.where) {
    return Error(ErrorCode::kBadValue, "$where is not allowed in this context");
  }
  const bson::Type type = op.operand.type();
  if (type != bson::Type::kString && type != bson::Type::kCode &&
      type != bson::Type::kCodeWithScope) {
    return Error(ErrorCode::kBadValue, "$where got bad type");
  }
  return Error(kNoScriptEngine, "no globalScriptEngine in $where parsing");
}

constexpr FilterRow kRows[] = {
    {"$where", nullptr, ParseWhere, "A JavaScript condition.", base::Support::kRefused},
};

}  // namespace

FilterFamily UnsupportedFilters() { return {"unsupported", kRows}; }

}  // namespace mayfly::engine
