// What pipelines ask of the rest of the engine: other collections to read, facts to report.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "engine/expression/context.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

class FilterNode;
class Pipeline;
struct Runtime;

struct Namespace {
  std::string database;
  std::string collection;
  bool operator==(const Namespace&) const = default;
  // "db.collection".
  std::string ToString() const { return database + "." + collection; }
};

// Implemented on top of storage. Used by one thread at a time.
class PipelineHost {
 public:
  virtual ~PipelineHost() = default;

  // All documents of a collection or view that match `filter`, run through `pipeline`, whose
  // leading part may be served by an index. `filter` may be null; a collection that does not exist
  // is empty. Everything passed outlives the stream.
  virtual absl::StatusOr<std::unique_ptr<Stream>> OpenCollection(const Namespace& ns,
                                                                 const FilterNode* filter,
                                                                 const Pipeline& pipeline,
                                                                 const Runtime& runtime) = 0;
  // The geospatial indexes of a collection, for $geoNear. Error: 26 if it does not exist.
  struct GeoIndex {
    std::string path;
    bool sphere = false;  // 2dsphere, else 2d
  };
  virtual absl::StatusOr<std::vector<GeoIndex>> GeoIndexes(const Namespace& ns) = 0;
  // Whether an index finds the documents of a collection by the values at `path`. False for views.
  virtual bool HasIndexOn(const Namespace& ns, std::string_view path) = 0;
  // The documents of a stage that reports: "$collStats", "$indexStats", "$currentOp",
  // "$listLocalSessions" ... `spec` is the stage's operand.
  virtual absl::StatusOr<std::vector<bson::Document>> Report(std::string_view stage,
                                                             bson::ValueView spec,
                                                             const Namespace& ns) = 0;
};

}  // namespace mayfly::engine
