#include "commands/coll_mod_index.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "engine/collection/unique_conversion.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;
using engine::Collection;
using engine::Index;
using engine::IndexSpec;

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
  for (const auto& index : collection.ReadyIndexes()) {
    if (index->spec.clustered) continue;
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
    MAYFLY_ASSIGN_OR_RETURN(const int32_t seconds, ReadSeconds(value));
    if (spec_.expire_after_seconds.has_value()) {
      reply_.Int64("expireAfterSeconds_old", *spec_.expire_after_seconds);
    }
    reply_.Int64("expireAfterSeconds_new", seconds);
    if (spec_.expire_after_seconds == seconds) return absl::OkStatus();
    spec_ = engine::WithExpireAfterSeconds(spec_, seconds);
    return absl::OkStatus();
  }

  absl::Status Hidden(const Arguments& fields) {
    if (!fields.Has(Field("hidden"))) return absl::OkStatus();
    if (spec_.clustered) return Error(6011800, "the clusteredIndex cannot be hidden or unhidden");
    if (spec_.IsId()) return Error(ErrorCode::kBadValue, "can't hide _id index");
    const bool hidden = fields.Flag(Field("hidden"));
    if (hidden == spec_.hidden) return absl::OkStatus();
    reply_.Bool("hidden_old", spec_.hidden).Bool("hidden_new", hidden);
    spec_ = engine::WithHidden(spec_, hidden);
    return absl::OkStatus();
  }

  // Must come last: it goes with no other change.
  absl::Status PrepareUnique(const Arguments& fields) {
    if (!fields.Has(Field("prepareUnique"))) return absl::OkStatus();
    const bool prepare = fields.Flag(Field("prepareUnique"));
    if (prepare == spec_.prepare_unique) return absl::OkStatus();
    if (changed() || fields.Has(Field("expireAfterSeconds"))) {
      return Error(ErrorCode::kInvalidOptions,
                   "prepareUnique cannot be changed together with other options of the index");
    }
    reply_.Bool("prepareUnique_old", spec_.prepare_unique).Bool("prepareUnique_new", prepare);
    spec_ = engine::WithPrepareUnique(spec_, prepare);
    return absl::OkStatus();
  }

  bool changed() const { return spec_.stored.bytes() != index_->spec.stored.bytes(); }
  const IndexSpec& spec() const { return spec_; }

 private:
  absl::StatusOr<int32_t> ReadSeconds(ValueView value) const {
    if (!engine::IsLastModificationKey(spec_.key)) {
      const int64_t seconds = bson::ToInt64Rounded(value);
      if (seconds < 0) {
        return Error(ErrorCode::kInvalidOptions,
                     "TTL index 'expireAfterSeconds' option cannot be less than 0");
      }
      return static_cast<int32_t>(std::min<int64_t>(seconds, std::numeric_limits<int32_t>::max()));
    }
    const auto parsed = engine::ParseExpireAfterSeconds(spec_.key, value);
    if (!parsed.ok()) return Error(ErrorCode::kInvalidOptions, base::MessageOf(parsed.status()));
    return *parsed;
  }

  std::shared_ptr<const Index> index_;
  IndexSpec spec_;
  bson::Builder& reply_;
};

absl::Status Convert(CommandContext& context, Collection& collection, const Index& index,
                     bool dry_run, bson::Builder& reply) {
  if (index.spec.unique) return absl::OkStatus();
  if (!index.spec.prepare_unique) {
    return Error(ErrorCode::kInvalidOptions,
                 "Cannot make index unique with 'unique=true'. Run collMod to set it to "
                 "'prepareUnique' first.");
  }
  const engine::WriteContext write = MakeWriteContext(context);
  MAYFLY_ASSIGN_OR_RETURN(const auto duplicates, engine::FindDuplicates(write, collection, index));
  if (!duplicates.empty()) {
    bson::Builder violations;
    violations.OpenArray("violations");
    for (const auto& ids : duplicates) {
      violations.PushOpenDocument().OpenArray("ids");
      for (const bson::Value& id : ids) violations.Push(id);
      violations.Close().Close();
    }
    violations.Close();
    return base::WithErrorFields(
        Error(ErrorCode::kCannotConvertIndexToUnique,
              "Cannot convert the index to unique. Please resolve conflicting documents before "
              "running collMod again."),
        violations.Finish().bytes());
  }
  if (dry_run) return absl::OkStatus();
  MAYFLY_RETURN_IF_ERROR(engine::ConvertToUnique(write, collection, index));
  reply.Bool("unique_new", true);
  return absl::OkStatus();
}

absl::Status Apply(CommandContext& context, Collection& collection, const Index& index,
                   const IndexSpec& changed_spec) {
  const engine::SpaceId space = index.space;
  const bool becomes_rule = changed_spec.IsLastWriteTtl();
  engine::SpaceId expiry = collection.state().expiry;
  if (becomes_rule && expiry == 0) {
    MAYFLY_ASSIGN_OR_RETURN(expiry, context.transaction->CreateSpace(engine::SpaceKind::kKeys));
  }
  // A rule has no entries; those it had as an ordinary index go.
  engine::SpaceId new_space = space;
  if (!changed_spec.HasEntries() && index.spec.HasEntries()) {
    MAYFLY_RETURN_IF_ERROR(context.transaction->DropSpace(space));
    MAYFLY_ASSIGN_OR_RETURN(new_space, context.transaction->CreateSpace(engine::SpaceKind::kKeys));
  }
  const engine::RecordId end = collection.counters().next_record;
  MAYFLY_RETURN_IF_ERROR(
      context.catalog->Modify(*context.transaction, collection, [&](Collection::State& state) {
        for (auto& entry : state.indexes) {
          if (entry->space != space) continue;
          auto changed = std::make_shared<Index>(*entry);
          if (changed_spec.hidden != changed->spec.hidden) {
            changed->usage = std::make_shared<engine::IndexUsage>(
                engine::IndexUsage{.since_ms = context.now_ms});
          }
          changed->spec = changed_spec;
          changed->space = new_space;
          entry = std::move(changed);
        }
        if (state.expiry != expiry) {
          state.expiry = expiry;
          state.backfill = {.next = 1, .end = end};
        }
      }));
  NotifyRulesChanged(context, context.database_name());
  return absl::OkStatus();
}

}  // namespace

absl::Status ModifyIndex(CommandContext& context, Collection& collection, bson::View request,
                         bool dry_run, bson::Builder& reply) {
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
  if (fields.Has(Field("unique"))) {
    if (!fields.Flag(Field("unique"))) {
      return Error(ErrorCode::kBadValue, "Cannot make index non-unique");
    }
    return Convert(context, collection, *index, dry_run, reply);
  }
  if (dry_run) {
    return Error(ErrorCode::kInvalidOptions,
                 "The 'dryRun' option is only supported with the 'unique' option");
  }
  IndexChange change(index, reply);
  MAYFLY_RETURN_IF_ERROR(change.Lifetime(fields[Field("expireAfterSeconds")]));
  MAYFLY_RETURN_IF_ERROR(change.Hidden(fields));
  MAYFLY_RETURN_IF_ERROR(change.PrepareUnique(fields));
  if (!change.changed()) return absl::OkStatus();
  return Apply(context, collection, *index, change.spec());
}

}  // namespace mayfly::commands
