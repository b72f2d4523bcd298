// $sort: all documents in an order. Stable. When a $limit follows it keeps no more than that many.
#include "engine/aggregate/sort.h"

#include <algorithm>

#include "base/strings.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/values.h"

namespace mayfly::engine {

SortStream::SortStream(std::unique_ptr<Stream> source, const SortPattern& pattern,
                       std::optional<int64_t> limit, const Runtime& runtime)
    : StageStream(std::move(source)),
      pattern_(pattern),
      limit_(limit),
      is_plain_(std::all_of(pattern.parts().begin(), pattern.parts().end(),
                            [](const SortPattern::Part& part) {
                              return part.meta == SortPattern::Part::Meta::kNone;
                            })),
      runtime_(runtime) {}

bool SortStream::Before(const Item& a, const Item& b) const {
  int order = pattern_.Compare(a.key, b.key, runtime_.evaluation->strings);
  return order != 0 ? order < 0 : a.sequence < b.sequence;
}

absl::StatusOr<std::vector<bson::Value>> SortStream::MakeKey(const Row& row) {
  MAYFLY_RETURN_IF_ERROR(pattern_.KeyViews(row.doc(), runtime_.evaluation->strings, &views_));
  std::vector<bson::Value> key;
  key.reserve(views_.size());
  for (size_t i = 0; i < views_.size(); ++i) {
    switch (pattern_.parts()[i].meta) {
      case SortPattern::Part::Meta::kNone:
        key.emplace_back(views_[i]);
        break;
      case SortPattern::Part::Meta::kTextScore:
        if (!row.text_score) {
          return base::Error(40218, "query requires text score metadata, but it is not available");
        }
        key.push_back(bson::Value::Double(*row.text_score));
        break;
      case SortPattern::Part::Meta::kRandom:
        key.push_back(bson::Value::Double(runtime_.evaluation->random->NextDouble()));
        break;
      case SortPattern::Part::Meta::kDistance:
        if (!row.near_distance) {
          return base::Error(40218,
                             "query requires $geoNear distance metadata, but it is not available");
        }
        key.push_back(bson::Value::Double(*row.near_distance));
        break;
      case SortPattern::Part::Meta::kOther:
        key.push_back(bson::Value::Null());
        break;
    }
  }
  return key;
}

absl::StatusOr<bool> SortStream::IsBeyondLimit(const Row& row) {
  const bool full = limit_ && items_.size() >= static_cast<size_t>(*limit_);
  if (!full || !is_plain_ || items_.empty()) return false;
  MAYFLY_RETURN_IF_ERROR(pattern_.KeyViews(row.doc(), runtime_.evaluation->strings, &views_));
  // Of equal ones those that came before go first.
  return pattern_.Compare(views_, items_.front().key, runtime_.evaluation->strings) >= 0;
}

absl::Status SortStream::Add(Row&& row) {
  MAYFLY_ASSIGN_OR_RETURN(const bool beyond, IsBeyondLimit(row));
  if (beyond) {
    ++sequence_;
    return absl::OkStatus();
  }
  auto before = [this](const Item& a, const Item& b) { return Before(a, b); };
  MAYFLY_ASSIGN_OR_RETURN(std::vector<bson::Value> key, MakeKey(row));
  Item item{std::move(key), sequence_++, {}};
  const bool full = limit_ && items_.size() >= static_cast<size_t>(*limit_);
  if (full && !before(item, items_.front())) return absl::OkStatus();
  row.MakeOwned();
  bytes_ += row.doc().size() + sizeof(Item);
  item.row = std::move(row);
  if (full) {
    // The front of the heap is the last of the best so far.
    std::pop_heap(items_.begin(), items_.end(), before);
    bytes_ -= items_.back().row.doc().size() + sizeof(Item);
    items_.pop_back();
  }
  items_.push_back(std::move(item));
  if (limit_) std::push_heap(items_.begin(), items_.end(), before);
  if (bytes_ <= runtime_.memory_limit_bytes) return absl::OkStatus();
  MAYFLY_RETURN_IF_ERROR(CheckMemory(runtime_, bytes_, "Sort"));
  return Spill();
}

absl::Status SortStream::Spill() {
  std::sort(items_.begin(), items_.end(),
            [this](const Item& a, const Item& b) { return Before(a, b); });
  Run run;
  MAYFLY_ASSIGN_OR_RETURN(run.file, SpillFile::Make());
  for (const Item& item : items_) MAYFLY_RETURN_IF_ERROR(run.file->Write(item));
  MAYFLY_RETURN_IF_ERROR(run.file->Rewind());
  runs_.push_back(std::move(run));
  items_.clear();
  bytes_ = 0;
  return CheckInterrupt(runtime_);
}

absl::Status SortStream::StartMerge() {
  if (!items_.empty()) MAYFLY_RETURN_IF_ERROR(Spill());
  for (Run& run : runs_) MAYFLY_RETURN_IF_ERROR(run.file->Read(&run.head).status());
  std::make_heap(runs_.begin(), runs_.end(),
                 [this](const Run& a, const Run& b) { return Before(b.head, a.head); });
  return absl::OkStatus();
}

absl::StatusOr<bool> SortStream::NextMerged(Row* row) {
  if (runs_.empty() || (limit_ && given_ >= *limit_)) return false;
  const auto behind = [this](const Run& a, const Run& b) { return Before(b.head, a.head); };
  std::pop_heap(runs_.begin(), runs_.end(), behind);
  Run& first = runs_.back();
  Give(std::move(first.head), row);
  ++given_;
  MAYFLY_ASSIGN_OR_RETURN(const bool more, first.file->Read(&first.head));
  if (more) {
    std::push_heap(runs_.begin(), runs_.end(), behind);
  } else {
    runs_.pop_back();
  }
  return true;
}

void SortStream::Give(Item&& item, Row* row) {
  *row = std::move(item.row);
  row->sort_key = MakeArrayValue(item.key);
  item.key.clear();
}

absl::Status SortStream::Fill() {
  while (true) {
    Row row;
    MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(&row));
    if (!more) break;
    MAYFLY_RETURN_IF_ERROR(Add(std::move(row)));
    MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
  }
  DropSource();
  filled_ = true;
  if (!runs_.empty()) return StartMerge();
  std::sort(items_.begin(), items_.end(),
            [this](const Item& a, const Item& b) { return Before(a, b); });
  return absl::OkStatus();
}

absl::StatusOr<bool> SortStream::Next(Row* row) {
  if (!filled_) MAYFLY_RETURN_IF_ERROR(Fill());
  if (!runs_.empty()) return NextMerged(row);
  if (next_ >= items_.size()) return false;
  Give(std::move(items_[next_++]), row);
  return true;
}

namespace {

class SortStage final : public Stage {
 public:
  SortStage(const StageRow& row, SortPattern pattern) : Stage(row), pattern_(std::move(pattern)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<SortStream>(std::move(source), pattern_, limit_hint_, runtime);
  }
  Fields AddDependencies(Dependencies* out) const override {
    for (const SortPattern::Part& part : pattern_.parts()) {
      if (part.meta == SortPattern::Part::Meta::kNone) {
        out->paths.insert(part.dotted);
      } else {
        out->metadata = true;
      }
    }
    return Fields::kPassesOn;
  }
  const SortPattern* sort() const override { return &pattern_; }
  void set_limit_hint(int64_t limit) { limit_hint_ = limit; }

 private:
  const SortPattern pattern_;
  std::optional<int64_t> limit_hint_;
};

absl::Status ParseSort(bson::ValueView operand, const StageRow& row, const PipelineContext&,
                       std::vector<StagePtr>* out) {
  if (!operand.IsDocument())
    return base::Error(15973, "the $sort key specification must be an object");
  MAYFLY_ASSIGN_OR_RETURN(SortPattern pattern, SortPattern::Parse(operand.AsDocument()));
  out->push_back(std::make_unique<SortStage>(row, std::move(pattern)));
  return absl::OkStatus();
}

}  // namespace

void LimitSorts(std::vector<StagePtr>* stages) {
  for (size_t i = 0; i + 1 < stages->size(); ++i) {
    if (!(*stages)[i]->sort()) continue;
    int64_t skipped = 0;
    size_t j = i + 1;
    if ((*stages)[j]->skip()) skipped = *(*stages)[j++]->skip();
    if (j >= stages->size() || !(*stages)[j]->limit()) continue;
    int64_t wanted = 0;
    if (__builtin_add_overflow(skipped, *(*stages)[j]->limit(), &wanted)) continue;
    static_cast<SortStage*>((*stages)[i].get())->set_limit_hint(wanted);
  }
}

const StageRow kSortRow = {"$sort", ParseSort, "orders all documents"};

}  // namespace mayfly::engine
