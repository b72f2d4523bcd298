#include "engine/update/array_filters.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

bool IsLogical(std::string_view name) { return name == "$and" || name == "$or" || name == "$nor"; }

bool IsNameAllowed(std::string_view name) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && is_lower(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

// Finds the one first path component that all predicates of `filter` share.
absl::Status CollectName(bson::View filter, int depth, std::string* name) {
  if (depth > kMaxFilterDepth) {
    return Error(ErrorCode::kOverflow, "Array filter is nested too deeply");
  }
  for (const bson::Element& element : filter) {
    if (IsLogical(element.key)) {
      if (!element.value.IsArray()) continue;  // the filter's parser has the error
      for (const bson::Element& branch : element.value.AsDocument()) {
        if (!branch.value.IsDocument()) continue;
        MAYFLY_RETURN_IF_ERROR(CollectName(branch.value.AsDocument(), depth + 1, name));
      }
      continue;
    }
    if (!element.key.empty() && element.key[0] == '$') continue;
    const std::string_view first = element.key.substr(0, element.key.find('.'));
    if (name->empty()) {
      *name = first;
    } else if (*name != first) {
      return Error(ErrorCode::kFailedToParse,
                   StrCat("Error parsing array filter :: caused by :: Expected a single top-level "
                          "field name, found '",
                          *name, "' and '", first, "'"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> NameOf(bson::View filter) {
  std::string name;
  MAYFLY_RETURN_IF_ERROR(CollectName(filter, 0, &name));
  if (name.empty()) {
    return Error(ErrorCode::kFailedToParse,
                 "Cannot use an expression without a top-level field name in arrayFilters");
  }
  if (!IsNameAllowed(name)) {
    return Error(
        ErrorCode::kBadValue,
        StrCat("Error parsing array filter :: caused by :: The top-level field name must be an "
               "alphanumeric string beginning with a lowercase letter, found '",
               name, "'"));
  }
  return name;
}

}  // namespace

absl::StatusOr<ArrayFilters> ArrayFilters::Parse(const UpdateParseContext& context) {
  FilterParseContext filter_context;
  filter_context.strings = context.evaluation->strings;
  filter_context.evaluation = context.evaluation;
  filter_context.features = {.expr = false, .text_search = false, .near = false, .where = false};
  ArrayFilters filters;
  for (const bson::View filter : context.array_filters) {
    absl::StatusOr<FilterPtr> parsed = ParseFilter(filter, filter_context);
    if (!parsed.ok()) {
      return base::WithPrefix(parsed.status(), "Error parsing array filter :: caused by :: ");
    }
    MAYFLY_ASSIGN_OR_RETURN(std::string name, NameOf(filter));
    if (filters.Has(name)) {
      return Error(
          ErrorCode::kFailedToParse,
          StrCat("Found multiple array filters with the same top-level field name ", name));
    }
    filters.entries_.push_back({std::move(name), std::move(parsed).value()});
  }
  return filters;
}

std::vector<std::string_view> ArrayFilters::Names() const {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

const ArrayFilters::Entry* ArrayFilters::Find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

absl::StatusOr<bool> ArrayFilters::Matches(std::string_view name, bson::ValueView element,
                                           const EvaluationContext& evaluation) const {
  const Entry* entry = Find(name);
  bson::Builder builder;
  builder.Append(entry->name, element);
  const bson::Document holder = builder.Finish();
  MatchContext match(evaluation);
  return entry->filter->Matches(holder, match);
}

}  // namespace mayfly::engine
