// Options of collections as `create` takes them and listCollections shows them.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "engine/catalog/catalog.h"
#include "engine/query/encrypted_filter.h"
#include "engine/query/filter.h"
#include "engine/query/filter_nodes.h"
#include "engine/query/type_set.h"

namespace mayfly::engine {
namespace {

bool IsTrue(bson::ValueView value) {
  return value.IsBool() ? value.AsBool() : value.IsNumber() && bson::IsNonZero(value);
}

std::string_view Text(bson::View stored, std::string_view name) {
  const bson::ValueView value = stored.Find(name);
  return value.IsString() ? value.AsString() : std::string_view();
}

// The type that values at a path with `bsonType` have before encryption; nullopt: any.
absl::StatusOr<std::optional<bson::Type>> OriginalType(bson::ValueView alias) {
  std::optional<bson::Type> type;
  if (!alias.IsString()) return type;
  TypeSet types;
  MAYFLY_RETURN_IF_ERROR(types.AddAlias(alias.AsString()));
  types.ForEach([&](bson::Type one) { type = one; });
  return type;
}

absl::Status AddEncryptedFields(bson::View stored, std::vector<FilterPtr>* conditions) {
  const bson::ValueView fields = stored.Find("fields");
  if (!fields.IsArray()) return absl::OkStatus();
  for (const bson::Element& element : fields.AsDocument()) {
    if (!element.value.IsDocument()) continue;
    const bson::View field = element.value.AsDocument();
    MAYFLY_ASSIGN_OR_RETURN(const auto original, OriginalType(field.Find("bsonType")));
    conditions->push_back(MakeEncryptedOrMissing(Text(field, "path"), original));
  }
  return absl::OkStatus();
}

// What documents must fulfil: the validator, and that no encrypted field has a plain value.
absl::Status ReadValidator(bson::View stored, CollectionOptions* options) {
  options->validation_strict = Text(stored, "validationLevel") != "moderate";
  options->validation_off = Text(stored, "validationLevel") == "off";
  options->validation_error = Text(stored, "validationAction") != "warn";
  std::vector<FilterPtr> conditions;
  const bson::ValueView validator = stored.Find("validator");
  if (validator.IsDocument() && !validator.AsDocument().empty()) {
    options->validator_document = bson::Document(validator.AsDocument());
    static const EvaluationContext kForFolding;
    FilterParseContext context;
    context.strings = options->strings.get();
    context.evaluation = &kForFolding;
    context.features.near = false;
    context.features.text_search = false;
    context.features.where = false;
    MAYFLY_ASSIGN_OR_RETURN(FilterPtr parsed, ParseFilter(options->validator_document, context));
    conditions.push_back(std::move(parsed));
  }
  if (const auto encrypted = stored.Find("encryptedFields"); encrypted.IsDocument()) {
    MAYFLY_RETURN_IF_ERROR(AddEncryptedFields(encrypted.AsDocument(), &conditions));
  }
  if (conditions.empty()) return absl::OkStatus();
  options->validator =
      conditions.size() == 1 ? std::move(conditions.front()) : MakeAnd(std::move(conditions));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CollectionOptions> CollectionOptionsFromStored(bson::View stored) {
  CollectionOptions options;
  options.stored = bson::Document(stored);
  options.capped = IsTrue(stored.Find("capped"));
  options.clustered = stored.Find("clusteredIndex").IsDocument();
  if (const auto size = stored.Find("size"); size.IsNumber()) {
    options.capped_size_bytes = bson::ToInt64Truncated(size);
  }
  if (const auto max = stored.Find("max"); max.IsNumber()) {
    options.capped_max_documents = std::max<int64_t>(0, bson::ToInt64Truncated(max));
  }
  options.view_on = std::string(Text(stored, "viewOn"));
  if (const auto pipeline = stored.Find("pipeline"); pipeline.IsArray()) {
    options.pipeline = bson::Document(pipeline.AsDocument());
  }
  if (const auto collation = stored.Find("collation"); collation.IsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(options.strings, ParseCollation(collation.AsDocument()));
  }
  MAYFLY_RETURN_IF_ERROR(ReadValidator(stored, &options));
  return options;
}

}  // namespace mayfly::engine
