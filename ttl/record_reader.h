// Reads records of which most follow each other, at the price of a walk.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/storage/kv.h"

namespace mayfly::ttl {

// Writes between two reads are allowed.
class RecordReader {
 public:
  RecordReader(engine::Transaction& transaction, engine::SpaceId space)
      : cursor_(transaction.NewRecordCursor(space, engine::Direction::kForward)) {}

  // False if there is no such record; otherwise bytes() has it until the next Read().
  absl::StatusOr<bool> Read(engine::RecordId id);
  const std::string& bytes() const { return bytes_; }

 private:
  // A gap of so many records is walked over; beyond it, a search is cheaper.
  static constexpr engine::RecordId kMaxGap = 4;

  std::unique_ptr<engine::RecordCursor> cursor_;
  engine::RecordId at_ = engine::kNoRecord;  // where the cursor stands
  std::string bytes_;
};

}  // namespace mayfly::ttl
