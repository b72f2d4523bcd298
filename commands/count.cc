// count and distinct.
#include <limits>
#include <set>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/compare.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/concerns.h"
#include "commands/families.h"
#include "commands/metrics.h"
#include "commands/views.h"
#include "engine/exec/count.h"
#include "engine/exec/count_matching.h"
#include "engine/exec/distinct.h"
#include "engine/exec/find_query.h"
#include "engine/index/key_values.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kCountArguments = {
    ArgSpec{"query", ArgType::kDocument, ArgUse::kOptional, "which documents"},
    ArgSpec{"limit", ArgType::kAny, ArgUse::kOptional, "a whole number: count at most so many"},
    ArgSpec{"skip", ArgType::kNumber, ArgUse::kOptional, "leave out the first so many"},
    ArgSpec{"hint", ArgType::kHint, ArgUse::kOptional, "the index to use"},
    ArgSpec{"collation", ArgType::kDocument, ArgUse::kOptional, "how strings compare"},
    ArgSpec{"fields", ArgType::kAny, ArgUse::kIgnored, "sent by old shells"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
    ArgSpec{"encryptionInformation", ArgType::kDocument, ArgUse::kIgnored,
            "of client-side encryption"},
};

constexpr std::array kDistinctArguments = {
    ArgSpec{"key", ArgType::kString, ArgUse::kRequired, "the field's path"},
    ArgSpec{"query", ArgType::kDocument, ArgUse::kOptional, "which documents"},
    ArgSpec{"hint", ArgType::kHint, ArgUse::kOptional, "the index to use"},
    ArgSpec{"collation", ArgType::kDocument, ArgUse::kOptional, "how strings compare"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
    ArgSpec{"encryptionInformation", ArgType::kDocument, ArgUse::kIgnored,
            "of client-side encryption"},
};

consteval size_t CountArg(std::string_view name) { return ArgIndex(kCountArguments, name); }
consteval size_t DistinctArg(std::string_view name) { return ArgIndex(kDistinctArguments, name); }

void AppendCount(int64_t count, bson::Builder& reply) {
  reply.Append("n", bson::Value::IntFitting(count));
}

absl::StatusOr<int64_t> AbsoluteLimit(const Arguments& arguments) {
  const bson::ValueView value = arguments[CountArg("limit")];
  if (value.IsMissing()) return 0;
  if (!value.IsNumber()) return Error(ErrorCode::kBadValue, "limit value is not a valid number");
  const int64_t limit = bson::ToInt64Truncated(value);
  if (bson::CompareNumbers(value, bson::Value::Int64(limit)) != 0) {
    return Error(ErrorCode::kFailedToParse, "Expected an integer for limit");
  }
  if (limit == std::numeric_limits<int64_t>::min()) {
    return Error(ErrorCode::kBadValue, "Limit value for count cannot be min long");
  }
  return limit < 0 ? -limit : limit;
}

absl::Status RunCount(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  if (ReadConcernLevel(arguments.common()) == "snapshot") {
    return Error(ErrorCode::kInvalidOptions,
                 "Command count does not support the read concern level snapshot");
  }
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  const int64_t skip = arguments.Integer(CountArg("skip"), 0);
  if (skip < 0)
    return Error(ErrorCode::kBadValue,
                 StrCat("BSON field 'skip' value must be >= 0, actual value '", skip, "'"));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t limit, AbsoluteLimit(arguments));
  const auto collection = context.FindCollection(name);
  MAYFLY_RETURN_IF_ERROR(
      CheckCollectionUuid(context, arguments[CountArg("collectionUUID")], name, collection.get()));
  const engine::FindRequest request{.filter = arguments.Document(CountArg("query")),
                                    .skip = skip,
                                    .limit = limit,
                                    .hint = arguments[CountArg("hint")],
                                    .collation = arguments[CountArg("collation")],
                                    .has_moment = collection != nullptr && collection->IsView()};
  if (collection != nullptr && collection->IsView())
    return CountInView(context, *collection, request, reply);
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(
      const auto query, engine::FindQuery::Parse(request, collection.get(), &execution.evaluation));
  int64_t count = 0;
  if (collection != nullptr) {
    if (request.filter.empty() && request.hint.IsMissing()) {
      MAYFLY_ASSIGN_OR_RETURN(count, engine::CountVisible(execution, collection));
      count = std::max<int64_t>(0, count - skip);
      if (limit > 0) count = std::min(count, limit);
    } else {
      MAYFLY_ASSIGN_OR_RETURN(count, engine::CountMatching(execution, *query, collection));
    }
  }
  AppendCount(count, reply);
  return absl::OkStatus();
}

// The different values of one path, in order.
class DistinctValues {
 public:
  DistinctValues(std::string_view path, const bson::StringComparator* strings)
      : values_(Less{strings}) {
    field_.path = std::string(path);
  }

  absl::Status Add(bson::View document) {
    const auto info =
        engine::ForEachKey({&field_, 1}, document, [&](std::span<const bson::ValueView> tuple) {
          const bson::ValueView value = tuple.front();
          // A missing field has no value; neither has an empty array.
          if (value.IsMissing() || (value.type() == bson::Type::kUndefined && value.size() == 0 &&
                                    IsEmptyArray(value))) {
            return;
          }
          if (values_.insert(bson::Value(value)).second) bytes_ += value.size() + 8;
        });
    MAYFLY_RETURN_IF_ERROR(info.status());
    if (bytes_ > base::kMaxBsonObjectSize) return Error(17217, "distinct too big, 16mb cap");
    return absl::OkStatus();
  }

  void AppendTo(bson::Builder& reply) const {
    reply.OpenArray("values");
    for (const bson::Value& value : values_) reply.Push(value);
    reply.Close();
  }

 private:
  struct Less {
    const bson::StringComparator* strings;
    bool operator()(const bson::Value& a, const bson::Value& b) const {
      return bson::Compare(a, b, strings) < 0;
    }
  };
  // ForEachKey marks an empty array by an `undefined` that points to the array's length.
  static bool IsEmptyArray(bson::ValueView value) { return value.data() != nullptr; }

  engine::IndexField field_;
  std::set<bson::Value, Less> values_;
  int64_t bytes_ = 0;
};

// False if no index tells all values; what was added may be added again.
absl::StatusOr<bool> AddFromEntries(engine::ExecutionContext& execution,
                                    const engine::FindQuery& query,
                                    const engine::Collection& collection, std::string_view key,
                                    DistinctValues* values) {
  if (collection.IsView()) return false;
  MAYFLY_ASSIGN_OR_RETURN(const auto path, engine::DistinctPath(query, collection, key));
  if (!path.has_value()) return false;
  return engine::ScanDistinct(execution, collection, *path,
                              [&](bson::View document) { return values->Add(document); });
}

absl::Status AddFromDocuments(CommandContext& context, engine::ExecutionContext& execution,
                              const engine::FindQuery& query,
                              const std::shared_ptr<engine::Collection>& collection,
                              DistinctValues* values) {
  MAYFLY_ASSIGN_OR_RETURN(const ViewOrCollection source,
                          OpenViewOrCollection(context, execution, collection, query));
  engine::Row row;
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, source.stream->Next(&row));
    if (!more) return absl::OkStatus();
    MAYFLY_RETURN_IF_ERROR(values->Add(row.doc()));
  }
}

absl::Status RunDistinct(CommandContext& context, const Arguments& arguments,
                         bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  const std::string_view key = arguments.String(DistinctArg("key"));
  if (key.find('\0') != std::string_view::npos)
    return Error(31032, "Key field cannot contain an embedded null byte");
  const auto collection = context.FindCollection(name);
  MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, arguments[DistinctArg("collectionUUID")],
                                             name, collection.get()));
  const engine::FindRequest request{.filter = arguments.Document(DistinctArg("query")),
                                    .hint = arguments[DistinctArg("hint")],
                                    .collation = arguments[DistinctArg("collation")],
                                    .has_moment = collection != nullptr && collection->IsView()};
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(
      const auto query, engine::FindQuery::Parse(request, collection.get(), &execution.evaluation));
  DistinctValues values(key, query->collation());
  if (collection != nullptr) {
    MAYFLY_ASSIGN_OR_RETURN(const bool complete,
                            AddFromEntries(execution, *query, *collection, key, &values));
    if (!complete) {
      MAYFLY_RETURN_IF_ERROR(AddFromDocuments(context, execution, *query, collection, &values));
    }
  }
  values.AppendTo(reply);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "count",
     .place = Place::kRead,
     .flags = kDefaultTimeLimit,
     .run = RunCount,
     .arguments = kCountArguments,
     .help = "Counts documents."},
    {.name = "distinct",
     .place = Place::kRead,
     .flags = kInTransaction | kDefaultTimeLimit,
     .run = RunDistinct,
     .arguments = kDistinctArguments,
     .help = "Lists the different values of a field."},
};

}  // namespace

std::span<const CommandRow> CountCommands() { return kRows; }

}  // namespace mayfly::commands
