#include "engine/catalog/index_spec.h"

#include <algorithm>
#include <utility>

#include "bson/builder.h"
#include "bson/number.h"
#include "engine/catalog/expiry_rule.h"

namespace mayfly::engine {
namespace {

IndexField FieldFromKey(const bson::Element& element) {
  IndexField field;
  field.path = std::string(element.key);
  if (field.path == "$**") {
    field.path.clear();
    field.kind = IndexKind::kWildcard;
  } else if (field.path.ends_with(".$**")) {
    field.path.resize(field.path.size() - 4);
    field.kind = IndexKind::kWildcard;
  } else if (element.value.IsString()) {
    const std::string_view kind = element.value.AsString();
    field.kind = kind == "hashed" ? IndexKind::kHashed
                 : kind == "text" ? IndexKind::kText
                 : kind == "2d"   ? IndexKind::kGeo2d
                                  : IndexKind::kGeo2dSphere;
  } else {
    field.kind = bson::ToDouble(element.value) < 0 ? IndexKind::kDescending : IndexKind::kAscending;
  }
  return field;
}

std::optional<bson::Document> DocumentOption(bson::View stored, std::string_view name) {
  const bson::ValueView value = stored.Find(name);
  if (!value.IsDocument()) return std::nullopt;
  return bson::Document(value.AsDocument());
}

bool BoolOption(bson::View stored, std::string_view name) {
  const bson::ValueView value = stored.Find(name);
  return value.IsBool() && value.AsBool();
}

// `spec.stored` with the field `name` replaced by `value` (missing: removed), appended if it was
// not there.
bson::Document Replaced(const IndexSpec& spec, std::string_view name, bson::ValueView value) {
  bson::Builder builder;
  bool placed = false;
  for (const bson::Element& element : spec.stored.view()) {
    if (element.key == name) {
      builder.Append(name, value);
      placed = true;
    } else {
      builder.Append(element);
    }
  }
  if (!placed) builder.Append(name, value);
  return builder.Finish();
}

IndexSpec WithOption(const IndexSpec& spec, std::string_view name, const bson::Value& value) {
  return IndexSpecFromStored(Replaced(spec, name, value));
}

bool SameOptional(const std::optional<bson::Document>& a, const std::optional<bson::Document>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a.has_value() || bson::CompareDocuments(*a, *b) == 0;
}

// Two indexes with the same key may exist side by side if these differ.
bool SameSignature(const IndexSpec& a, const IndexSpec& b) {
  return bson::CompareDocuments(a.key, b.key) == 0 && a.unique == b.unique &&
         a.sparse == b.sparse && SameOptional(a.collation, b.collation) &&
         SameOptional(a.partial_filter, b.partial_filter) &&
         SameOptional(a.wildcard_projection, b.wildcard_projection);
}

}  // namespace

bool IsLastModificationKey(bson::View key) {
  if (key.Count() != 1) return false;
  const bson::Element first = key.First();
  return first.key == "_ts" && first.value.IsNumber();
}

bool IndexSpec::IsLastWriteTtl() const {
  return expire_after_seconds.has_value() && IsLastModificationKey(key);
}

IndexSpec IndexSpecFromStored(bson::View stored) {
  IndexSpec spec;
  spec.stored = bson::Document(stored);
  spec.name = std::string(stored.Find("name").AsString());
  spec.key = bson::Document(stored.Find("key").AsDocument());
  for (const bson::Element& element : spec.key.view()) spec.fields.push_back(FieldFromKey(element));
  spec.unique = BoolOption(stored, "unique");
  spec.sparse = BoolOption(stored, "sparse");
  spec.hidden = BoolOption(stored, "hidden");
  spec.prepare_unique = BoolOption(stored, "prepareUnique");
  const bson::ValueView expire = stored.Find("expireAfterSeconds");
  if (expire.IsNumber())
    spec.expire_after_seconds = static_cast<int32_t>(bson::ToInt64Truncated(expire));
  spec.partial_filter = DocumentOption(stored, "partialFilterExpression");
  spec.collation = DocumentOption(stored, "collation");
  spec.wildcard_projection = DocumentOption(stored, "wildcardProjection");
  return spec;
}

IndexSpec MakeIdIndexSpec(const Collation* collation) {
  bson::Builder stored;
  stored.Int32("v", 2).OpenDocument("key").Int32("_id", 1).Close().String("name", "_id_");
  if (collation != nullptr) stored.Document("collation", collation->spec());
  return IndexSpecFromStored(stored.Finish());
}

IndexSpec WithExpireAfterSeconds(const IndexSpec& spec, std::optional<int32_t> seconds) {
  return WithOption(spec, "expireAfterSeconds",
                    seconds.has_value() ? bson::Value::Int32(*seconds) : bson::Value());
}

IndexSpec WithHidden(const IndexSpec& spec, bool hidden) {
  return WithOption(spec, "hidden", hidden ? bson::Value::Bool(true) : bson::Value());
}

IndexSpec WithUnique(const IndexSpec& spec) {
  const IndexSpec unique = WithOption(spec, "unique", bson::Value::Bool(true));
  return WithOption(unique, "prepareUnique", bson::Value());
}

IndexSpec WithPrepareUnique(const IndexSpec& spec, bool prepare_unique) {
  return WithOption(spec, "prepareUnique",
                    prepare_unique ? bson::Value::Bool(true) : bson::Value());
}

IndexMatch MatchIndexSpecs(const IndexSpec& existing, const IndexSpec& requested) {
  const bool same_name = existing.name == requested.name;
  const bool same_signature = SameSignature(existing, requested);
  const bool same_options = existing.expire_after_seconds == requested.expire_after_seconds &&
                            existing.hidden == requested.hidden;
  if (same_name) {
    if (!same_signature) return IndexMatch::kKeyConflict;
    return same_options ? IndexMatch::kIdentical : IndexMatch::kOptionsConflict;
  }
  if (same_signature) {
    if (existing.IsId() && same_options) return IndexMatch::kIdentical;
    return IndexMatch::kOptionsConflict;
  }
  const auto is_text = [](const IndexSpec& s) {
    return std::any_of(s.fields.begin(), s.fields.end(),
                       [](const IndexField& f) { return f.kind == IndexKind::kText; });
  };
  return is_text(existing) && is_text(requested) ? IndexMatch::kOptionsConflict
                                                 : IndexMatch::kDifferent;
}

}  // namespace mayfly::engine
