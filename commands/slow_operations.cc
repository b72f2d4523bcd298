#include "commands/slow_operations.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/number.h"
#include "commands/state.h"
#include "engine/collection/writer.h"

namespace mayfly::commands {
namespace {

constexpr size_t kMaxShownBytes = 1024;
constexpr size_t kMaxRecordedBytes = 64 * 1024;
constexpr std::string_view kProfileCollection = "system.profile";
constexpr int64_t kProfileBytes = 1024 * 1024;

bson::Document Describe(const CommandContext& context, const EndedOperation& operation) {
  const bson::View body = context.invocation.body;
  const std::string_view database = context.invocation.database;
  bson::Builder record;
  record.String("op", operation.kind);
  record.String("ns", base::StrCat(database, ".",
                                   operation.collection.empty() ? "$cmd" : operation.collection));
  if (static_cast<size_t>(body.size()) <= kMaxRecordedBytes) {
    record.OpenDocument("command").AppendAll(body);
    record.Append("comment", context.inherited_comment).Close();
  } else {
    record.OpenDocument("command").String("$truncated", body.First().key).Close();
  }
  record.Int32("numYield", 0);
  record.Append("responseLength", bson::Value::IntFitting(operation.response_bytes));
  record.String("protocol", "op_msg");
  if (!operation.status.ok()) {
    const auto code = base::CodeOf(operation.status);
    record.String("errMsg", base::MessageOf(operation.status));
    record.String("errName", base::ErrorCodeName(code)).Int32("errCode", static_cast<int>(code));
  }
  record.Append("millis", bson::Value::IntFitting(operation.time_us / 1000));
  record.Date("ts", context.now_ms);
  const ClientState& client = context.client();
  record.String("client", client.remote).String("appName", client.app_name);
  record.OpenArray("allUsers").Close().String("user", "");
  return record.Finish();
}

struct Wanted {
  int32_t level = 0;
  std::shared_ptr<const engine::FilterNode> filter;
};

Wanted SettingsOf(const CommandContext& context) {
  ProfileSettings& settings = context.state->profile;
  if (!settings.any_profile.load(std::memory_order_relaxed)) return {};
  const std::lock_guard lock(context.state->mutex);
  const auto it = settings.databases.find(context.invocation.database);
  if (it == settings.databases.end()) return {};
  return {.level = it->second.level, .filter = it->second.parsed_filter};
}

bool IsSlow(const CommandContext& context, int64_t time_us) {
  const ProfileSettings& settings = context.state->profile;
  if (time_us / 1000 < settings.slow_ms.load(std::memory_order_relaxed)) return false;
  const double share = settings.sample_rate.load(std::memory_order_relaxed);
  return share >= 1 || context.evaluation.random->NextDouble() < share;
}

void Log(const CommandContext& context, int64_t time_us) {
  const bson::View body = context.invocation.body;
  const std::string shown = static_cast<size_t>(body.size()) <= kMaxShownBytes
                                ? bson::ToShellText(body)
                                : std::string(body.First().key);
  MAYFLY_LOG(info, "COMMAND", "Slow query: {}.{} took {} ms", context.invocation.database, shown,
             time_us / 1000);
}

absl::Status Insert(engine::WriteContext& write, bson::View record, engine::Uuid uuid) {
  auto collection = write.catalog.Find(kProfileCollection);
  if (collection == nullptr) {
    bson::Builder options;
    options.Bool("capped", true).Int64("size", kProfileBytes);
    MAYFLY_ASSIGN_OR_RETURN(engine::CollectionOptions parsed,
                            engine::CollectionOptionsFromStored(options.Finish()));
    MAYFLY_ASSIGN_OR_RETURN(collection, write.catalog.Create(write.transaction, kProfileCollection,
                                                             std::move(parsed), uuid));
  }
  engine::CollectionWriter writer(write, collection);
  return writer.Insert(record).status();
}

}  // namespace

std::optional<bson::Document> NoteOperation(const CommandContext& context,
                                            const EndedOperation& operation) {
  const Wanted wanted = SettingsOf(context);
  if (wanted.filter == nullptr) {
    const bool slow = IsSlow(context, operation.time_us);
    if (slow) Log(context, operation.time_us);
    if (wanted.level == 2 || (wanted.level == 1 && slow)) return Describe(context, operation);
    return std::nullopt;
  }
  bson::Document record = Describe(context, operation);
  engine::MatchContext match(context.evaluation);
  const auto matches = wanted.filter->Matches(record, match);
  if (!matches.ok() || !*matches) return std::nullopt;
  Log(context, operation.time_us);
  if (wanted.level == 0) return std::nullopt;
  return record;
}

void WriteProfile(const CommandContext& context, bson::Document record,
                  std::function<void()> done) {
  engine::Engine& engine = context.services.engine;
  const auto handle = engine.Open(context.invocation.database, engine::Store::IfMissing::kNull);
  if (!handle.ok() || *handle == nullptr) return done();
  bson::Builder with_id;
  with_id.ObjectId("_id", engine.object_ids().Next(context.now_ms)).AppendAll(record);
  auto document = std::make_shared<bson::Document>(with_id.Finish());
  const int64_t now_ms = context.now_ms;
  (*handle)->storage().Submit(
      {.access = engine::Access::kWrite},
      [handle = *handle, document, now_ms,
       &engine](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, handle->GetCatalog(transaction));
        engine::EvaluationContext evaluation;
        evaluation.now_ms = now_ms;
        engine::WriteContext write{.transaction = transaction,
                                   .catalog = *catalog,
                                   .evaluation = evaluation,
                                   .modified_ms = handle->StampModification(now_ms)};
        return Insert(write, *document, engine.NewUuid());
      },
      [done = std::move(done)](absl::Status status) {
        if (!status.ok()) {
          MAYFLY_LOG(warn, "COMMAND", "system.profile: {}", base::MessageOf(status));
        }
        done();
      });
}

}  // namespace mayfly::commands
