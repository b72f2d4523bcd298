// Aggregation pipelines: parsed into stages once, run as pull streams over a source.
//
//   ParsePipeline(array, context) -> Pipeline; the planner looks at what leads it (LeadingFilter,
//   LeadingSort ...), opens a source that serves as much of that as it can, and calls MakeStream
//   for the rest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "engine/aggregate/host.h"
#include "engine/expression/expression.h"
#include "engine/expression/sort_pattern.h"
#include "engine/query/filter.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

inline constexpr int kMaxPipelineStages = 1000;
inline constexpr int kMaxSubPipelineDepth = 20;
inline constexpr int64_t kStageMemoryLimitBytes = 100 * 1024 * 1024;

// Where a pipeline stands, which decides what stages it may have.
enum class PipelinePlace : uint8_t { kCommand, kFacet, kLookup, kUnionWith, kUpdate, kMerge };

// What parsing a pipeline depends on. `expressions.evaluation` and `expressions.variables` must not
// be null and, like everything pointed to, outlive the pipeline.
struct PipelineContext {
  ParseContext expressions;
  Namespace ns;  // what the pipeline reads; `collection` empty for {aggregate: 1}
  PipelinePlace place = PipelinePlace::kCommand;
  int depth = 0;              // sub-pipelines around this one
  bool inside_facet = false;  // one of them is a $facet's
  bool in_transaction = false;
  // Of the collection the pipeline reads; null: it has no text index.
  const text::Index* text_index = nullptr;
  // The same of a collection that a pipeline inside reads; empty: none has one.
  std::function<const text::Index*(const Namespace&)> text_index_of;
};

// What running depends on. Everything must outlive the streams.
struct Runtime {
  const EvaluationContext* evaluation = nullptr;  // never null
  PipelineHost* host = nullptr;  // null: stages that need other collections fail with 1
  bool allow_disk_use = true;
  int64_t memory_limit_bytes = kStageMemoryLimitBytes;
  int depth = 0;  // of sub-pipelines
};

struct StageRow;
class Sink;

// One parsed stage. Immutable.
class Stage {
 public:
  // What a stage says about fields of its input that it does not name.
  enum class Fields : uint8_t { kPassesOn, kDropsOthers, kNeedsAll };

  explicit Stage(const StageRow& row) : row_(row) {}
  virtual ~Stage() = default;
  const StageRow& row() const { return row_; }

  virtual absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                             const Runtime& runtime) const = 0;
  // Adds what the stage reads of its input.
  virtual Fields AddDependencies(Dependencies* out) const = 0;

  // The filter of $match, the pattern of $sort, the count of $limit or $skip; null for all other
  // stages.
  virtual const FilterNode* filter() const { return nullptr; }
  virtual const SortPattern* sort() const { return nullptr; }
  virtual std::optional<int64_t> limit() const { return std::nullopt; }
  virtual std::optional<int64_t> skip() const { return std::nullopt; }
  // For stages that make documents instead of reading them: they take no source.
  virtual bool IsSource() const { return false; }
  virtual bool IsNear() const { return false; }
  // Where the documents go of a pipeline that ends in this stage, whose stream passes them on; null
  // for stages that do not write. The stage and `runtime` must outlive it.
  virtual absl::StatusOr<std::unique_ptr<Sink>> MakeSink(const Runtime& runtime) const;
  // The namespaces that the stage reads or writes besides the pipeline's own.
  virtual void AddNamespaces(std::vector<Namespace>* out) const {}

  // As in the command, for explain: {$match: {...}}.
  const bson::Document& spec() const { return spec_; }
  void set_spec(bson::Document spec) { spec_ = std::move(spec); }

 private:
  const StageRow& row_;
  bson::Document spec_;
};
using StagePtr = std::unique_ptr<Stage>;

// A parsed pipeline. Immutable; may run several times.
class Pipeline {
 public:
  explicit Pipeline(std::vector<StagePtr> stages);

  const std::vector<StagePtr>& stages() const { return stages_; }
  bool empty() const { return stages_.empty(); }

  // What the pipeline begins with, in this order: a filter (all leading $match as one), a sort, a
  // skip, a limit. Null or nullopt where absent.
  const FilterNode* LeadingFilter() const;
  const SortPattern* LeadingSort() const;
  std::optional<int64_t> LeadingSkip() const;
  std::optional<int64_t> LeadingLimit() const;
  // The fields that the pipeline after its leading filter, sort, skip and limit reads;
  // whole_document if it needs all.
  const Dependencies& NeededFields() const { return needed_; }
  // True if the pipeline makes its own documents ($documents, $collStats ...): MakeStream takes no
  // source.
  bool HasOwnSource() const { return !stages_.empty() && stages_[0]->IsSource(); }
  // The first stage is $geoNear, which holds all documents before it gives one.
  bool BeginsWithNear() const { return !stages_.empty() && stages_[0]->IsNear(); }
  // The last stage writes: $out or $merge. The documents of the stream are for the sink then.
  bool Writes() const;
  // Null if it does not. As for stages.
  absl::StatusOr<std::unique_ptr<Sink>> MakeSink(const Runtime& runtime) const;
  // Other namespaces that are read or written.
  std::vector<Namespace> Namespaces() const;

  // What the source has done already; each may be true only if the ones before it that exist are.
  struct Done {
    bool filter = false;
    bool sort = false;
    bool skip = false;
    bool limit = false;
  };
  // The rows that come out of the last stage. `runtime` and the pipeline must outlive the stream.
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime,
                                                     const Done& done) const;
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const {
    return MakeStream(std::move(source), runtime, Done());
  }
  // Of a pipeline with its own source: the rest works on what the source gives that matches.
  absl::StatusOr<std::unique_ptr<Stream>> MakeFilteredStream(const FilterNode& filter,
                                                             const Runtime& runtime) const;
  // The stages as an array, for explain.
  bson::Value Serialize() const;

 private:
  std::vector<StagePtr> stages_;
  // Indexes into stages_, -1 if absent; `leading_end_` is the first stage that is none of them.
  int filter_ = -1, sort_ = -1, skip_ = -1, limit_ = -1;
  size_t leading_end_ = 0;
  Dependencies needed_;
};

// Parses and optimises. Errors are MongoDB's: 14 stage not an object, 40323 not exactly one field,
// 40324 unknown stage, 7749501 too long, 40601 and 40602 wrong position, and those of the stages.
absl::StatusOr<std::unique_ptr<Pipeline>> ParsePipeline(bson::View array,
                                                        const PipelineContext& context);

}  // namespace mayfly::engine
