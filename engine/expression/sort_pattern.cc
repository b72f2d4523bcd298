#include "engine/expression/sort_pattern.h"

#include <algorithm>
#include <charconv>

#include "absl/container/flat_hash_set.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {
namespace {

using bson::ValueView;

// The extreme of the values below a path.
struct Extreme {
  bool descending;
  const bson::StringComparator* strings;
  ValueView best;
  bool any = false;

  void Offer(ValueView value) {
    if (any) {
      int order = bson::Compare(value, best, strings);
      if (descending ? order <= 0 : order >= 0) return;
    }
    best = value;
    any = true;
  }
};

constexpr ValueView kNullView(bson::Type::kNull, nullptr, 0);
constexpr ValueView kUndefinedView(bson::Type::kUndefined, nullptr, 0);

bool IsIndex(const std::string& text, int64_t* index) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *index);
  return error == std::errc() && end == text.data() + text.size() && *index >= 0;
}

void Collect(ValueView value, const std::vector<std::string>& path, size_t i, Extreme* out) {
  while (i < path.size() && value.IsDocument()) value = value.AsDocument().Find(path[i++]);
  if (!value.IsArray()) {
    if (i < path.size() || value.IsMissing()) value = kNullView;
    out->Offer(value);
    return;
  }
  if (i == path.size()) {
    if (value.AsDocument().empty()) out->Offer(kUndefinedView);
    for (const bson::Element& element : value.AsDocument()) out->Offer(element.value);
    return;
  }
  int64_t index = 0;
  if (IsIndex(path[i], &index)) {
    Collect(value.AsDocument().Find(path[i]), path, i + 1, out);
    return;
  }
  bool any = false;
  for (const bson::Element& element : value.AsDocument()) {
    any = true;
    if (element.value.IsDocument()) {
      Collect(element.value, path, i, out);
    } else {
      out->Offer(kNullView);
    }
  }
  if (!any) out->Offer(kNullView);
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
    MAYFLY_ASSIGN_OR_RETURN(part.path, ParseFieldPath(element.key));
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

void SortPattern::KeyViews(bson::View document, const bson::StringComparator* strings,
                           std::vector<ValueView>* out) const {
  out->clear();
  for (const Part& part : parts_) {
    if (part.meta != Part::Meta::kNone) {
      out->push_back(kNullView);
      continue;
    }
    Extreme extreme{part.descending, strings, {}};
    ValueView whole(bson::Type::kDocument, document.data(), document.size());
    Collect(whole, part.path, 0, &extreme);
    out->push_back(extreme.any ? extreme.best : kNullView);
  }
}

std::vector<bson::Value> SortPattern::Key(bson::View document) const {
  std::vector<ValueView> views;
  KeyViews(document, nullptr, &views);
  std::vector<bson::Value> out;
  out.reserve(views.size());
  for (ValueView view : views) out.emplace_back(view);
  return out;
}

}  // namespace mayfly::engine
