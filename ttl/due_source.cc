#include "ttl/due_source.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/status.h"
#include "engine/catalog/collection.h"
#include "engine/index/expiry_index.h"
#include "engine/index/index_keys.h"
#include "engine/keys/key_encoder.h"

namespace mayfly::ttl {
namespace {

using engine::Collection;
using engine::ExpiryClass;
using engine::ExpiryEntry;
using engine::Index;
using engine::RecordView;
using engine::RemovalReason;
using engine::SpaceId;

// The last-write and epoch rules: a class of entries in an expiry index.
class ExpirySource : public DueSource {
 public:
  struct Range {
    ExpiryClass expiry_class;
    int64_t oldest_ms = 0;  // moments before it are left alone
    int64_t lifetime_ms = 0;
    std::string attribute = {};  // of the epoch rule
  };

  ExpirySource(SpaceId space, RemovalReason reason, Range range, int64_t now_ms)
      : DueSource(space, reason), range_(std::move(range)) {
    start_ = engine::ExpiryClassStart(range_.expiry_class, std::max<int64_t>(0, range_.oldest_ms));
    const int64_t last_ms = std::max<int64_t>(-1, now_ms - range_.lifetime_ms);
    end_ = engine::ExpiryClassStart(range_.expiry_class, last_ms + 1);
    end_ms_ = last_ms + 1 + range_.lifetime_ms;
  }

  DueEntry Parse(std::string_view key, std::string_view) const override {
    const ExpiryEntry entry = engine::ParseExpiryKey(key);
    return {.key = std::string(key), .id = entry.id, .due_ms = DueMs(entry)};
  }

  bool IsOf(const DueEntry& due, const RecordView& record) const override {
    const auto entry = range_.expiry_class == ExpiryClass::kEpoch
                           ? engine::EpochEntryOf(range_.attribute, record.document, due.id)
                           : engine::ExpiryEntryOf(record.header, due.id);
    return entry.has_value() && entry->expiry_class == range_.expiry_class &&
           DueMs(*entry) == due.due_ms;
  }

  absl::StatusOr<std::optional<int64_t>> NextDueMs(
      engine::Transaction& transaction) const override {
    return FirstFrom(transaction, end_);
  }

  absl::StatusOr<std::optional<int64_t>> OldestDueMs(
      engine::Transaction& transaction) const override {
    MAYFLY_ASSIGN_OR_RETURN(auto first, FirstFrom(transaction, start_));
    if (first.has_value() && *first >= end_ms_) first.reset();
    return first;
  }

 private:
  int64_t DueMs(const ExpiryEntry& entry) const { return entry.moment_ms + range_.lifetime_ms; }

  absl::StatusOr<std::optional<int64_t>> FirstFrom(engine::Transaction& transaction,
                                                   const std::string& key) const {
    auto cursor = transaction.NewKeyCursor(space_, engine::Direction::kForward);
    cursor->Seek(key);
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more) return std::optional<int64_t>();
    const ExpiryEntry entry = engine::ParseExpiryKey(cursor->key());
    if (entry.expiry_class != range_.expiry_class) return std::optional<int64_t>();
    return std::optional<int64_t>(DueMs(entry));
  }

  const Range range_;
  int64_t end_ms_ = 0;  // the first moment that is not due
};

// Expiry by the date in the field of an index: the entries with dates up to the cutoff.
class DateSource : public DueSource {
 public:
  DateSource(std::shared_ptr<const Index> index, int64_t now_ms)
      : DueSource(index->space, RemovalReason::kDateTtl),
        index_(std::move(index)),
        encoder_(engine::OrderingOf(index_->spec), index_->strings.get()),
        cutoff_(bson::Value::Date(now_ms - int64_t{*index_->spec.expire_after_seconds} * 1000)) {
    const bson::Value lowest = bson::Value::Date(std::numeric_limits<int64_t>::min());
    engine::AppendRange(encoder_, 0, {.low = lowest, .high = cutoff_}, &start_, &end_);
  }

  DueEntry Parse(std::string_view key, std::string_view value) const override {
    const engine::IndexEntry entry = engine::ParseEntry(*index_, key, value);
    return {.key = std::string(key), .id = entry.id, .due_ms = DueMs(entry)};
  }

  bool IsOf(const DueEntry&, const RecordView&) const override { return true; }

  absl::StatusOr<std::optional<int64_t>> NextDueMs(
      engine::Transaction& transaction) const override {
    std::string low;
    std::string high;
    const bson::Value highest = bson::Value::Date(std::numeric_limits<int64_t>::max());
    engine::AppendRange(encoder_, 0, {.low = cutoff_, .high = highest, .low_inclusive = false},
                        &low, &high);
    return EarliestIn(transaction, low, high);
  }

  absl::StatusOr<std::optional<int64_t>> OldestDueMs(
      engine::Transaction& transaction) const override {
    return EarliestIn(transaction, start_, end_);
  }

 private:
  int64_t DueMs(const engine::IndexEntry& entry) const {
    const auto values = engine::DecodeKey(entry.fields, entry.type_bits, encoder_.ordering(), 1);
    if (!values.ok() || values->front().view().type() != bson::Type::kDate) return 0;
    return engine::DateDueMs(values->front().view().AsDate(), *index_->spec.expire_after_seconds);
  }

  // Of the dates with keys in [low, high).
  absl::StatusOr<std::optional<int64_t>> EarliestIn(engine::Transaction& transaction,
                                                    const std::string& low,
                                                    const std::string& high) const {
    const bool descending = encoder_.ordering().IsDescending(0);
    auto cursor = transaction.NewKeyCursor(
        space_, descending ? engine::Direction::kBackward : engine::Direction::kForward);
    cursor->Seek(descending ? high : low);
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more || cursor->key() < low) return std::optional<int64_t>();
      if (cursor->key() < high) break;
      if (!descending) return std::optional<int64_t>();
    }
    const engine::IndexEntry entry = engine::ParseEntry(*index_, cursor->key(), cursor->value());
    return std::optional<int64_t>(DueMs(entry));
  }

  std::shared_ptr<const Index> index_;
  engine::KeyEncoder encoder_;
  bson::Value cutoff_;
};

void AddLastWrite(const Collection& collection, int64_t now_ms, DueSources* sources) {
  const engine::LastWriteRule& rule = collection.last_write_rule();
  if (!rule.is_on()) return;
  const SpaceId space = collection.state().expiry;
  sources->push_back(std::make_unique<ExpirySource>(
      space, RemovalReason::kLastWriteTtl, ExpirySource::Range{.expiry_class = ExpiryClass::kOwn},
      now_ms));
  if (rule.mode != engine::LastWriteRule::Mode::kDefault) return;
  sources->push_back(std::make_unique<ExpirySource>(
      space, RemovalReason::kLastWriteTtl,
      ExpirySource::Range{.expiry_class = ExpiryClass::kDefault,
                          .lifetime_ms = int64_t{rule.seconds} * 1000},
      now_ms));
}

}  // namespace

DueSources MakeDueSources(const Collection& collection, PurgeKinds kinds, int64_t now_ms) {
  DueSources sources;
  if (kinds.last_write) AddLastWrite(collection, now_ms, &sources);
  if (kinds.epoch && collection.epoch_rule().is_on()) {
    sources.push_back(std::make_unique<ExpirySource>(
        collection.epoch_rule().space, RemovalReason::kEpochTtl,
        ExpirySource::Range{.expiry_class = ExpiryClass::kEpoch,
                            .oldest_ms = now_ms - engine::kEpochGuardMs,
                            .attribute = collection.epoch_rule().attribute},
        now_ms));
  }
  if (!kinds.date) return sources;
  for (const auto& index : collection.indexes()) {
    if (index->spec.IsDateTtl()) sources.push_back(std::make_unique<DateSource>(index, now_ms));
  }
  return sources;
}

}  // namespace mayfly::ttl
