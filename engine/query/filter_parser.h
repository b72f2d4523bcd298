// How operators of the filter language are parsed: the rows they are declared in and the parser
// they call back.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/support.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

class FilterParser;

// Where a filter document stands.
enum class FilterLevel : uint8_t {
  kTop,       // the filter itself, and what is below its $and, $or, $nor
  kEmbedded,  // inside $elemMatch
};

// One use of an operator: {path: {$op: operand, sibling: ...}}, or {$op: operand} with an empty
// path.
struct FilterOperator {
  const FilterParser& parser;
  std::string_view path;
  std::string_view name;
  bson::ValueView operand;
  bson::View siblings;  // the document the operator is in
  FilterLevel level;
  int depth;
};

// Appends the nodes the operator stands for; those of one document are joined by $and.
using ParseFilterOperator = absl::Status (*)(const FilterOperator& op, std::vector<FilterPtr>* out);

// One operator. `field` parses it below a path, `document` in the place of a field; null where it
// is unknown.
struct FilterRow {
  std::string_view name;
  ParseFilterOperator field;
  ParseFilterOperator document;
  std::string_view help;
  base::Support support = base::Support::kFull;
};

struct FilterFamily {
  std::string_view name;
  absl::Span<const FilterRow> rows;
};

class FilterParser {
 public:
  // `context` must outlive the parser.
  explicit FilterParser(const FilterParseContext& context) : context_(context) {}

  const FilterParseContext& context() const { return context_; }

  // A whole filter document, joined by $and.
  absl::StatusOr<FilterPtr> ParseDocument(bson::View filter, FilterLevel level, int depth) const;
  // {$gt: 1, $lt: 5} below `path`.
  absl::Status ParseOperators(std::string_view path, bson::View operators, FilterLevel level,
                              int depth, std::vector<FilterPtr>* out) const;

 private:
  absl::Status ParseField(const bson::Element& field, FilterLevel level, int depth,
                          std::vector<FilterPtr>* out) const;

  const FilterParseContext& context_;
};

// True for a document whose first field is an operator, so {a: value} is not an equality.
// References
// ({$ref: ..., $id: ...}) are values.
bool IsOperatorDocument(bson::ValueView value);
// True if that operator is one that may stand below a path ("$gt").
bool HasPathOperator(bson::ValueView value);
// The row of an operator that may stand in the place of a field ("$and"), or null.
const FilterRow* FindDocumentOperator(std::string_view name);

}  // namespace mayfly::engine
