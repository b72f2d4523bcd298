#include "commands/cursor_reply.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/collections.h"

namespace mayfly::commands {
namespace {

class DocumentsStream : public engine::Stream {
 public:
  explicit DocumentsStream(std::vector<bson::Document> documents)
      : documents_(std::move(documents)) {}
  absl::StatusOr<bool> Next(engine::Row* row) override {
    if (next_ == documents_.size()) return false;
    row->Own(std::move(documents_[next_++]));
    return true;
  }

 private:
  std::vector<bson::Document> documents_;
  size_t next_ = 0;
};

}  // namespace

absl::Status AppendFirstBatch(CommandContext& context, const Arguments& arguments,
                              std::unique_ptr<engine::Cursor> cursor, int64_t batch_size,
                              bool single_batch, bson::Builder& reply) {
  const std::string ns = cursor->ns();
  reply.OpenDocument("cursor").OpenArray("firstBatch");
  bool ended = false;
  if (batch_size != 0) {
    MAYFLY_ASSIGN_OR_RETURN(ended, cursor->FillBatch(batch_size, &reply));
  }
  reply.Close();
  int64_t id = 0;
  // A tailable cursor over an empty collection has no place to go on from, and is dead.
  const bool has_place = cursor->tailable && cursor->context().documents_examined > 0;
  if ((!ended || has_place) && !single_batch) {
    const bson::ValueView lsid = arguments.common().lsid;
    if (lsid.IsDocument()) cursor->lsid = bson::Document(lsid.AsDocument());
    cursor->command = bson::Document(context.invocation.body);
    cursor->Detach();
    id = context.services.cursors.Add(std::move(cursor));
  }
  reply.Int64("id", id).String("ns", ns).Close();
  return absl::OkStatus();
}

void AppendEmptyCursor(std::string_view ns, bson::Builder& reply) {
  reply.OpenDocument("cursor").OpenArray("firstBatch").Close();
  reply.Int64("id", 0).String("ns", ns).Close();
}

absl::Status AppendDocuments(CommandContext& context, const Arguments& arguments, std::string ns,
                             std::vector<bson::Document> documents, int64_t batch_size,
                             bson::Builder& reply) {
  // A list that fits is done with its batch, even if it fills it.
  if (batch_size >= 0 && std::cmp_less_equal(documents.size(), batch_size)) {
    batch_size = static_cast<int64_t>(documents.size()) + 1;
  }
  auto execution = std::make_unique<engine::ExecutionContext>(MakeExecutionContext(context));
  auto cursor = std::make_unique<engine::Cursor>(
      std::move(ns), std::move(execution), std::make_unique<DocumentsStream>(std::move(documents)),
      engine::Cursor::Keepers{});
  cursor->needs_storage = false;
  bson::Builder builder;
  MAYFLY_RETURN_IF_ERROR(
      AppendFirstBatch(context, arguments, std::move(cursor), batch_size, false, builder));
  const bson::Document parts = builder.Finish();
  const bson::View fields = parts.Find("cursor").AsDocument();
  // MongoDB's order for lists: the batch comes last.
  reply.OpenDocument("cursor");
  for (const std::string_view key : {"id", "ns", "firstBatch"}) reply.Append(key, fields.Find(key));
  reply.Close();
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ReadCursorBatchSize(std::string_view command, bson::View cursor) {
  int64_t size = -1;
  for (const bson::Element& element : cursor) {
    if (element.key != "batchSize") {
      return base::Error(
          base::ErrorCode::kIDLUnknownField,
          base::StrCat("BSON field '", command, ".cursor.", element.key, "' is an unknown field."));
    }
    if (element.value.IsNullish()) continue;
    if (!element.value.IsNumber()) {
      return WrongTypeError(base::StrCat(command, ".cursor"), "batchSize", element.value.type(),
                            "[long, int, decimal, double]");
    }
    size = bson::ToInt64Rounded(element.value);
    if (size >= 0) continue;
    return base::Error(
        base::ErrorCode::kBadValue,
        base::StrCat("BSON field 'batchSize' value must be >= 0, actual value '", size, "'"));
  }
  return size;
}

}  // namespace mayfly::commands
