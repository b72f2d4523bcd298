#include "engine/exec/projection_streams.h"

#include <utility>

#include "base/status.h"
#include "bson/builder.h"
#include "engine/index/index_keys.h"
#include "engine/index/key_values.h"

namespace mayfly::engine {
namespace {

class MappingStream : public Stream {
 public:
  explicit MappingStream(std::unique_ptr<Stream> source) : source_(std::move(source)) {}
  void Suspend() override { source_->Suspend(); }
  void Resume(Transaction& transaction) override { source_->Resume(transaction); }

  absl::StatusOr<bool> Next(Row* row) override {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, source_->Next(row));
    if (!more) return false;
    MAYFLY_ASSIGN_OR_RETURN(bson::Document mapped, Map(*row));
    row->Own(std::move(mapped));
    return true;
  }

 private:
  virtual absl::StatusOr<bson::Document> Map(const Row& row) = 0;

  std::unique_ptr<Stream> source_;
};

class ProjectionStream : public MappingStream {
 public:
  ProjectionStream(ExecutionContext& context, const Projection& projection,
                   std::unique_ptr<Stream> source)
      : MappingStream(std::move(source)), projection_(projection), match_(context.evaluation) {}

 private:
  absl::StatusOr<bson::Document> Map(const Row& row) override {
    match_.row = &row;
    return projection_.Apply(row.doc(), match_);
  }

  const Projection& projection_;
  MatchContext match_;
};

class RecordIdStream : public MappingStream {
 public:
  using MappingStream::MappingStream;

 private:
  absl::StatusOr<bson::Document> Map(const Row& row) override {
    bson::Builder builder;
    builder.AppendAll(row.doc()).Int64("$recordId", row.record_id);
    return builder.Finish();
  }
};

class ReturnKeyStream : public MappingStream {
 public:
  ReturnKeyStream(ExecutionContext& context, std::shared_ptr<const Index> index,
                  std::unique_ptr<Stream> source)
      : MappingStream(std::move(source)), context_(context), index_(std::move(index)) {}

 private:
  absl::StatusOr<bson::Document> Map(const Row& row) override {
    bson::Builder builder;
    if (index_ == nullptr || !index_->spec.HasEntries()) return builder.Finish();
    if (index_->spec.special != IndexKind::kAscending) {
      IndexKeySet keys;
      MAYFLY_RETURN_IF_ERROR(ComputeIndexKeys(*index_, row.doc(), context_.evaluation, &keys));
      if (keys.keys().empty()) return builder.Finish();
      const IndexKeySet::Key& key = keys.keys().front();
      return EntryDocument(*index_, {.fields = key.fields, .type_bits = key.type_bits});
    }
    bool first = true;
    const auto status =
        ForEachKey(index_->spec.fields, row.doc(), [&](std::span<const bson::ValueView> values) {
          if (!std::exchange(first, false)) return;
          for (size_t i = 0; i < values.size(); ++i) {
            builder.Append(index_->spec.fields[i].path, values[i]);
          }
        });
    MAYFLY_RETURN_IF_ERROR(status.status());
    return builder.Finish();
  }

  ExecutionContext& context_;
  std::shared_ptr<const Index> index_;
};

}  // namespace

std::unique_ptr<Stream> MakeProjectionStream(ExecutionContext& context,
                                             const Projection& projection,
                                             std::unique_ptr<Stream> source) {
  return std::make_unique<ProjectionStream>(context, projection, std::move(source));
}

std::unique_ptr<Stream> MakeRecordIdStream(std::unique_ptr<Stream> source) {
  return std::make_unique<RecordIdStream>(std::move(source));
}

std::unique_ptr<Stream> MakeReturnKeyStream(ExecutionContext& context,
                                            std::shared_ptr<const Index> index,
                                            std::unique_ptr<Stream> source) {
  return std::make_unique<ReturnKeyStream>(context, std::move(index), std::move(source));
}

}  // namespace mayfly::engine
