#include "engine/query/json_schema.h"

#include <algorithm>
#include <string>

#include "bson/builder.h"
#include "bson/compare.h"
#include "bson/number.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

void AppendSorted(const bson::Element& element, bson::Builder* out);

// Recursion is bounded by the nesting of the document.
void AppendSortedFields(bson::View document, bool is_array, bson::Builder* out) {
  std::vector<bson::Element> fields;
  for (const bson::Element& field : document) fields.push_back(field);
  if (!is_array) {
    std::stable_sort(fields.begin(), fields.end(),
                     [](const bson::Element& a, const bson::Element& b) { return a.key < b.key; });
  }
  for (const bson::Element& field : fields) AppendSorted(field, out);
}

void AppendSorted(const bson::Element& element, bson::Builder* out) {
  if (!element.value.IsContainer()) {
    out->Append(element);
    return;
  }
  bson::Builder inner;
  AppendSortedFields(element.value.AsDocument(), element.value.IsArray(), &inner);
  const bson::Document sorted = inner.Finish();
  out->Append(element.key,
              ValueView(element.value.type(), sorted.view().data(), sorted.view().size()));
}

int64_t CodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

bool InRange(int64_t n, const std::optional<int64_t>& min, const std::optional<int64_t>& max) {
  return (!min || n >= *min) && (!max || n <= *max);
}

// Whether `value` is on the right side of the limit; `sign` is 1 for a minimum, -1 for a maximum.
bool WithinLimit(ValueView value, const JsonSchema::Limit& limit, int sign) {
  if (bson::IsNaN(value) || bson::IsNaN(limit.value)) {
    return !limit.exclusive && bson::IsNaN(value) && bson::IsNaN(limit.value);
  }
  const int order = sign * bson::CompareNumbers(value, limit.value);
  return order > 0 || (order == 0 && !limit.exclusive);
}

bool IsMultiple(ValueView value, ValueView divisor) {
  if (bson::IsNaN(value) || bson::IsInfinite(value)) return false;
  return bson::DecimalIsZero(bson::DecimalMod(bson::ToDecimal(value), bson::ToDecimal(divisor)));
}

bool AllDistinct(bson::View array) {
  std::vector<Value> items;
  for (const bson::Element& item : array) items.push_back(WithSortedFields(item.value));
  std::sort(items.begin(), items.end(),
            [](const Value& a, const Value& b) { return bson::Compare(a, b) < 0; });
  return std::adjacent_find(items.begin(), items.end(), [](const Value& a, const Value& b) {
           return bson::Equal(a, b);
         }) == items.end();
}

}  // namespace

Value WithSortedFields(ValueView value) {
  if (!value.IsContainer()) return Value(value);
  bson::Builder builder;
  AppendSorted({"v", value}, &builder);
  return Value(builder.Finish().Find("v"));
}

bool JsonSchema::Matches(ValueView value) const {
  if (types && !types->Has(value.type())) return false;
  if (!allowed_values.empty()) {
    const Value canonical = WithSortedFields(value);
    const bool found =
        std::any_of(allowed_values.begin(), allowed_values.end(),
                    [&](const Value& allowed) { return bson::Equal(allowed, canonical); });
    if (!found) return false;
  }
  if (value.IsNumber() && !MatchesNumber(value)) return false;
  if (value.IsString() && !MatchesString(value.AsString())) return false;
  if (value.IsArray() && !MatchesArray(value.AsDocument())) return false;
  if (value.IsDocument() && !MatchesObject(value.AsDocument())) return false;
  return MatchesCombinations(value);
}

bool JsonSchema::MatchesCombinations(ValueView value) const {
  const auto matches = [&](const Ptr& schema) { return schema->Matches(value); };
  if (excluded != nullptr && excluded->Matches(value)) return false;
  if (!std::all_of(all_of.begin(), all_of.end(), matches)) return false;
  if (!any_of.empty() && std::none_of(any_of.begin(), any_of.end(), matches)) return false;
  return one_of.empty() || std::count_if(one_of.begin(), one_of.end(), matches) == 1;
}

bool JsonSchema::MatchesNumber(ValueView value) const {
  if (minimum && !WithinLimit(value, *minimum, 1)) return false;
  if (maximum && !WithinLimit(value, *maximum, -1)) return false;
  return multiple_of.IsMissing() || IsMultiple(value, multiple_of);
}

bool JsonSchema::MatchesString(std::string_view text) const {
  if ((min_length || max_length) && !InRange(CodePoints(text), min_length, max_length))
    return false;
  return !pattern || pattern->Matches(text);
}

bool JsonSchema::MatchesArray(bson::View array) const {
  if ((min_items || max_items) && !InRange(array.Count(), min_items, max_items)) return false;
  if (unique_items && !AllDistinct(array)) return false;
  size_t index = 0;
  for (const bson::Element& item : array) {
    if (each_item != nullptr && !each_item->Matches(item.value)) return false;
    if (has_item_list) {
      const bool accepted = index < item_list.size() ? item_list[index]->Matches(item.value)
                                                     : additional_items.Accepts(item.value);
      if (!accepted) return false;
    }
    ++index;
  }
  return true;
}

bool JsonSchema::MatchesObject(bson::View object) const {
  const auto has = [&](const std::string& name) { return object.Has(name); };
  if (!std::all_of(required.begin(), required.end(), has)) return false;
  if ((min_properties || max_properties) &&
      !InRange(object.Count(), min_properties, max_properties)) {
    return false;
  }
  const ValueView whole(bson::Type::kDocument, object.data(), object.size());
  for (const Dependency& dependency : dependencies) {
    if (!has(dependency.name)) continue;
    const bool fulfilled =
        dependency.schema != nullptr
            ? dependency.schema->Matches(whole)
            : std::all_of(dependency.required.begin(), dependency.required.end(), has);
    if (!fulfilled) return false;
  }
  return MatchesFields(object);
}

bool JsonSchema::MatchesFields(bson::View object) const {
  const bool restricts = additional_properties.schema != nullptr || !additional_properties.allowed;
  if (properties.empty() && pattern_properties.empty() && !restricts) return true;
  for (const bson::Element& field : object) {
    bool named = false;
    for (const auto& [name, schema] : properties) {
      if (name != field.key) continue;
      named = true;
      if (!schema->Matches(field.value)) return false;
    }
    for (const auto& [regex, schema] : pattern_properties) {
      if (!regex.Matches(field.key)) continue;
      named = true;
      if (!schema->Matches(field.value)) return false;
    }
    if (!named && !additional_properties.Accepts(field.value)) return false;
  }
  return true;
}

}  // namespace mayfly::engine
