#include "engine/query/filter_parser.h"

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "base/strings.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"
#include "engine/query/near.h"
#include "engine/query/text_filter.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

const FilterRow* FindRow(std::string_view name) {
  using Index = absl::flat_hash_map<std::string_view, const FilterRow*>;
  static const Index* const kIndex = [] {
    auto* index = new Index();
    for (const FilterFamily& family : FilterFamilies()) {
      for (const FilterRow& row : family.rows) index->emplace(row.name, &row);
    }
    return index;
  }();
  const auto it = kIndex->find(name);
  return it == kIndex->end() ? nullptr : it->second;
}

bool IsReference(bson::View document) { return document.Has("$ref") && document.Has("$id"); }

}  // namespace

bool IsOperatorDocument(bson::ValueView value) {
  if (!value.IsDocument()) return false;
  const bson::View document = value.AsDocument();
  return document.First().key.starts_with('$') && !IsReference(document);
}

bool HasPathOperator(bson::ValueView value) {
  if (!IsOperatorDocument(value)) return false;
  const FilterRow* row = FindRow(value.AsDocument().First().key);
  return row != nullptr && row->field != nullptr;
}

const FilterRow* FindDocumentOperator(std::string_view name) {
  const FilterRow* row = FindRow(name);
  return row != nullptr && row->document != nullptr ? row : nullptr;
}

absl::Status FilterParser::ParseOperators(std::string_view path, bson::View operators,
                                          FilterLevel level, int depth,
                                          std::vector<FilterPtr>* out) const {
  for (const bson::Element& element : operators) {
    const FilterRow* row = FindRow(element.key);
    if (row == nullptr || row->field == nullptr) {
      return Error(ErrorCode::kBadValue, StrCat("unknown operator: ", element.key));
    }
    MAYFLY_RETURN_IF_ERROR(row->field(
        FilterOperator{*this, path, element.key, element.value, operators, level, depth}, out));
  }
  return absl::OkStatus();
}

absl::Status FilterParser::ParseField(const bson::Element& field, FilterLevel level, int depth,
                                      std::vector<FilterPtr>* out) const {
  if (IsOperatorDocument(field.value)) {
    return ParseOperators(field.key, field.value.AsDocument(), level, depth, out);
  }
  if (field.value.type() == bson::Type::kRegex) {
    MAYFLY_ASSIGN_OR_RETURN(FilterPtr node,
                            MakeRegex(field.key, field.value.AsRegex(), context_.strings));
    out->push_back(std::move(node));
    return absl::OkStatus();
  }
  if (field.value.type() == bson::Type::kUndefined) {
    return Error(ErrorCode::kBadValue, "cannot compare to undefined");
  }
  out->push_back(MakeComparison(FilterKind::kEqual, field.key, field.value, context_.strings));
  return absl::OkStatus();
}

absl::StatusOr<FilterPtr> FilterParser::ParseDocument(bson::View filter, FilterLevel level,
                                                      int depth) const {
  if (depth > kMaxFilterDepth) {
    return Error(ErrorCode::kBadValue,
                 StrCat("exceeded maximum query tree depth of ", kMaxFilterDepth));
  }
  std::vector<FilterPtr> nodes;
  for (const bson::Element& element : filter) {
    if (!element.key.starts_with('$')) {
      MAYFLY_RETURN_IF_ERROR(ParseField(element, level, depth, &nodes));
      continue;
    }
    const FilterRow* row = FindDocumentOperator(element.key);
    if (row == nullptr) {
      return Error(
          ErrorCode::kBadValue,
          StrCat("unknown top level operator: ", element.key,
                 ". If you have a field name that starts with a '$' symbol, consider using "
                 "$getField or $setField."));
    }
    MAYFLY_RETURN_IF_ERROR(row->document(
        FilterOperator{*this, "", element.key, element.value, filter, level, depth}, &nodes));
  }
  return MakeAnd(std::move(nodes));
}

absl::StatusOr<FilterPtr> ParseFilter(bson::View filter, const FilterParseContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(FilterPtr root,
                          FilterParser(context).ParseDocument(filter, FilterLevel::kTop, 0));
  root = Simplify(std::move(root), context.strings);
  MAYFLY_RETURN_IF_ERROR(CheckNearPlaces(*root));
  MAYFLY_RETURN_IF_ERROR(CheckTextPlaces(*root));
  return root;
}

}  // namespace mayfly::engine
