// Rows of the stage table and what stages are made of.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/support.h"
#include "engine/aggregate/pipeline.h"

namespace mayfly::engine {

// Appends the stages that `operand` stands for; most give one, shorthand stages several.
using StageParser = absl::Status (*)(bson::ValueView operand, const StageRow& row,
                                     const PipelineContext& context, std::vector<StagePtr>* out);

// Where a stage must stand.
enum class StagePosition : uint8_t { kAnywhere, kFirst, kLast };

// One stage.
struct StageRow {
  std::string_view name;
  StageParser parse;
  std::string_view help;
  StagePosition position = StagePosition::kAnywhere;
  bool in_facet = true;
  bool in_sub_pipeline = true;  // $lookup, $unionWith
  bool in_update = false;       // updates by pipeline, $merge's whenMatched
  bool in_transaction = true;
  bool server_wide = false;         // reports about the server, not about a collection
  bool without_collection = false;  // {aggregate: 1} is allowed, and needed
  bool local_reads_only = false;    // with no other read concern than "local": 72
  bool stable_api = true;           // part of API version 1
  base::Support support = base::Support::kFull;
};

// All stages, in one list; see stages.cc. Each returns the row of its file.
absl::Span<const StageRow* const> StageRows();
// Null if there is none of that name.
const StageRow* FindStage(std::string_view name);

// A stream that pulls from one other and forwards Suspend and Resume.
class StageStream : public Stream {
 public:
  explicit StageStream(std::unique_ptr<Stream> source) : source_(std::move(source)) {}
  void Suspend() override {
    if (source_) source_->Suspend();
  }
  void Resume(Transaction& transaction) override {
    if (source_) source_->Resume(transaction);
  }

 protected:
  Stream& source() { return *source_; }
  // Lets go of an exhausted source.
  void DropSource() { source_.reset(); }

 private:
  std::unique_ptr<Stream> source_;
};

// Ok, or the error to stop with; for every row of a stage that may run long without output.
inline absl::Status CheckInterrupt(const Runtime& runtime) {
  Interrupt* interrupt = runtime.evaluation->interrupt;
  return interrupt ? interrupt->Check() : absl::OkStatus();
}

// 292 if `bytes` is beyond the limit and the disk may not be used.
absl::Status CheckMemory(const Runtime& runtime, int64_t bytes, std::string_view stage);

// The rows of `source` that match.
std::unique_ptr<Stream> MakeMatchStream(std::unique_ptr<Stream> source, const FilterNode& filter,
                                        const Runtime& runtime);

// For parsers of shorthand stages: parses `{name: operand}` and appends.
absl::Status ParseStage(std::string_view name, bson::ValueView operand,
                        const PipelineContext& context, std::vector<StagePtr>* out);

}  // namespace mayfly::engine
