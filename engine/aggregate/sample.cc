// $sample: documents chosen at random.
#include <utility>

#include "base/strings.h"
#include "bson/number.h"
#include "engine/aggregate/stage_rows.h"

namespace mayfly::engine {
namespace {

class SampleStream final : public StageStream {
 public:
  SampleStream(std::unique_ptr<Stream> source, size_t size, const Runtime& runtime)
      : StageStream(std::move(source)), size_(size), runtime_(runtime) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (!filled_) MAYFLY_RETURN_IF_ERROR(Fill());
    if (rows_.empty()) return false;
    *row = std::move(rows_.back());
    rows_.pop_back();
    return true;
  }

 private:
  // A reservoir: every document has the same chance to stay; then the order is made random too.
  absl::Status Fill() {
    base::Random& random = *runtime_.evaluation->random;
    for (uint64_t seen = 1;; ++seen) {
      Row row;
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(&row));
      if (!more) break;
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
      const uint64_t place = rows_.size() < size_ ? rows_.size() : random.Below(seen);
      if (place >= size_) continue;
      row.MakeOwned();
      if (place == rows_.size()) {
        rows_.push_back(std::move(row));
      } else {
        rows_[place] = std::move(row);
      }
    }
    for (size_t i = rows_.size(); i > 1; --i) std::swap(rows_[i - 1], rows_[random.Below(i)]);
    DropSource();
    filled_ = true;
    return absl::OkStatus();
  }

  const size_t size_;
  const Runtime& runtime_;
  std::vector<Row> rows_;
  bool filled_ = false;
};

class SampleStage final : public Stage {
 public:
  SampleStage(const StageRow& row, size_t size) : Stage(row), size_(size) {}
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<SampleStream>(std::move(source), size_, runtime);
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kPassesOn; }

 private:
  const size_t size_;
};

absl::Status ParseSample(bson::ValueView operand, const StageRow& row, const PipelineContext&,
                         std::vector<StagePtr>* out) {
  if (!operand.IsDocument())
    return base::Error(28745, "the $sample stage specification must be an object");
  std::optional<int64_t> size;
  for (const bson::Element& element : operand.AsDocument()) {
    if (element.key != "size") {
      return base::Error(28748, base::StrCat("unrecognized option to $sample: ", element.key));
    }
    if (!element.value.IsNumber())
      return base::Error(28746, "size argument to $sample must be a number");
    size = bson::ToInt64Rounded(element.value);
  }
  if (!size) return base::Error(28749, "$sample stage must specify a size");
  if (*size <= 0) return base::Error(28747, "size argument to $sample must be a positive integer");
  out->push_back(std::make_unique<SampleStage>(row, static_cast<size_t>(*size)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kSampleRow = {"$sample", ParseSample, "chooses documents at random"};

}  // namespace mayfly::engine
