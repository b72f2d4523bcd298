// $jsonSchema as a filter.
#include "base/status.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"
#include "engine/query/json_schema.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;

class SchemaNode final : public FilterNode {
 public:
  SchemaNode(std::unique_ptr<JsonSchema> schema, bson::ValueView source)
      : FilterNode(FilterKind::kSchema), schema_(std::move(schema)), source_(source) {}

  absl::StatusOr<bool> Matches(bson::View document, MatchContext&) const override {
    return schema_->Matches(
        bson::ValueView(bson::Type::kDocument, document.data(), document.size()));
  }
  absl::StatusOr<bool> MatchesValue(bson::ValueView value, MatchContext&) const override {
    return schema_->Matches(value);
  }
  void Serialize(bson::Builder* out) const override { out->Append("$jsonSchema", source_); }

 private:
  std::unique_ptr<JsonSchema> schema_;
  bson::Value source_;
};

absl::Status ParseSchema(const FilterOperator& op, std::vector<FilterPtr>* out) {
  if (!op.parser.context().features.json_schema) {
    return Error(ErrorCode::kQueryFeatureNotAllowed, "$jsonSchema is not allowed in this context");
  }
  if (!op.operand.IsDocument()) {
    return Error(ErrorCode::kTypeMismatch, "$jsonSchema must be an object");
  }
  MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<JsonSchema> schema,
                          JsonSchema::Parse(op.operand.AsDocument()));
  out->push_back(std::make_unique<SchemaNode>(std::move(schema), op.operand));
  return absl::OkStatus();
}

constexpr FilterRow kRows[] = {
    {"$jsonSchema", nullptr, ParseSchema, "The document is valid under the JSON schema."},
};

}  // namespace

FilterFamily SchemaFilters() { return {"schema", kRows}; }

}  // namespace mayfly::engine
