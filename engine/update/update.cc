#include "engine/update/update.h"

#include <algorithm>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/validate.h"
#include "engine/query/filter.h"
#include "engine/update/update_kinds.h"
#include "engine/update/update_path.h"
#include "engine/update/update_tree.h"
#include "engine/update/update_walk.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

// What a filter's equalities put at one path of the new document.
class SeedValue : public UpdateOperator {
 public:
  explicit SeedValue(bson::ValueView value) : value_(value) {}
  MissingPath OnMissingPath(const UpdateTarget&) const override { return MissingPath::kCreate; }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget&) const override {
    return UpdateChange::Replace(value_);
  }

 private:
  bson::Value value_;
};

absl::Status CheckForReplacement(const UpdatePath& path) {
  if (path.size() == 1) return absl::OkStatus();
  return Error(ErrorCode::kNotExactValueField,
               StrCat("field at '_id' must be exactly specified, field at sub-path '",
                      JoinPath(path), "'found"));
}

// The fields a new document takes from the filter: all equalities, only `_id` for replacements.
// Error: 54 if one path is matched twice.
absl::StatusOr<bson::Document> SeedOf(const FilterNode& filter, bool is_replacement,
                                      const UpdateApplyContext& context) {
  UpdateNode root;
  MAYFLY_ASSIGN_OR_RETURN(const std::vector<FilterEquality> equalities, CollectEqualities(filter));
  for (const FilterEquality& equality : equalities) {
    const UpdatePath path = SplitPath(equality.path);
    if (is_replacement) {
      if (path[0] != "_id") continue;
      MAYFLY_RETURN_IF_ERROR(CheckForReplacement(path));
    }
    if (IsDynamic(path)) continue;
    MAYFLY_RETURN_IF_ERROR(AddToTree(&root, path, std::make_unique<SeedValue>(equality.value)));
  }
  bson::Builder builder;
  const ArrayFilters none;
  const bson::Document nothing;
  MAYFLY_RETURN_IF_ERROR(UpdateWalk(none, context, true).Run(root, nothing, &builder).status());
  return builder.Finish();
}

absl::Status CheckNewId(bson::ValueView id) {
  switch (id.type()) {
    case bson::Type::kArray:
    case bson::Type::kRegex:
    case bson::Type::kUndefined:
      return Error(ErrorCode::kInvalidIdField,
                   StrCat("The '_id' value cannot be of type ", bson::TypeName(id.type())));
    default:
      break;
  }
  if (!id.IsDocument()) return absl::OkStatus();
  for (const bson::Element& element : id.AsDocument()) {
    if (element.key.empty() || element.key[0] != '$') continue;
    return Error(ErrorCode::kDollarPrefixedFieldName,
                 StrCat("_id fields may not contain '$'-prefixed fields: ", element.key,
                        " is not valid for storage."));
  }
  return absl::OkStatus();
}

bson::Document WithIdFirst(bson::View doc, bson::ValueView id) {
  bson::Builder builder;
  builder.Append("_id", id);
  for (const bson::Element& element : doc) {
    if (element.key != "_id") builder.Append(element);
  }
  return builder.Finish();
}

}  // namespace

absl::StatusOr<std::unique_ptr<const Update>> Update::Parse(bson::ValueView u,
                                                            const UpdateParseContext& context) {
  if (u.IsArray()) return ParsePipelineUpdate(u.AsDocument(), context);
  if (!u.IsDocument()) {
    return Error(ErrorCode::kFailedToParse, "Update argument must be either an object or an array");
  }
  if (context.constants) {
    return Error(51198, "Constant values may only be specified for pipeline updates");
  }
  const bson::Element first = u.AsDocument().First();
  if (!first.key.empty() && first.key[0] == '$')
    return ParseOperatorUpdate(u.AsDocument(), context);
  return ParseReplacementUpdate(u.AsDocument(), context);
}

absl::StatusOr<bson::Document> Update::MakeUpsertDocument(
    const FilterNode& filter, const UpdateApplyContext& context,
    const bson::ObjectId& generated_id) const {
  MAYFLY_ASSIGN_OR_RETURN(const bson::Document seed, SeedOf(filter, is_replacement(), context));
  MAYFLY_ASSIGN_OR_RETURN(bson::Document doc, ApplyToSeed(seed, context));
  const bson::ValueView id = doc.Find("_id");
  if (id.IsMissing()) {
    doc = WithIdFirst(doc, bson::Value::FromObjectId(generated_id));
  } else {
    MAYFLY_RETURN_IF_ERROR(CheckNewId(id));
    if (doc.view().First().key != "_id") doc = WithIdFirst(doc, bson::Value(id));
  }
  if (doc.bytes().size() > static_cast<size_t>(base::kMaxBsonObjectSize)) {
    return Error(17420, StrCat("Document to upsert is larger than ", base::kMaxBsonObjectSize));
  }
  return doc;
}

absl::Status CheckUpdatedSize(const bson::Document& doc) {
  if (doc.bytes().size() <= static_cast<size_t>(base::kMaxBsonObjectSize)) return absl::OkStatus();
  return Error(17419,
               StrCat("Resulting document after update is larger than ", base::kMaxBsonObjectSize));
}

absl::Status CheckStoredDepth(bson::View doc) {
  return bson::ValidateDocument(doc.bytes(), base::kMaxStoredNestingDepth);
}

absl::StatusOr<bson::Document> WithIdOf(bson::View before, bson::View after) {
  const bson::ValueView old_id = before.Find("_id");
  const bson::ValueView new_id = after.Find("_id");
  if (old_id.IsMissing()) return bson::Document(after);
  if (new_id.IsMissing()) return WithIdFirst(after, old_id);
  if (!bson::Equal(old_id, new_id)) {
    return Error(ErrorCode::kImmutableField,
                 StrCat("After applying the update, the (immutable) field '_id' was found to have "
                        "been altered to _id: ",
                        bson::ToShellText(new_id)));
  }
  if (after.First().key == "_id") return bson::Document(after);
  return WithIdFirst(after, new_id);
}

bson::Timestamp TimestampNow(const EvaluationContext& evaluation) {
  if (evaluation.cluster_clock != nullptr) {
    return evaluation.cluster_clock->Tick(evaluation.now_ms);
  }
  if (evaluation.cluster_time != bson::Timestamp{}) return evaluation.cluster_time;
  return {static_cast<uint32_t>(evaluation.now_ms / 1000), 1};
}

}  // namespace mayfly::engine
