#include "engine/exec/near_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status.h"
#include "engine/catalog/record.h"
#include "engine/exec/scan_streams.h"

namespace mayfly::engine {
namespace {

class NearStream final : public Stream {
 public:
  NearStream(ExecutionContext& context, std::shared_ptr<Collection> collection,
             const FilterNode& filter, const Near& near, std::unique_ptr<Stream> source)
      : context_(context),
        collection_(std::move(collection)),
        filter_(filter),
        near_(near),
        match_(context.evaluation),
        source_(std::move(source)) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (source_ != nullptr) MAYFLY_RETURN_IF_ERROR(Fill());
    while (next_ < places_.size()) {
      MAYFLY_RETURN_IF_ERROR(LetOthersRun(context_));
      if (collection_->dropped()) return CollectionDropped(*collection_);
      const RecordId id = places_[next_++].id;
      MAYFLY_ASSIGN_OR_RETURN(const auto bytes,
                              context_.transaction->GetRecord(collection_->state().records, id));
      if (!bytes.has_value()) continue;
      const RecordView record = ReadRecord(*bytes);
      if (record.header.IsExpired(collection_->last_write_rule(), context_.now_ms)) continue;
      MAYFLY_ASSIGN_OR_RETURN(const bool matches, filter_.Matches(record.document, match_));
      if (!matches) continue;
      row->Borrow(record.document, id);
      return true;
    }
    return false;
  }

  void Suspend() override {
    if (source_ != nullptr) source_->Suspend();
  }
  void Resume(Transaction& transaction) override {
    if (source_ != nullptr) source_->Resume(transaction);
  }

 private:
  struct Place {
    double distance;
    RecordId id;
  };

  absl::Status Fill() {
    Row row;
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, source_->Next(&row));
      if (!more) break;
      if (const auto place = near_.Nearest(row.doc()); place.has_value()) {
        places_.push_back({place->distance, row.record_id});
      }
    }
    source_.reset();
    std::stable_sort(places_.begin(), places_.end(),
                     [](const Place& a, const Place& b) { return a.distance < b.distance; });
    return absl::OkStatus();
  }

  ExecutionContext& context_;
  std::shared_ptr<Collection> collection_;
  const FilterNode& filter_;
  const Near& near_;
  MatchContext match_;
  std::unique_ptr<Stream> source_;  // null once it was read
  std::vector<Place> places_;
  size_t next_ = 0;
};

bool Serves(IndexKind kind, NearSurface surface) {
  switch (surface) {
    case NearSurface::kPlane:
      return kind == IndexKind::kGeo2d;
    case NearSurface::kSphere:
      return kind == IndexKind::kGeo2dSphere;
    case NearSurface::kLegacySphere:
      return kind == IndexKind::kGeo2d || kind == IndexKind::kGeo2dSphere;
  }
  return false;
}

}  // namespace

std::unique_ptr<Stream> MakeNearStream(ExecutionContext& context,
                                       std::shared_ptr<Collection> collection,
                                       const FilterNode& filter, const Near& near,
                                       std::unique_ptr<Stream> source) {
  return std::make_unique<NearStream>(context, std::move(collection), filter, near,
                                      std::move(source));
}

absl::Status CheckNearIndex(const Collection& collection, const Near& near) {
  for (const auto& index : collection.indexes()) {
    if (index->spec.hidden) continue;
    for (const IndexField& field : index->spec.fields) {
      if (field.path == near.near_path() && Serves(field.kind, near.surface())) {
        return absl::OkStatus();
      }
    }
  }
  return base::Error(
      base::ErrorCode::kNoQueryExecutionPlans,
      "error processing query: planner returned error :: caused by :: unable to find "
      "index for $geoNear query");
}

}  // namespace mayfly::engine
