// compact: gives space that removed documents have left back to the file system.
#include <array>
#include <string>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kArguments = {
    ArgSpec{"dryRun", ArgType::kBool, ArgUse::kOptional, "only say how much could be freed"},
    ArgSpec{"force", ArgType::kBool, ArgUse::kIgnored, "there are no secondaries"},
    ArgSpec{"freeSpaceTargetMB", ArgType::kNumber, ArgUse::kOptional,
            "do nothing below so much free space"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

constexpr int64_t kDefaultTargetMb = 20;
constexpr int64_t kBytesPerMb = 1024 * 1024;
constexpr int64_t kPageBytes = 4096;
// Others get to run between runs of so many pages.
constexpr int kPagesPerRun = 256;

absl::Status CheckCollection(CommandContext& context, engine::DatabaseHandle& handle,
                             std::string_view name) {
  return handle.storage().Run({}, [&](engine::Transaction& transaction) -> absl::Status {
    MAYFLY_ASSIGN_OR_RETURN(const engine::Catalog* const catalog, handle.GetCatalog(transaction));
    const auto collection = catalog->Find(name);
    if (collection == nullptr) {
      return Error(ErrorCode::kNamespaceNotFound,
                   StrCat("collection does not exist: ", FullName(context, name)));
    }
    return collection->IsView() ? NotOnView(collection->ns()) : absl::OkStatus();
  });
}

absl::StatusOr<int64_t> FreePages(CommandContext& context, engine::DatabaseHandle& handle) {
  int64_t freed = 0;
  while (true) {
    MAYFLY_RETURN_IF_ERROR(context.interrupt->Check());
    int pages = 0;
    MAYFLY_RETURN_IF_ERROR(handle.storage().Run(
        {.access = engine::Access::kWrite, .priority = engine::Priority::kBackground},
        [&](engine::Transaction& transaction) -> absl::Status {
          MAYFLY_ASSIGN_OR_RETURN(pages, handle.storage().Vacuum(transaction, kPagesPerRun, 0));
          return absl::OkStatus();
        }));
    freed += pages;
    if (pages < kPagesPerRun) return freed;
  }
}

absl::Status RunCompact(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  const int64_t target_mb = arguments.Integer(Arg("freeSpaceTargetMB"), kDefaultTargetMb);
  if (target_mb < 1) {
    return Error(ErrorCode::kBadValue,
                 StrCat("BSON field 'freeSpaceTargetMB' value must be >= 1, actual value '",
                        target_mb, "'"));
  }
  MAYFLY_ASSIGN_OR_RETURN(
      const auto handle,
      context.services.engine.Open(context.database_name(), engine::Store::IfMissing::kNull));
  if (handle == nullptr) {
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("collection does not exist: ", FullName(context, name)));
  }
  MAYFLY_RETURN_IF_ERROR(CheckCollection(context, *handle, name));
  const int64_t free_bytes = handle->storage().Stats().free_bytes;
  const bool worthwhile = free_bytes / kBytesPerMb >= target_mb;
  if (arguments.Flag(Arg("dryRun"))) {
    reply.Append("estimatedBytesFreed", bson::Value::IntFitting(worthwhile ? free_bytes : 0));
    return absl::OkStatus();
  }
  int64_t pages = 0;
  if (worthwhile) {
    MAYFLY_ASSIGN_OR_RETURN(pages, FreePages(context, *handle));
  }
  reply.Append("bytesFreed", bson::Value::IntFitting(pages * kPageBytes));
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "compact",
     .place = Place::kWritingWorker,
     .flags = kNoApiVersion | kNoConcerns | kOwnWriteBlock | kTakesWriteConcern,
     .run = RunCompact,
     .arguments = kArguments,
     .help = "Gives free space of the database's file back to the file system."},
};

}  // namespace

std::span<const CommandRow> CompactCommands() { return kRows; }

}  // namespace mayfly::commands
