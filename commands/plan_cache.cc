// planCacheSetFilter, planCacheListFilters, planCacheClearFilters: which indexes queries of a shape
// may use. planCacheClear: plans are chosen anew for each query, so there is nothing to clear.
#include <array>
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "engine/exec/find_query.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;
using engine::Collection;
using engine::IndexFilter;

// Types are checked where a shape is read: without `query` the rest means nothing.
constexpr std::array kArguments = {
    ArgSpec{"query", ArgType::kAny, ArgUse::kOptional, "the shape's filter"},
    ArgSpec{"sort", ArgType::kAny, ArgUse::kOptional, "the shape's sort"},
    ArgSpec{"projection", ArgType::kAny, ArgUse::kOptional, "the shape's projection"},
    ArgSpec{"collation", ArgType::kAny, ArgUse::kOptional, "the shape's collation"},
    ArgSpec{"indexes", ArgType::kAny, ArgUse::kOptional, "names or key patterns"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

absl::StatusOr<bson::Document> ReadPart(const Arguments& arguments, size_t index) {
  const ValueView value = arguments[index];
  if (value.IsMissing()) return bson::Document();
  if (!value.IsContainer()) {
    return Error(ErrorCode::kBadValue,
                 StrCat("optional field ", kArguments[index].name, " must be an object"));
  }
  return bson::Document(value.AsDocument());
}

// The shape that query, sort, projection and collation describe.
absl::StatusOr<IndexFilter> ReadShape(CommandContext& context, const Arguments& arguments,
                                      const Collection& collection) {
  IndexFilter filter;
  if (!arguments[Arg("query")].IsContainer()) {
    return Error(ErrorCode::kBadValue, "required field query must be an object");
  }
  MAYFLY_ASSIGN_OR_RETURN(filter.query, ReadPart(arguments, Arg("query")));
  MAYFLY_ASSIGN_OR_RETURN(filter.sort, ReadPart(arguments, Arg("sort")));
  MAYFLY_ASSIGN_OR_RETURN(filter.projection, ReadPart(arguments, Arg("projection")));
  const ValueView collation = arguments[Arg("collation")];
  if (!collation.IsMissing() && (!collation.IsDocument() || collation.AsDocument().empty())) {
    return Error(ErrorCode::kBadValue, "optional field collation must be an object with a locale");
  }
  MAYFLY_ASSIGN_OR_RETURN(filter.collation, ReadPart(arguments, Arg("collation")));
  engine::EvaluationContext evaluation = context.evaluation;
  MAYFLY_ASSIGN_OR_RETURN(const auto query,
                          engine::FindQuery::Parse({.filter = filter.query,
                                                    .sort = filter.sort,
                                                    .projection = filter.projection,
                                                    .collation = collation},
                                                   &collection, &evaluation));
  filter.shape = query->PlanShape();
  return filter;
}

absl::StatusOr<std::vector<bson::Value>> ReadIndexes(ValueView value) {
  if (value.IsMissing()) return Error(ErrorCode::kBadValue, "required field indexes missing");
  if (!value.IsArray())
    return Error(ErrorCode::kBadValue, "required field indexes must be an array");
  std::vector<bson::Value> indexes;
  for (const bson::Element& element : value.AsDocument()) {
    const bool is_key = element.value.IsDocument() && !element.value.AsDocument().empty();
    if (!is_key && !element.value.IsString()) {
      return Error(ErrorCode::kBadValue,
                   "each item in indexes must be either a key pattern or an index name");
    }
    indexes.emplace_back(element.value);
  }
  if (indexes.empty()) {
    return Error(ErrorCode::kBadValue, "required field indexes must contain at least one index");
  }
  return indexes;
}

absl::Status RunSetFilter(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindNamed(context, arguments));
  if (collection == nullptr) {
    return Error(ErrorCode::kBadValue,
                 StrCat("no such collection: ", FullName(context, arguments.target().AsString())));
  }
  MAYFLY_ASSIGN_OR_RETURN(IndexFilter filter, ReadShape(context, arguments, *collection));
  MAYFLY_ASSIGN_OR_RETURN(filter.indexes, ReadIndexes(arguments[Arg("indexes")]));
  auto& filters = collection->index_filters();
  std::erase_if(filters, [&](const IndexFilter& other) { return other.shape == filter.shape; });
  filters.push_back(std::move(filter));
  return absl::OkStatus();
}

absl::Status RunListFilters(CommandContext& context, const Arguments& arguments,
                            bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindNamed(context, arguments));
  reply.OpenArray("filters");
  if (collection != nullptr) {
    for (const IndexFilter& filter : collection->index_filters()) {
      reply.PushOpenDocument().Document("query", filter.query).Document("sort", filter.sort);
      reply.Document("projection", filter.projection);
      if (!filter.collation.empty()) reply.Document("collation", filter.collation);
      reply.OpenArray("indexes");
      for (const bson::Value& index : filter.indexes) reply.Push(index);
      reply.Close().Close();
    }
  }
  reply.Close();
  return absl::OkStatus();
}

absl::Status RunClearFilters(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindNamed(context, arguments));
  if (collection == nullptr) return absl::OkStatus();
  auto& filters = collection->index_filters();
  const ValueView query = arguments[Arg("query")];
  if (query.IsMissing()) {
    if (!arguments[Arg("sort")].IsMissing() || !arguments[Arg("projection")].IsMissing() ||
        !arguments[Arg("collation")].IsMissing()) {
      return Error(ErrorCode::kBadValue, "sort, projection or collation provided without query");
    }
    filters.clear();
    return absl::OkStatus();
  }
  if (!query.IsContainer()) return absl::OkStatus();
  MAYFLY_ASSIGN_OR_RETURN(const IndexFilter shape, ReadShape(context, arguments, *collection));
  std::erase_if(filters, [&](const IndexFilter& other) { return other.shape == shape.shape; });
  return absl::OkStatus();
}

absl::Status RunClear(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  return FindNamed(context, arguments).status();
}

constexpr uint32_t kFlags = kAnyFields | kNoApiVersion;

constexpr CommandRow kRows[] = {
    {.name = "planCacheClear",
     .place = Place::kRead,
     .flags = kFlags,
     .run = RunClear,
     .arguments = kArguments,
     .help = "Without effect: plans are not cached."},
    {.name = "planCacheClearFilters",
     .place = Place::kRead,
     .flags = kFlags,
     .run = RunClearFilters,
     .arguments = kArguments,
     .help = "Forgets index filters, all or that of one shape."},
    {.name = "planCacheListFilters",
     .place = Place::kRead,
     .flags = kFlags,
     .run = RunListFilters,
     .arguments = kArguments,
     .help = "Lists the index filters of a collection."},
    {.name = "planCacheSetFilter",
     .place = Place::kRead,
     .flags = kFlags,
     .run = RunSetFilter,
     .arguments = kArguments,
     .help = "Limits the indexes that queries of one shape may use."},
};

}  // namespace

std::span<const CommandRow> PlanCacheCommands() { return kRows; }

}  // namespace mayfly::commands
