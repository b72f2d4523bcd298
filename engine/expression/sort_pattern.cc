#include "engine/expression/sort_pattern.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/array_keys.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {
namespace {

using bson::ValueView;

constexpr ValueView kNullView(bson::Type::kNull, nullptr, 0);

// The end of the path, or nullopt if an array is on the way.
std::optional<ValueView> WithoutArrays(const Path& path, bson::View document) {
  for (size_t i = 0;; ++i) {
    const ValueView value = document.Find(path.part(i));
    if (value.IsArray()) return std::nullopt;
    if (i + 1 == path.size()) return value;
    if (!value.IsDocument()) return ValueView();
    document = value.AsDocument();
  }
}

absl::StatusOr<SortPattern::Part> ParseMeta(const bson::Element& element) {
  bson::Element meta = element.value.AsDocument().First();
  if (meta.key == "$meta" && element.value.AsDocument().Count() != 1) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "Cannot have additional keys in a $meta sort specification");
  }
  if (meta.key != "$meta") {
    return base::Error(17312, "$meta is the only expression supported by $sort right now");
  }
  SortPattern::Part part;
  part.dotted = std::string(element.key);
  std::string_view name = meta.value.IsString() ? meta.value.AsString() : std::string_view();
  part.descending = true;
  if (name == "textScore") {
    part.meta = SortPattern::Part::Meta::kTextScore;
  } else if (name == "randVal") {
    part.meta = SortPattern::Part::Meta::kRandom;
  } else if (name == "geoNearDistance") {
    part.meta = SortPattern::Part::Meta::kDistance;
  } else if (name == "searchScore" || name == "vectorSearchScore") {
    part.meta = SortPattern::Part::Meta::kOther;
  } else {
    return base::Error(31138, base::StrCat("Illegal $meta sort: $meta: \"", name, "\""));
  }
  return part;
}

}  // namespace

absl::StatusOr<SortPattern> SortPattern::Parse(bson::View spec) {
  SortPattern out;
  absl::flat_hash_set<std::string> names;
  for (const bson::Element& element : spec) {
    if (!names.insert(std::string(element.key)).second) {
      return base::Error(
          7472500, base::StrCat("$sort key must not contain duplicate keys (duplicate field: '",
                                element.key, "')"));
    }
    if (element.value.IsDocument()) {
      MAYFLY_ASSIGN_OR_RETURN(Part part, ParseMeta(element));
      out.parts_.push_back(std::move(part));
      continue;
    }
    if (!element.value.IsNumber()) {
      return base::Error(15974, base::StrCat("Illegal key in $sort specification: ", element.key));
    }
    // Decimals are rounded, other numbers are not.
    const bool decimal = element.value.type() == bson::Type::kDecimal128;
    const bson::Value rounded =
        decimal ? bson::Value::FromDecimal128(bson::DecimalRound(element.value.AsDecimal128(),
                                                                 bson::RoundingMode::kHalfEven))
                : bson::Value(element.value);
    int64_t order = bson::ToInt64Truncated(rounded);
    bool exact = !bson::IsNaN(element.value) && (order == 1 || order == -1);
    if (!exact)
      return base::Error(15975,
                         "$sort key ordering must be 1 (for ascending) or -1 (for descending)");
    Part part;
    MAYFLY_RETURN_IF_ERROR(ParseFieldPath(element.key).status());
    part.path = Path(element.key);
    part.dotted = std::string(element.key);
    part.descending = order < 0;
    out.parts_.push_back(std::move(part));
  }
  if (out.parts_.empty()) return base::Error(15976, "$sort stage must have at least one sort key");
  const auto fields = std::count_if(out.parts_.begin(), out.parts_.end(), [](const Part& part) {
    return part.meta == Part::Meta::kNone;
  });
  if (fields > base::kMaxIndexFields) {
    return base::Error(13103, "too many compound keys");
  }
  return out;
}

absl::Status SortPattern::KeyViews(bson::View document, const bson::StringComparator* strings,
                                   std::vector<ValueView>* out) const {
  out->clear();
  for (const Part& part : parts_) {
    if (part.meta != Part::Meta::kNone) {
      out->push_back(kNullView);
      continue;
    }
    const std::optional<ValueView> value = WithoutArrays(part.path, document);
    if (!value.has_value()) return FirstOfArrayKeys(document, strings, out);
    out->push_back(value->IsMissing() ? kNullView : *value);
  }
  return absl::OkStatus();
}

absl::Status SortPattern::FirstOfArrayKeys(bson::View document,
                                           const bson::StringComparator* strings,
                                           std::vector<ValueView>* out) const {
  std::vector<const Path*> paths;
  for (const Part& part : parts_) {
    if (part.meta == Part::Meta::kNone) paths.push_back(&part.path);
  }
  out->assign(parts_.size(), kNullView);
  std::vector<ValueView> key(parts_.size(), kNullView);
  bool any = false;
  const auto visit = [&](const std::vector<ValueView>& values) {
    size_t next = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].meta != Part::Meta::kNone) continue;
      const ValueView value = values[next++];
      key[i] = value.IsMissing() ? kNullView : value;
    }
    if (!std::exchange(any, true) || Compare(key, *out, strings) < 0) *out = key;
  };
  return VisitArrayKeys(document, paths, visit);
}

absl::StatusOr<std::vector<bson::Value>> SortPattern::Key(
    bson::View document, const bson::StringComparator* strings) const {
  std::vector<ValueView> views;
  MAYFLY_RETURN_IF_ERROR(KeyViews(document, strings, &views));
  return std::vector<bson::Value>(views.begin(), views.end());
}

}  // namespace mayfly::engine
