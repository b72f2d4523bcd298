// $limit and $skip.
#include "base/strings.h"
#include "bson/number.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

class LimitStream final : public StageStream {
 public:
  LimitStream(std::unique_ptr<Stream> source, int64_t limit)
      : StageStream(std::move(source)), left_(limit) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (left_ == 0) return false;
    --left_;
    return source().Next(row);
  }

 private:
  int64_t left_;
};

class SkipStream final : public StageStream {
 public:
  SkipStream(std::unique_ptr<Stream> source, int64_t skip)
      : StageStream(std::move(source)), left_(skip) {}

  absl::StatusOr<bool> Next(Row* row) override {
    for (; left_ > 0; --left_) {
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(row));
      if (!more) return false;
    }
    return source().Next(row);
  }

 private:
  int64_t left_;
};

class LimitStage final : public Stage {
 public:
  LimitStage(const StageRow& row, int64_t limit) : Stage(row), limit_(limit) {}
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime&) const override {
    return std::make_unique<LimitStream>(std::move(source), limit_);
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kPassesOn; }
  std::optional<int64_t> limit() const override { return limit_; }

 private:
  const int64_t limit_;
};

class SkipStage final : public Stage {
 public:
  SkipStage(const StageRow& row, int64_t skip) : Stage(row), skip_(skip) {}
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime&) const override {
    return std::make_unique<SkipStream>(std::move(source), skip_);
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kPassesOn; }
  std::optional<int64_t> skip() const override { return skip_; }

 private:
  const int64_t skip_;
};

// A number that is integral, fits in int64 and is not negative.
absl::StatusOr<int64_t> ParseCount(bson::ValueView operand, const StageRow& row, int code) {
  std::optional<int64_t> count;
  if (operand.IsNumber()) count = bson::ToInt64Exact(operand);
  if (count && *count >= 0) return *count;
  return base::Error(code, base::StrCat("invalid argument to ", row.name,
                                        " stage: Expected a non-negative number in: ", row.name,
                                        ": ", ValueText(operand)));
}

absl::Status ParseLimit(bson::ValueView operand, const StageRow& row, const PipelineContext&,
                        std::vector<StagePtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(int64_t limit, ParseCount(operand, row, 5107201));
  if (limit == 0) return base::Error(15958, "the limit must be positive");
  out->push_back(std::make_unique<LimitStage>(row, limit));
  return absl::OkStatus();
}

absl::Status ParseSkip(bson::ValueView operand, const StageRow& row, const PipelineContext&,
                       std::vector<StagePtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(int64_t skip, ParseCount(operand, row, 5107200));
  out->push_back(std::make_unique<SkipStage>(row, skip));
  return absl::OkStatus();
}

}  // namespace

const StageRow kLimitRow = {"$limit", ParseLimit, "passes on the first n documents"};
const StageRow kSkipRow = {"$skip", ParseSkip, "leaves out the first n documents"};

}  // namespace mayfly::engine
