// Runs a pipeline written as JSON over documents written as JSON. For the tests of this folder.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "bson/json.h"
#include "engine/aggregate/pipeline.h"
#include "engine/aggregate/sink.h"

namespace mayfly::engine {

// The given documents, one after the other.
class VectorStream final : public Stream {
 public:
  explicit VectorStream(std::vector<bson::Document> documents) : documents_(std::move(documents)) {}
  absl::StatusOr<bool> Next(Row* row) override {
    if (next_ >= documents_.size()) return false;
    *row = Row();
    row->Borrow(documents_[next_].view(), static_cast<RecordId>(next_ + 1));
    ++next_;
    return true;
  }

 private:
  const std::vector<bson::Document> documents_;
  size_t next_ = 0;
};

// Collections held in memory.
class MemoryHost final : public PipelineHost, public TargetHost {
 public:
  std::map<std::string, std::vector<bson::Document>> collections;
  std::map<std::string, std::vector<std::string>>
      unique;  // collection -> fields of its unique index

  std::vector<GeoIndex> geo_indexes;
  std::string indexed;  // the one path that has an index, in every collection
  int opened = 0;       // how often a collection was read

  absl::StatusOr<std::unique_ptr<Stream>> OpenCollection(const Namespace& ns,
                                                         const FilterNode* filter,
                                                         const Pipeline& pipeline,
                                                         const Runtime& runtime) override;
  absl::StatusOr<std::unique_ptr<OutTarget>> OpenOut(const Namespace& target,
                                                     std::string_view temporary) override;
  absl::StatusOr<std::unique_ptr<MergeTarget>> OpenMerge(
      const Namespace& target, const std::vector<std::string>& on) override;
  bool HasIndexOn(const Namespace&, std::string_view path) override { return path == indexed; }
  absl::StatusOr<std::vector<GeoIndex>> GeoIndexes(const Namespace& ns) override {
    return geo_indexes;
  }
  absl::StatusOr<std::vector<bson::Document>> Report(std::string_view stage, bson::ValueView spec,
                                                     const Namespace& ns) override;
};

struct RunOptions {
  MemoryHost* host = nullptr;
  const bson::StringComparator* strings = nullptr;
  bool allow_disk_use = true;
  int64_t memory_limit_bytes = kStageMemoryLimitBytes;
};

absl::StatusOr<std::vector<bson::Document>> RunPipelineDocuments(
    bson::View pipeline, std::vector<bson::Document> documents, const RunOptions& options);
// `pipeline` and `documents` are JSON arrays. The result in shell notation, one document after the
// other, or "error <code>".
std::string RunPipeline(std::string_view pipeline, std::string_view documents,
                        const RunOptions& options = {});

std::vector<bson::Document> ParseDocuments(std::string_view json_array);

}  // namespace mayfly::engine
