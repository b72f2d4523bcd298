#include "engine/collection/new_document.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

bool IsEmptyTimestamp(const bson::Element& element) {
  return element.value.type() == bson::Type::kTimestamp &&
         element.value.AsTimestamp() == bson::Timestamp();
}

// Levels of nesting, counted only as far as `limit`.
bool NestedDeeper(bson::View document, int limit) {
  if (limit == 0) return true;
  for (const bson::Element& element : document) {
    if (element.value.IsContainer() && NestedDeeper(element.value.AsDocument(), limit - 1))
      return true;
  }
  return false;
}

// A document that is nested so deep is at least this large.
constexpr uint32_t kSmallestDeepDocument = base::kMaxStoredNestingDepth * 7;

bson::Document Rewritten(bson::View document, bson::ValueView id,
                         const NewDocumentContext& context) {
  bson::Builder builder;
  builder.Append("_id", id);
  bool first_id = true;
  uint32_t increment = 1;
  for (const bson::Element& element : document) {
    if (element.key == "_id" && first_id) {
      first_id = false;
    } else if (IsEmptyTimestamp(element) && !context.keep_empty_timestamps) {
      const bson::Timestamp within{static_cast<uint32_t>(context.now_ms / 1000), increment++};
      builder.Timestamp(element.key, context.cluster_clock == nullptr
                                         ? within
                                         : context.cluster_clock->Tick(context.now_ms));
    } else {
      builder.Append(element);
    }
  }
  return builder.Finish();
}

}  // namespace

absl::Status CheckId(bson::ValueView id) {
  if (id.IsArray() || id.type() == bson::Type::kRegex || id.type() == bson::Type::kUndefined) {
    return Error(ErrorCode::kInvalidIdField,
                 StrCat("The '_id' value cannot be of type ", bson::TypeName(id.type())));
  }
  if (!id.IsDocument()) return absl::OkStatus();
  for (const bson::Element& element : id.AsDocument()) {
    if (element.key.starts_with("$")) {
      return Error(ErrorCode::kDollarPrefixedFieldName,
                   StrCat("_id fields may not contain '$'-prefixed fields: ", element.key,
                          " is not valid for storage."));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bson::View> PrepareNewDocument(bson::View document,
                                              const NewDocumentContext& context,
                                              bson::Document* scratch) {
  if (document.size() > static_cast<uint32_t>(base::kMaxInternalBsonSize)) {
    return Error(ErrorCode::kBSONObjectTooLarge,
                 StrCat("BSONObj size: ", document.size(),
                        " is invalid. Size must be between 0 and ", base::kMaxInternalBsonSize));
  }
  if (document.size() > static_cast<uint32_t>(base::kMaxBsonObjectSize)) {
    return Error(ErrorCode::kBSONObjectTooLarge,
                 StrCat("object to insert too large. size in bytes: ", document.size(),
                        ", max size: ", base::kMaxBsonObjectSize));
  }
  if (document.size() > kSmallestDeepDocument &&
      NestedDeeper(document, base::kMaxStoredNestingDepth)) {
    return Error(ErrorCode::kOverflow, StrCat("cannot insert document because it exceeds ",
                                              base::kMaxStoredNestingDepth, " levels of nesting"));
  }
  bson::ValueView id;
  bool id_is_first = false;
  bool has_empty_timestamp = false;
  bool first = true;
  for (const bson::Element& element : document) {
    if (element.key == "_id" && id.IsMissing()) {
      id = element.value;
      id_is_first = first;
    } else if (IsEmptyTimestamp(element)) {
      has_empty_timestamp = true;
    }
    first = false;
  }
  MAYFLY_RETURN_IF_ERROR(CheckId(id));
  if (id_is_first && (!has_empty_timestamp || context.keep_empty_timestamps)) return document;
  const bson::Value generated = id.IsMissing()
                                    ? bson::Value::FromObjectId(context.ids.Next(context.now_ms))
                                    : bson::Value(id);
  *scratch = Rewritten(document, generated, context);
  return scratch->view();
}

}  // namespace mayfly::engine
