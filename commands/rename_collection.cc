// renameCollection: within one database, or into another one by copying.
#include <array>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/state.h"
#include "engine/catalog/namespace.h"
#include "engine/catalog/record.h"
#include "engine/collection/writer.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using engine::Collection;
using engine::DatabaseHandle;
using engine::Transaction;

constexpr std::array kRenameArguments = {
    ArgSpec{"to", ArgType::kString, ArgUse::kRequired, "the new full name"},
    ArgSpec{"dropTarget", ArgType::kAny, ArgUse::kNotNull,
            "drop a collection of the new name first; a UUID: only that one"},
    ArgSpec{"stayTemp", ArgType::kBool, ArgUse::kIgnored, "collections are not temporary here"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
};

// Documents are copied in runs of so many bytes, each one operation of the target.
constexpr size_t kRunBytes = 8 * 1024 * 1024;

absl::Status TargetExists() {
  return Error(ErrorCode::kNamespaceExists, "target namespace exists");
}

// Which collection of the new name may be dropped.
struct DropTarget {
  bool allowed = false;
  bson::ValueView uuid;  // missing: any
};

absl::StatusOr<DropTarget> ReadDropTarget(bson::ValueView value) {
  if (value.IsMissing()) return DropTarget();
  if (value.IsBool()) return DropTarget{.allowed = value.AsBool(), .uuid = {}};
  if (value.type() != bson::Type::kBinary) {
    return WrongTypeError("renameCollection", "dropTarget", value.type(), "[bool, binData]");
  }
  const bson::Binary uuid = value.AsBinary();
  if (uuid.subtype != bson::kBinaryUuid || uuid.bytes.size() != sizeof(engine::Uuid)) {
    return Error(ErrorCode::kInvalidUUID, "dropTarget must be a boolean or a UUID");
  }
  return DropTarget{.allowed = true, .uuid = value};
}

struct Rename {
  engine::NamespaceView from;
  engine::NamespaceView to;
  DropTarget drop_target;
  bson::ValueView uuid;
};

absl::Status RenameWithin(CommandContext& context, const Rename& rename) {
  const std::string_view database = rename.from.database;
  const std::string_view from = rename.from.collection;
  const std::string_view to = rename.to.collection;
  MAYFLY_ASSIGN_OR_RETURN(const auto handle,
                          context.services.engine.Open(database, engine::Store::IfMissing::kNull));
  if (handle == nullptr) {
    MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, rename.drop_target.uuid, to, nullptr));
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("Source collection ", database, ".", from, " does not exist"));
  }
  return handle->storage().Run(
      {.access = engine::Access::kWrite}, [&](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, handle->GetCatalog(transaction));
        const auto source = catalog->Find(from);
        context.catalog = catalog;
        const auto target = catalog->Find(to);
        MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, rename.uuid, from, source.get()));
        MAYFLY_RETURN_IF_ERROR(
            CheckCollectionUuid(context, rename.drop_target.uuid, to, target.get()));
        if (source == nullptr) {
          return Error(ErrorCode::kNamespaceNotFound,
                       StrCat("Source collection ", database, ".", from, " does not exist"));
        }
        if (source->IsView()) return NotOnView(source->ns());
        if (from == to)
          return Error(ErrorCode::kIllegalOperation, "Can't rename a collection to itself");
        if (target != nullptr) {
          if (!rename.drop_target.allowed || target->IsView()) return TargetExists();
          MAYFLY_RETURN_IF_ERROR(catalog->Drop(transaction, *target));
        }
        return catalog->Rename(transaction, *source, to);
      });
}

// Copies a collection into another database. Runs inside an operation of the source, which holds
// back its writers, as MongoDB's lock does, and waits there for operations of the target. Waiting
// inside an operation is safe only because it is another database and one command does it at a
// time.
class CrossCopy {
 public:
  CrossCopy(CommandContext& context, DatabaseHandle& target, std::string_view to, bool drop_target)
      : context_(context),
        target_(target),
        to_(to),
        temporary_(StrCat("tmp.rename.", context.evaluation.random->NextU64())),
        drop_target_(drop_target) {}

  absl::Status Run(Transaction& source, const Collection& from) {
    MAYFLY_RETURN_IF_ERROR(
        InTarget([&](engine::WriteContext& write) { return Create(write, from); }));
    absl::Status status = Copy(source, from);
    if (status.ok()) status = InTarget([&](engine::WriteContext& write) { return Finish(write); });
    if (status.ok()) return status;
    // The copy's own failure is what the client is told.
    InTarget([&](engine::WriteContext& write) { return Discard(write); }).IgnoreError();
    return status;
  }

 private:
  absl::Status InTarget(absl::FunctionRef<absl::Status(engine::WriteContext&)> body) {
    return target_.storage().Run(
        {.access = engine::Access::kWrite}, [&](Transaction& transaction) -> absl::Status {
          MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, target_.GetCatalog(transaction));
          engine::WriteContext write{.transaction = transaction,
                                     .catalog = *catalog,
                                     .evaluation = context_.evaluation,
                                     .modified_ms = target_.StampModification(context_.now_ms),
                                     .expiry_listener = context_.services.engine.expiry_listener(),
                                     .bypass_validation = true};
          return body(write);
        });
  }

  absl::Status CheckFree(const engine::Catalog& catalog) const {
    const auto there = catalog.Find(to_);
    if (there == nullptr || (drop_target_ && !there->IsView())) return absl::OkStatus();
    return TargetExists();
  }

  absl::Status Create(engine::WriteContext& write, const Collection& from) {
    MAYFLY_RETURN_IF_ERROR(CheckFree(write.catalog));
    MAYFLY_ASSIGN_OR_RETURN(engine::CollectionOptions options,
                            engine::CollectionOptionsFromStored(from.options().stored));
    options.temporary = true;
    MAYFLY_ASSIGN_OR_RETURN(const auto copy,
                            write.catalog.Create(write.transaction, temporary_, std::move(options),
                                                 context_.services.engine.NewUuid()));
    for (const auto& index : from.ReadyIndexes()) {
      if (index->spec.IsId()) continue;
      MAYFLY_RETURN_IF_ERROR(
          write.catalog.AddIndex(write.transaction, *copy, index->spec).status());
    }
    return absl::OkStatus();
  }

  absl::Status Copy(Transaction& source, const Collection& from) {
    auto cursor = source.NewRecordCursor(from.state().records, engine::Direction::kForward);
    std::vector<bson::Document> run;
    size_t bytes = 0;
    while (true) {
      MAYFLY_RETURN_IF_ERROR(context_.interrupt->Check());
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more) return Write(run);
      const engine::RecordView record = engine::ReadRecord(cursor->value());
      if (record.header.IsExpired(from.last_write_rule(), context_.now_ms)) continue;
      run.emplace_back(record.document);
      bytes += run.back().view().size();
      if (bytes < kRunBytes) continue;
      MAYFLY_RETURN_IF_ERROR(Write(run));
      run.clear();
      bytes = 0;
    }
  }

  absl::Status Write(const std::vector<bson::Document>& run) {
    return InTarget([&](engine::WriteContext& write) -> absl::Status {
      const auto copy = write.catalog.Find(temporary_);
      if (copy == nullptr) return NamespaceNotFound(temporary_);
      engine::CollectionWriter writer(write, copy);
      for (const bson::Document& document : run) {
        MAYFLY_RETURN_IF_ERROR(writer.Insert(document).status());
      }
      return absl::OkStatus();
    });
  }

  absl::Status Finish(engine::WriteContext& write) {
    MAYFLY_RETURN_IF_ERROR(CheckFree(write.catalog));
    const auto copy = write.catalog.Find(temporary_);
    if (copy == nullptr) return NamespaceNotFound(temporary_);
    if (const auto there = write.catalog.Find(to_); there != nullptr) {
      MAYFLY_RETURN_IF_ERROR(write.catalog.Drop(write.transaction, *there));
    }
    return write.catalog.Rename(write.transaction, *copy, to_);
  }

  absl::Status Discard(engine::WriteContext& write) {
    const auto copy = write.catalog.Find(temporary_);
    return copy == nullptr ? absl::OkStatus() : write.catalog.Drop(write.transaction, *copy);
  }

  CommandContext& context_;
  DatabaseHandle& target_;
  const std::string to_;
  const std::string temporary_;
  const bool drop_target_;
};

absl::Status RenameAcross(CommandContext& context, const Rename& rename) {
  if (!rename.drop_target.uuid.IsMissing()) {
    return Error(ErrorCode::kInvalidOptions,
                 "dropTarget cannot be a UUID when renaming across databases");
  }
  const auto missing = [&] {
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("Source collection ", rename.from.ToString(), " does not exist"));
  };
  MAYFLY_ASSIGN_OR_RETURN(
      const auto source,
      context.services.engine.Open(rename.from.database, engine::Store::IfMissing::kNull));
  if (source == nullptr) return missing();
  // One at a time: two in opposite directions would wait for each other.
  const std::lock_guard lock(context.state->cross_rename_mutex);
  return source->storage().Run(
      {.access = engine::Access::kWrite}, [&](Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, source->GetCatalog(transaction));
        const auto from = catalog->Find(rename.from.collection);
        context.catalog = catalog;
        MAYFLY_RETURN_IF_ERROR(
            CheckCollectionUuid(context, rename.uuid, rename.from.collection, from.get()));
        if (from == nullptr) return missing();
        if (from->IsView()) return NotOnView(from->ns());
        MAYFLY_ASSIGN_OR_RETURN(
            const auto target,
            context.services.engine.Open(rename.to.database, engine::Store::IfMissing::kCreate));
        CrossCopy copy(context, *target, rename.to.collection, rename.drop_target.allowed);
        MAYFLY_RETURN_IF_ERROR(copy.Run(transaction, *from));
        return catalog->Drop(transaction, *from);
      });
}

bool IsOplog(const engine::NamespaceView& ns) {
  return ns.database == "local" && ns.collection.starts_with("oplog.");
}

// Names that no collection can have are 73, those that merely none may be given are 20.
absl::Status CheckName(const engine::NamespaceView& ns) {
  const absl::Status database = engine::CheckDatabaseName(ns.database);
  const absl::Status status =
      database.ok() ? engine::CheckCollectionName(ns.database, ns.collection) : database;
  const std::string whole = ns.ToString();
  if (status.ok() || ns.database.empty() || ns.collection.empty() || ns.collection.front() == '.' ||
      whole.find('\0') != std::string::npos) {
    return status;
  }
  const bool dollar = whole.find('$') != std::string::npos;
  const bool lengthy = whole.size() > base::kMaxNamespaceLength;
  return dollar || lengthy
             ? Error(ErrorCode::kIllegalOperation, StrCat("illegal namespace: ", whole))
             : status;
}

absl::Status RunRename(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  const bson::ValueView target = arguments.target();
  if (target.IsNullish()) {
    return Error(40414,
                 "BSON field 'renameCollection.renameCollection' is missing but a required field");
  }
  if (!target.IsString())
    return WrongTypeError("renameCollection", "renameCollection", target.type(), "string");
  const engine::NamespaceView from = engine::SplitNamespace(target.AsString());
  const engine::NamespaceView to =
      engine::SplitNamespace(arguments.String(ArgIndex(kRenameArguments, "to")));
  for (const engine::NamespaceView& ns : {from, to}) {
    MAYFLY_RETURN_IF_ERROR(CheckName(ns));
    MAYFLY_RETURN_IF_ERROR(context.state->user_write_block.Check(ns.database));
  }
  if (engine::IsSystemCollection(from.collection) || engine::IsSystemCollection(to.collection) ||
      IsOplog(from) || IsOplog(to)) {
    return Error(ErrorCode::kIllegalOperation, "renaming system collections is not allowed");
  }
  Rename rename{.from = from, .to = to, .drop_target = {}, .uuid = {}};
  MAYFLY_ASSIGN_OR_RETURN(rename.drop_target,
                          ReadDropTarget(arguments[ArgIndex(kRenameArguments, "dropTarget")]));
  rename.uuid = arguments[ArgIndex(kRenameArguments, "collectionUUID")];
  MAYFLY_RETURN_IF_ERROR(from.database == to.database ? RenameWithin(context, rename)
                                                      : RenameAcross(context, rename));
  NotifyRulesChanged(context, from.database);
  NotifyRulesChanged(context, to.database);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "renameCollection",
     .place = Place::kWritingWorker,
     .flags = kAdminOnly | kNoApiVersion | kNoConcerns | kTakesWriteConcern,
     .run = RunRename,
     .arguments = kRenameArguments,
     .help = "Renames a collection; into another database it is copied."},
};

}  // namespace

std::span<const CommandRow> RenameCommands() { return kRows; }

}  // namespace mayfly::commands
