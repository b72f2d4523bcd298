// collMod: changes options of a collection, an index or a view.
#include <algorithm>
#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/create_options.h"
#include "commands/families.h"
#include "engine/catalog/catalog_rows.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;
using engine::Collection;
using engine::Index;
using engine::IndexSpec;

constexpr std::array kArguments = {
    ArgSpec{"index", ArgType::kDocument, ArgUse::kOptional,
            "{keyPattern or name, expireAfterSeconds, hidden ...}"},
    ArgSpec{"validator", ArgType::kDocument, ArgUse::kOptional, "filter that documents must match"},
    ArgSpec{"validationLevel", ArgType::kString, ArgUse::kOptional, "off, strict or moderate"},
    ArgSpec{"validationAction", ArgType::kString, ArgUse::kOptional, "error or warn"},
    ArgSpec{"viewOn", ArgType::kString, ArgUse::kOptional, "of a view"},
    ArgSpec{"pipeline", ArgType::kArray, ArgUse::kOptional, "of a view"},
    ArgSpec{"changeStreamPreAndPostImages", ArgType::kDocument, ArgUse::kOptional, "{enabled}"},
    ArgSpec{"cappedSize", ArgType::kNumber, ArgUse::kOptional, "bytes of a capped collection"},
    ArgSpec{"cappedMax", ArgType::kNumber, ArgUse::kOptional, "documents of a capped collection"},
    ArgSpec{"dryRun", ArgType::kFlag, ArgUse::kOptional,
            "only check whether an index can become unique"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

constexpr std::array kIndexFields = {
    ArgSpec{"name", ArgType::kString, ArgUse::kOptional, "the index by name"},
    ArgSpec{"keyPattern", ArgType::kDocument, ArgUse::kOptional, "or by key pattern"},
    ArgSpec{"expireAfterSeconds", ArgType::kNumber, ArgUse::kOptional, "the lifetime"},
    ArgSpec{"hidden", ArgType::kFlag, ArgUse::kOptional, "hide from the planner"},
    ArgSpec{"unique", ArgType::kFlag, ArgUse::kOptional, "make unique; needs prepareUnique first"},
    ArgSpec{"prepareUnique", ArgType::kFlag, ArgUse::kOptional,
            "refuse new duplicates from now on"},
};

consteval size_t Field(std::string_view name) { return ArgIndex(kIndexFields, name); }

absl::StatusOr<std::shared_ptr<const Index>> FindIndex(const Collection& collection,
                                                       const Arguments& fields) {
  const bool by_name = fields.Has(Field("name"));
  const bool by_key = fields.Has(Field("keyPattern"));
  if (by_name == by_key) {
    return Error(ErrorCode::kInvalidOptions,
                 by_name ? "Cannot specify both key pattern and name."
                         : "Must specify either index name or key pattern.");
  }
  if (by_name) {
    auto index = collection.FindIndex(fields.String(Field("name")));
    if (index != nullptr) return index;
    return Error(
        ErrorCode::kIndexNotFound,
        StrCat("cannot find index ", fields.String(Field("name")), " for ns ", collection.ns()));
  }
  const bson::View key = fields.Document(Field("keyPattern"));
  std::shared_ptr<const Index> found;
  for (const auto& index : collection.indexes()) {
    if (bson::CompareDocuments(index->spec.key, key) != 0) continue;
    if (found != nullptr) {
      return Error(ErrorCode::kAmbiguousIndexKeyPattern,
                   StrCat("index keyPattern ", bson::ToShellText(key),
                          " matches several indexes, use the name"));
    }
    found = index;
  }
  if (found != nullptr) return found;
  return Error(ErrorCode::kIndexNotFound,
               StrCat("cannot find index ", bson::ToShellText(key), " for ns ", collection.ns()));
}

// A lifetime as MongoDB's collMod reads numbers: decimals are rounded half to even, other fractions
// cut; NaN is 0; what is too large is the largest.
bson::Value CoerceLifetime(ValueView number) {
  if (!number.IsNumber()) return bson::Value(number);
  if (bson::IsNaN(number)) return bson::Value::Int64(0);
  int64_t seconds = 0;
  if (number.type() == bson::Type::kDecimal128) {
    const bson::Decimal128 decimal = number.AsDecimal128();
    const auto rounded =
        bson::DecimalToInt64(bson::DecimalRound(decimal, bson::RoundingMode::kHalfEven));
    seconds =
        rounded.value_or(bson::DecimalIsNegative(decimal) ? std::numeric_limits<int64_t>::min()
                                                          : std::numeric_limits<int64_t>::max());
  } else {
    seconds = bson::ToInt64Truncated(number);
  }
  return bson::Value::Int64(std::min<int64_t>(seconds, std::numeric_limits<int32_t>::max()));
}

// Changes one index's specification step by step and notes what the reply says.
class IndexChange {
 public:
  IndexChange(const std::shared_ptr<const Index>& index, bson::Builder& reply)
      : index_(index), spec_(index->spec), reply_(reply) {}

  absl::Status Lifetime(ValueView value) {
    if (value.IsMissing()) return absl::OkStatus();
    if (spec_.fields.size() != 1 || spec_.IsId() || spec_.IsWildcard()) {
      return Error(ErrorCode::kInvalidOptions,
                   "TTL indexes are single-field indexes, this one cannot have a lifetime");
    }
    // The rule on _ts takes what createIndexes takes, lest a slip hides everything.
    const auto parsed = engine::ParseExpireAfterSeconds(
        spec_.key,
        engine::IsLastModificationKey(spec_.key) ? bson::Value(value) : CoerceLifetime(value));
    if (!parsed.ok()) return Error(ErrorCode::kInvalidOptions, base::MessageOf(parsed.status()));
    if (spec_.expire_after_seconds.has_value()) {
      reply_.Int64("expireAfterSeconds_old", *spec_.expire_after_seconds);
    }
    reply_.Int64("expireAfterSeconds_new", *parsed);
    spec_ = engine::WithExpireAfterSeconds(spec_, *parsed);
    return absl::OkStatus();
  }

  absl::Status Hidden(const Arguments& fields) {
    if (!fields.Has(Field("hidden"))) return absl::OkStatus();
    if (spec_.IsId()) return Error(ErrorCode::kBadValue, "can't hide _id index");
    const bool hidden = fields.Flag(Field("hidden"));
    if (hidden == spec_.hidden) return absl::OkStatus();
    reply_.Bool("hidden_old", spec_.hidden).Bool("hidden_new", hidden);
    spec_ = engine::WithHidden(spec_, hidden);
    return absl::OkStatus();
  }

  bool changed() const { return spec_.stored.bytes() != index_->spec.stored.bytes(); }
  const IndexSpec& spec() const { return spec_; }

 private:
  std::shared_ptr<const Index> index_;
  IndexSpec spec_;
  bson::Builder& reply_;
};

absl::Status ModifyIndex(CommandContext& context, Collection& collection, bson::View request,
                         bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const Arguments fields,
                          Arguments::ParseFields(request, "collMod.index", kIndexFields));
  MAYFLY_ASSIGN_OR_RETURN(const auto index, FindIndex(collection, fields));
  const bool names_change = fields.Has(Field("expireAfterSeconds")) ||
                            fields.Has(Field("hidden")) || fields.Has(Field("unique")) ||
                            fields.Has(Field("prepareUnique"));
  if (!names_change) {
    return Error(ErrorCode::kInvalidOptions,
                 "no expireAfterSeconds, hidden, unique, or prepareUnique field");
  }
  if (fields.Flag(Field("unique")) || fields.Flag(Field("prepareUnique"))) {
    return Error(ErrorCode::kCommandNotSupported,
                 "this server does not convert indexes to unique ones; make a new index");
  }
  IndexChange change(index, reply);
  MAYFLY_RETURN_IF_ERROR(change.Lifetime(fields[Field("expireAfterSeconds")]));
  MAYFLY_RETURN_IF_ERROR(change.Hidden(fields));
  if (!change.changed()) return absl::OkStatus();
  const engine::SpaceId space = index->space;
  const bool becomes_rule = change.spec().IsLastWriteTtl();
  engine::SpaceId expiry = collection.state().expiry;
  if (becomes_rule && expiry == 0) {
    MAYFLY_ASSIGN_OR_RETURN(expiry, context.transaction->CreateSpace(engine::SpaceKind::kKeys));
  }
  // A rule has no entries; those it had as an ordinary index go.
  engine::SpaceId new_space = space;
  if (!change.spec().HasEntries() && index->spec.HasEntries()) {
    MAYFLY_RETURN_IF_ERROR(context.transaction->DropSpace(space));
    MAYFLY_ASSIGN_OR_RETURN(new_space, context.transaction->CreateSpace(engine::SpaceKind::kKeys));
  }
  const engine::RecordId end = collection.counters().next_record;
  MAYFLY_RETURN_IF_ERROR(
      context.catalog->Modify(*context.transaction, collection, [&](Collection::State& state) {
        for (auto& entry : state.indexes) {
          if (entry->space != space) continue;
          auto changed = std::make_shared<Index>(*entry);
          changed->spec = change.spec();
          changed->space = new_space;
          entry = std::move(changed);
        }
        if (state.expiry != expiry) {
          state.expiry = expiry;
          state.backfill = {.next = 1, .end = end};
        }
      }));
  if (auto* listener = context.services.engine.expiry_listener(); listener != nullptr) {
    listener->OnRulesChanged(context.database_name());
  }
  return absl::OkStatus();
}

// The stored options with the named ones replaced.
bson::Document MergeOptions(bson::View stored, const bson::Document& changes) {
  bson::Builder builder;
  for (const bson::Element& element : stored) {
    const ValueView changed = changes.Find(element.key);
    builder.Append(element.key, changed.IsMissing() ? element.value : changed);
  }
  for (const bson::Element& element : changes.view()) {
    if (!stored.Has(element.key)) builder.Append(element);
  }
  return builder.Finish();
}

absl::StatusOr<bson::Document> ReadChanges(const Collection& collection,
                                           const Arguments& arguments) {
  bson::Builder changes;
  const bool names_view = arguments.Has(Arg("viewOn")) || arguments.Has(Arg("pipeline"));
  if (names_view && !collection.IsView()) {
    return Error(ErrorCode::kInvalidOptions, "'viewOn' and 'pipeline' are options of views");
  }
  if (collection.IsView() && names_view &&
      !(arguments.Has(Arg("viewOn")) && arguments.Has(Arg("pipeline")))) {
    return Error(ErrorCode::kInvalidOptions,
                 "Must specify both 'viewOn' and 'pipeline' when modifying a view");
  }
  for (const size_t index : {Arg("validator"), Arg("validationLevel"), Arg("validationAction"),
                             Arg("viewOn"), Arg("pipeline"), Arg("changeStreamPreAndPostImages")}) {
    changes.Append(kArguments[index].name, arguments[index]);
  }
  const auto capped = [&](size_t index, std::string_view name) -> absl::Status {
    if (!arguments.Has(index)) return absl::OkStatus();
    if (!collection.options().capped) {
      return Error(ErrorCode::kInvalidOptions,
                   StrCat(kArguments[index].name, " is an option of capped collections"));
    }
    changes.Append(name, bson::Value::IntFitting(arguments.Integer(index, 0)));
    return absl::OkStatus();
  };
  MAYFLY_RETURN_IF_ERROR(capped(Arg("cappedSize"), "size"));
  MAYFLY_RETURN_IF_ERROR(capped(Arg("cappedMax"), "max"));
  return changes.Finish();
}

absl::Status CheckWords(const Arguments& arguments) {
  const std::string_view level = arguments.String(Arg("validationLevel"), "strict");
  if (level != "off" && level != "strict" && level != "moderate") {
    return Error(ErrorCode::kBadValue,
                 StrCat("Enumeration value '", level,
                        "' for field 'collMod.validationLevel' is not a valid value."));
  }
  const std::string_view action = arguments.String(Arg("validationAction"), "error");
  if (action != "error" && action != "warn" && action != "errorAndLog") {
    return Error(ErrorCode::kBadValue,
                 StrCat("Enumeration value '", action,
                        "' for field 'collMod.validationAction' is not a valid value."));
  }
  return absl::OkStatus();
}

absl::Status RunCollMod(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  const auto collection = context.FindCollection(name);
  MAYFLY_RETURN_IF_ERROR(
      CheckCollectionUuid(context, arguments[Arg("collectionUUID")], name, collection.get()));
  if (collection == nullptr) {
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("ns does not exist: ", FullName(context, name)));
  }
  MAYFLY_RETURN_IF_ERROR(CheckWords(arguments));
  if (arguments.Has(Arg("index"))) {
    if (collection->IsView()) {
      return Error(ErrorCode::kInvalidOptions,
                   StrCat("option not supported on a view: index, ", collection->ns()));
    }
    MAYFLY_RETURN_IF_ERROR(
        ModifyIndex(context, *collection, arguments.Document(Arg("index")), reply));
  }
  MAYFLY_ASSIGN_OR_RETURN(const bson::Document changes, ReadChanges(*collection, arguments));
  if (changes.empty()) return absl::OkStatus();
  MAYFLY_ASSIGN_OR_RETURN(
      engine::CollectionOptions options,
      engine::CollectionOptionsFromStored(MergeOptions(collection->options().stored, changes)));
  if (options.IsView()) MAYFLY_RETURN_IF_ERROR(CheckViewDefinition(context, name, options));
  return context.catalog->Modify(*context.transaction, *collection, [&](Collection::State& state) {
    state.options = std::move(options);
  });
}

constexpr CommandRow kRows[] = {
    {.name = "collMod",
     .place = Place::kWrite,
     .run = RunCollMod,
     .arguments = kArguments,
     .help =
         "Changes options of a collection, view or index; an index's lifetime in constant time."},
};

}  // namespace

std::span<const CommandRow> CollModCommands() { return kRows; }

}  // namespace mayfly::commands
