#include "engine/catalog/index_spec.h"

#include <algorithm>
#include <array>
#include <utility>

#include "bson/builder.h"
#include "bson/number.h"
#include "engine/catalog/expiry_rule.h"
#include "engine/query/filter.h"

namespace mayfly::engine {
namespace {

IndexField FieldFromKey(const bson::Element& element) {
  IndexField field;
  field.path = std::string(element.key);
  field.descending = element.value.IsNumber() && bson::ToDouble(element.value) < 0;
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
    field.kind = field.descending ? IndexKind::kDescending : IndexKind::kAscending;
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

// The order of conditions that are joined does not count.
bool SamePartialFilter(const std::optional<bson::Document>& a,
                       const std::optional<bson::Document>& b) {
  if (!a.has_value() || !b.has_value() || bson::CompareDocuments(*a, *b) == 0) {
    return SameOptional(a, b);
  }
  FilterParseContext context;
  context.features.expr = false;
  const auto left = ParseFilter(*a, context);
  const auto right = ParseFilter(*b, context);
  return left.ok() && right.ok() &&
         bson::CompareDocuments(ToDocument(**left), ToDocument(**right)) == 0;
}

// Of text indexes: which fields count how much, and in which language.
bool SameTextOptions(const IndexSpec& a, const IndexSpec& b) {
  constexpr std::array<std::string_view, 4> kOptions = {"weights", "default_language",
                                                        "language_override", "textIndexVersion"};
  return std::all_of(kOptions.begin(), kOptions.end(), [&](std::string_view name) {
    return bson::Compare(a.stored.Find(name), b.stored.Find(name)) == 0;
  });
}

// Two indexes with the same key may exist side by side if these differ.
bool SameSignature(const IndexSpec& a, const IndexSpec& b) {
  return bson::CompareDocuments(a.key, b.key) == 0 && a.unique == b.unique &&
         a.sparse == b.sparse && SameOptional(a.collation, b.collation) &&
         SamePartialFilter(a.partial_filter, b.partial_filter) &&
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

size_t IndexSpec::SpecialField() const {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].kind == special) return i;
  }
  return 0;
}

IndexSpec IndexSpecFromStored(bson::View stored) {
  IndexSpec spec;
  spec.stored = bson::Document(stored);
  spec.name = std::string(stored.Find("name").AsString());
  spec.key = bson::Document(stored.Find("key").AsDocument());
  for (const bson::Element& element : spec.key.view()) {
    spec.fields.push_back(FieldFromKey(element));
    const IndexKind kind = spec.fields.back().kind;
    if (kind != IndexKind::kAscending && kind != IndexKind::kDescending) spec.special = kind;
  }
  spec.unique = BoolOption(stored, "unique");
  spec.sparse = BoolOption(stored, "sparse");
  spec.hidden = BoolOption(stored, "hidden");
  spec.prepare_unique = BoolOption(stored, "prepareUnique");
  spec.clustered = BoolOption(stored, "clustered");
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

IndexSpec MakeClusteredIdIndexSpec(bson::View options) {
  bson::Builder stored;
  stored.Int32("v", 2).OpenDocument("key").Int32("_id", 1).Close();
  stored.Append("name", options.Find("clusteredIndex").AsDocument().Find("name"));
  stored.Bool("unique", true).Append("collation", options.Find("collation"));
  const bson::ValueView expire = options.Find("expireAfterSeconds");
  if (expire.IsNumber()) {
    stored.Int32("expireAfterSeconds", static_cast<int32_t>(bson::ToInt64Truncated(expire)));
  }
  stored.Bool("clustered", true);
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
  if (existing.clustered && requested.IsId()) return IndexMatch::kIdentical;
  const bool same_name = existing.name == requested.name;
  const bool same_signature = SameSignature(existing, requested);
  const bool same_options = existing.expire_after_seconds == requested.expire_after_seconds &&
                            existing.hidden == requested.hidden &&
                            SameTextOptions(existing, requested);
  // There can be one text index only.
  const bool both_text =
      existing.special == IndexKind::kText && requested.special == IndexKind::kText;
  if (both_text && !(same_name && same_signature && same_options)) {
    return IndexMatch::kOptionsConflict;
  }
  if (same_name) {
    if (!same_signature) return IndexMatch::kKeyConflict;
    return same_options ? IndexMatch::kIdentical : IndexMatch::kOptionsConflict;
  }
  if (same_signature) {
    if (existing.IsId() && same_options) return IndexMatch::kIdentical;
    return IndexMatch::kOptionsConflict;
  }
  return IndexMatch::kDifferent;
}

}  // namespace mayfly::engine
