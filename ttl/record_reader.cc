#include "ttl/record_reader.h"

#include "base/status.h"

namespace mayfly::ttl {

absl::StatusOr<bool> RecordReader::Read(engine::RecordId id) {
  const bool close = at_ != engine::kNoRecord && id > at_ && id - at_ <= kMaxGap;
  if (!close) cursor_->Seek(id);
  do {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor_->Next());
    if (!more) {
      at_ = engine::kNoRecord;
      return false;
    }
    at_ = cursor_->id();
  } while (at_ < id);
  if (at_ > id) {
    // It has passed the place from which the next one could be reached.
    at_ = engine::kNoRecord;
    return false;
  }
  bytes_.assign(cursor_->value());
  return true;
}

}  // namespace mayfly::ttl
