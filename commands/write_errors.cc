#include "commands/write_errors.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"

namespace mayfly::commands {

using base::ErrorCode;

namespace {

// Texts of errors beyond this many bytes are left out of the reply, so that it stays below the
// limit of a document.
constexpr size_t kMaxErrorTextBytes = 1024 * 1024;

}  // namespace

void WriteErrors::AppendTo(bson::Builder& reply) const {
  if (errors_.empty()) return;
  size_t text_bytes = 0;
  reply.OpenArray("writeErrors");
  for (const Entry& entry : errors_) {
    reply.PushOpenDocument().Int32("index", entry.index);
    reply.Int32("code", static_cast<int>(base::CodeOf(entry.status)));
    const std::string_view text = base::MessageOf(entry.status);
    text_bytes += text.size();
    const bool room = text_bytes <= kMaxErrorTextBytes;
    const std::string fields = room ? base::ErrorFieldsOf(entry.status) : std::string();
    if (!fields.empty()) reply.AppendAll(bson::View(std::string_view(fields)));
    reply.String("errmsg", room ? text : std::string_view()).Close();
  }
  reply.Close();
}

bool EndsCommand(const absl::Status& status) {
  switch (base::CodeOf(status)) {
    case ErrorCode::kInternalError:
    case ErrorCode::kInterrupted:
    case ErrorCode::kInterruptedAtShutdown:
    case ErrorCode::kMaxTimeMSExpired:
    case ErrorCode::kOutOfDiskSpace:
    case ErrorCode::kDatabaseDropPending:
    case ErrorCode::kShutdownInProgress:
      return true;
    default:
      return false;
  }
}

absl::Status CheckBatchSize(size_t statements) {
  if (statements >= 1 && statements <= static_cast<size_t>(base::kMaxWriteBatchSize))
    return absl::OkStatus();
  return base::Error(ErrorCode::kInvalidLength,
                     base::StrCat("Write batch sizes must be between 1 and ",
                                  base::kMaxWriteBatchSize, ". Got ", statements, " operations."));
}

}  // namespace mayfly::commands
