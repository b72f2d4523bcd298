#include "engine/exec/count.h"

#include "base/status.h"
#include "engine/catalog/record.h"
#include "engine/exec/scan_streams.h"
#include "engine/index/expiry_index.h"

namespace mayfly::engine {
namespace {

enum class Sizes : uint8_t { kIgnore, kAdd };

class VisibleCounter {
 public:
  VisibleCounter(ExecutionContext& context, const std::shared_ptr<Collection>& collection,
                 Sizes sizes)
      : context_(context), collection_(collection), sizes_(sizes) {}

  absl::StatusOr<Extent> Run() {
    const LastWriteRule& rule = collection_->last_write_rule();
    if (!rule.is_on()) return All();
    // While entries are missing from the expiry index, only the records tell.
    if (!collection_->state().backfill.done()) return CountByScan();
    if (rule.mode == LastWriteRule::Mode::kDefault) {
      MAYFLY_RETURN_IF_ERROR(
          AddDue(ExpiryClass::kDefault, context_.now_ms - int64_t{rule.seconds} * 1000));
    }
    MAYFLY_RETURN_IF_ERROR(AddDue(ExpiryClass::kOwn, context_.now_ms));
    Extent visible = All();
    if (measured_ < due_.documents) {
      due_.bytes = static_cast<int64_t>(static_cast<double>(visible.bytes) /
                                        static_cast<double>(visible.documents) *
                                        static_cast<double>(due_.documents));
    }
    visible.documents -= due_.documents;
    visible.bytes -= due_.bytes;
    return visible;
  }

 private:
  Extent All() const {
    return {collection_->counters().documents, collection_->counters().data_bytes};
  }

  // Entries of one class that are due.
  absl::Status AddDue(ExpiryClass expiry_class, int64_t due_before_ms) {
    auto cursor =
        context_.transaction->NewKeyCursor(collection_->state().expiry, Direction::kForward);
    cursor->Seek(ExpiryClassStart(expiry_class));
    while (true) {
      MAYFLY_RETURN_IF_ERROR(LetOthersRun(context_));
      if (collection_->dropped()) return CollectionDropped(*collection_);
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more) return absl::OkStatus();
      const ExpiryEntry entry = ParseExpiryKey(cursor->key());
      if (entry.expiry_class != expiry_class || entry.moment_ms > due_before_ms) {
        return absl::OkStatus();
      }
      ++due_.documents;
      if (sizes_ == Sizes::kAdd) MAYFLY_RETURN_IF_ERROR(AddSize(entry.id));
    }
  }

  absl::Status AddSize(RecordId id) {
    if (measured_ == kMaxMeasured) return absl::OkStatus();
    MAYFLY_ASSIGN_OR_RETURN(const auto found,
                            context_.transaction->GetRecord(collection_->state().records, id));
    if (found.has_value()) due_.bytes += ReadRecord(*found).document.size();
    ++measured_;
    return absl::OkStatus();
  }

  absl::StatusOr<Extent> CountByScan() {
    const std::unique_ptr<Stream> scan = MakeScanStream(context_, collection_, AccessPath());
    Row row;
    Extent visible;
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, scan->Next(&row));
      if (!more) return visible;
      ++visible.documents;
      visible.bytes += row.doc().size();
    }
  }

  ExecutionContext& context_;
  const std::shared_ptr<Collection>& collection_;
  const Sizes sizes_;
  Extent due_;
  int64_t measured_ = 0;
};

}  // namespace

absl::StatusOr<int64_t> CountVisible(ExecutionContext& context,
                                     const std::shared_ptr<Collection>& collection) {
  MAYFLY_ASSIGN_OR_RETURN(const Extent visible,
                          VisibleCounter(context, collection, Sizes::kIgnore).Run());
  return visible.documents;
}

absl::StatusOr<Extent> MeasureVisible(ExecutionContext& context,
                                      const std::shared_ptr<Collection>& collection) {
  return VisibleCounter(context, collection, Sizes::kAdd).Run();
}

}  // namespace mayfly::engine
