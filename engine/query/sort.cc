#include "engine/query/sort.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/query/array_keys.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Type;
using bson::Value;
using bson::ValueView;

constexpr int kIllegalKey = 15974;
constexpr int kBadDirection = 15975;
constexpr int kNotMeta = 17312;
constexpr int kUnknownMeta = 31138;
constexpr int kMetaNotThere = 40218;
constexpr int kDuplicate = 7472500;
constexpr int kTooManyKeys = 13103;
constexpr int kMaxSortFields = 32;

struct MetaName {
  std::string_view name;
  SortMeta meta;
};

constexpr MetaName kMetaNames[] = {
    {"textScore", SortMeta::kTextScore},
    {"randVal", SortMeta::kRandom},
    {"geoNearDistance", SortMeta::kGeoNearDistance},
    {"searchScore", SortMeta::kSearchScore},
};

absl::StatusOr<SortMeta> ParseMeta(bson::View object, const SortContext& context) {
  const bson::Element first = object.First();
  if (first.key != "$meta") {
    return Error(kNotMeta, "$meta is the only expression supported by $sort right now");
  }
  if (object.Count() > 1) {
    return Error(ErrorCode::kFailedToParse,
                 "Cannot have additional keys in a $meta sort specification");
  }
  const auto* const it =
      std::find_if(std::begin(kMetaNames), std::end(kMetaNames), [&](const MetaName& row) {
        return first.value.IsString() && first.value.AsString() == row.name;
      });
  if (it == std::end(kMetaNames)) {
    return Error(kUnknownMeta,
                 StrCat("Illegal $meta sort: $meta: ", bson::ToShellText(first.value)));
  }
  if (it->meta == SortMeta::kTextScore && !context.has_text_score) {
    return Error(kMetaNotThere, "query requires text score metadata, but it is not available");
  }
  if (it->meta == SortMeta::kGeoNearDistance && !context.has_geo_distance) {
    return Error(kMetaNotThere,
                 "query requires $geoNear distance metadata, but it is not available");
  }
  return it->meta;
}

absl::StatusOr<bool> ParseDescending(const bson::Element& field) {
  if (!field.value.IsNumber()) {
    return Error(kIllegalKey, StrCat("Illegal key in $sort specification: ", field.key, ": ",
                                     bson::ToShellText(field.value)));
  }
  // Doubles are cut, decimals rounded half to even.
  int64_t direction = bson::ToInt64Truncated(field.value);
  if (field.value.type() == Type::kDecimal128) {
    const bson::Decimal128 whole =
        bson::DecimalRound(field.value.AsDecimal128(), bson::RoundingMode::kHalfEven);
    direction = bson::DecimalToInt64(whole).value_or(0);
  }
  if (direction != 1 && direction != -1) {
    return Error(kBadDirection,
                 "$sort key ordering must be 1 (for ascending) or -1 (for descending)");
  }
  return direction == -1;
}

absl::StatusOr<SortField> ParsePart(const bson::Element& field, const SortContext& context) {
  SortField part;
  if (field.value.IsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(part.meta, ParseMeta(field.value.AsDocument(), context));
    part.descending = part.meta != SortMeta::kGeoNearDistance;
  } else {
    MAYFLY_ASSIGN_OR_RETURN(part.descending, ParseDescending(field));
    MAYFLY_RETURN_IF_ERROR(CheckFieldPath(field.key));
  }
  part.path = Path(field.key);
  return part;
}

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

Value MetaValue(SortMeta meta, const Row* row, base::Random* random) {
  if (meta == SortMeta::kTextScore && row != nullptr && row->text_score) {
    return Value::Double(*row->text_score);
  }
  if (meta == SortMeta::kRandom && random != nullptr) return Value::Double(random->NextDouble());
  return Value::Null();
}

Value MakeKey(const std::vector<ValueView>& values) {
  std::string bytes;
  bson::Builder builder(&bytes);
  builder.OpenArray("k");
  for (const ValueView& value : values) builder.Push(value);
  builder.Close();
  builder.End();
  return Value(bson::View(std::string_view(bytes)).First().value);
}

}  // namespace

absl::StatusOr<SortSpec> SortSpec::Parse(bson::View pattern, const SortContext& context) {
  SortSpec result;
  result.strings_ = context.strings;
  std::set<std::string_view> names;
  int fields = 0;
  for (const bson::Element& field : pattern) {
    MAYFLY_ASSIGN_OR_RETURN(SortField part, ParsePart(field, context));
    if (part.meta == SortMeta::kNone && !names.insert(field.key).second) {
      return Error(kDuplicate, StrCat("$sort key must not contain duplicate keys (duplicate: '",
                                      field.key, "')"));
    }
    fields += part.meta == SortMeta::kNone ? 1 : 0;
    result.parts_.push_back(std::move(part));
  }
  if (fields > kMaxSortFields) return Error(kTooManyKeys, "too many compound keys");
  return result;
}

bool SortSpec::NeedsRandom() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const SortField& part) { return part.meta == SortMeta::kRandom; });
}

absl::StatusOr<Value> SortSpec::KeyOf(bson::View document, const Row* row,
                                      base::Random* random) const {
  std::vector<Value> metadata;
  metadata.reserve(parts_.size());
  std::vector<ValueView> key;
  std::vector<const Path*> paths;
  bool has_arrays = false;
  for (const SortField& part : parts_) {
    if (part.meta != SortMeta::kNone) {
      metadata.push_back(MetaValue(part.meta, row, random));
      key.push_back(metadata.back());
      continue;
    }
    paths.push_back(&part.path);
    const std::optional<ValueView> value = WithoutArrays(part.path, document);
    has_arrays |= !value.has_value();
    key.push_back(value.value_or(ValueView()));
  }
  if (!has_arrays) return MakeKey(key);

  std::optional<std::vector<ValueView>> first;
  const auto visit = [&](const std::vector<ValueView>& values) {
    size_t next = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].meta == SortMeta::kNone) key[i] = values[next++];
    }
    if (!first || CompareKeys(key, *first) < 0) first = key;
  };
  MAYFLY_RETURN_IF_ERROR(VisitArrayKeys(document, paths, visit));
  return MakeKey(first.value_or(key));
}

int SortSpec::CompareKeys(const std::vector<ValueView>& a, const std::vector<ValueView>& b) const {
  constexpr ValueView kNull(Type::kNull, nullptr, 0);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const ValueView x = a[i].IsMissing() ? kNull : a[i];
    const ValueView y = b[i].IsMissing() ? kNull : b[i];
    const int order = bson::Compare(x, y, strings_);
    if (order != 0) return parts_[i].descending ? -order : order;
  }
  return 0;
}

int SortSpec::Compare(ValueView a, ValueView b) const {
  auto x = a.AsDocument().begin();
  auto y = b.AsDocument().begin();
  for (const SortField& part : parts_) {
    const int order = bson::Compare(x->value, y->value, strings_);
    if (order != 0) return part.descending ? -order : order;
    ++x;
    ++y;
  }
  return 0;
}

absl::StatusOr<std::optional<int>> NaturalOrder(bson::View pattern) {
  const ValueView natural = pattern.Find("$natural");
  if (natural.IsMissing()) return std::nullopt;
  const std::optional<int64_t> direction =
      natural.IsNumber() ? bson::ToInt64Exact(natural) : std::nullopt;
  if (direction != 1 && direction != -1) {
    return Error(ErrorCode::kBadValue,
                 "$natural sort cannot be set to a value other than -1 or 1.");
  }
  if (pattern.Count() > 1) {
    return Error(ErrorCode::kBadValue, "Cannot combine $natural sort with other sort keys");
  }
  return static_cast<int>(*direction);
}

}  // namespace mayfly::engine
