#include "engine/exec/basic_streams.h"

#include <utility>

#include "base/status.h"

namespace mayfly::engine {
namespace {

class PassingStream : public Stream {
 public:
  explicit PassingStream(std::unique_ptr<Stream> source) : source_(std::move(source)) {}
  void Suspend() override { source_->Suspend(); }
  void Resume(Transaction& transaction) override { source_->Resume(transaction); }

 protected:
  std::unique_ptr<Stream> source_;
};

class FilterStream : public PassingStream {
 public:
  FilterStream(const EvaluationContext& evaluation, const FilterNode& filter,
               std::unique_ptr<Stream> source)
      : PassingStream(std::move(source)), filter_(filter), match_(evaluation) {}

  absl::StatusOr<bool> Next(Row* row) override {
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, source_->Next(row));
      if (!more) return false;
      match_.row = row;
      MAYFLY_ASSIGN_OR_RETURN(const bool matches, filter_.Matches(row->doc(), match_));
      if (matches) return true;
    }
  }

 private:
  const FilterNode& filter_;
  MatchContext match_;
};

class SkipStream : public PassingStream {
 public:
  SkipStream(int64_t count, std::unique_ptr<Stream> source)
      : PassingStream(std::move(source)), left_(count) {}

  absl::StatusOr<bool> Next(Row* row) override {
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, source_->Next(row));
      if (!more) return false;
      if (left_ == 0) return true;
      --left_;
    }
  }

 private:
  int64_t left_;
};

class LimitStream : public PassingStream {
 public:
  LimitStream(int64_t count, std::unique_ptr<Stream> source)
      : PassingStream(std::move(source)), left_(count) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (left_ == 0) return false;
    MAYFLY_ASSIGN_OR_RETURN(const bool more, source_->Next(row));
    // A tailable source that has nothing now may have more in a later batch.
    if (more) --left_;
    return more;
  }

 private:
  int64_t left_;
};

class TextScoreStream : public PassingStream {
 public:
  TextScoreStream(const TextSearch& text, std::unique_ptr<Stream> source)
      : PassingStream(std::move(source)), text_(text) {}

  absl::StatusOr<bool> Next(Row* row) override {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, source_->Next(row));
    if (more) row->text_score = text_.Score(row->doc()).value_or(0);
    return more;
  }

 private:
  const TextSearch& text_;
};

}  // namespace

std::unique_ptr<Stream> MakeTextScoreStream(const TextSearch& text,
                                            std::unique_ptr<Stream> source) {
  return std::make_unique<TextScoreStream>(text, std::move(source));
}

std::unique_ptr<const text::Index> TextIndexOf(const Collection* collection) {
  if (collection == nullptr) return nullptr;
  for (const auto& index : collection->indexes()) {
    for (const IndexField& field : index->spec.fields) {
      if (field.kind == IndexKind::kText) return text::Index::FromSpec(index->spec.stored);
    }
  }
  return nullptr;
}

std::unique_ptr<Stream> MakeFilterStream(const EvaluationContext& evaluation,
                                         const FilterNode& filter, std::unique_ptr<Stream> source) {
  return std::make_unique<FilterStream>(evaluation, filter, std::move(source));
}

std::unique_ptr<Stream> MakeSkipStream(int64_t count, std::unique_ptr<Stream> source) {
  return std::make_unique<SkipStream>(count, std::move(source));
}

std::unique_ptr<Stream> MakeLimitStream(int64_t count, std::unique_ptr<Stream> source) {
  return std::make_unique<LimitStream>(count, std::move(source));
}

}  // namespace mayfly::engine
