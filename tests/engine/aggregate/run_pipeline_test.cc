#include "tests/engine/aggregate/run_pipeline.h"

#include <algorithm>

#include "engine/expression/expression.h"

namespace mayfly::engine {
namespace {

constexpr int64_t kTestNowMs = 1'700'000'000'000;

using Collections = std::map<std::string, std::vector<bson::Document>>;

class MemoryOut final : public OutTarget {
 public:
  MemoryOut(Collections* collections, std::string target, std::string_view temporary)
      : collections_(collections), target_(std::move(target)), temporary_(temporary) {}
  absl::Status Create() override {
    (*collections_)[temporary_] = {};
    return absl::OkStatus();
  }
  absl::Status Write(bson::View document) override {
    (*collections_)[temporary_].emplace_back(document);
    return absl::OkStatus();
  }
  absl::Status Finish() override {
    (*collections_)[target_] = std::move((*collections_)[temporary_]);
    return Drop();
  }
  absl::Status Drop() override {
    collections_->erase(temporary_);
    return absl::OkStatus();
  }

 private:
  Collections* collections_;
  std::string target_;
  std::string temporary_;
};

class MemoryMerge final : public MergeTarget {
 public:
  explicit MemoryMerge(std::vector<bson::Document>* target) : target_(target) {}
  bool HasNulls() const override { return true; }
  absl::StatusOr<std::optional<bson::Document>> Find(bson::View key) override {
    for (const bson::Document& document : *target_) {
      bool same = true;
      for (const bson::Element& element : key)
        same = same && bson::Equal(document.Find(element.key), element.value);
      if (same) return document;
    }
    return std::optional<bson::Document>();
  }
  absl::Status Insert(bson::View document) override {
    target_->emplace_back(document);
    return absl::OkStatus();
  }
  absl::StatusOr<bool> Replace(bson::View before, bson::View after) override {
    for (bson::Document& document : *target_) {
      if (document.view().bytes() != before.bytes()) continue;
      document = bson::Document(after);
      return true;
    }
    return false;
  }

 private:
  std::vector<bson::Document>* target_;
};

absl::StatusOr<std::string> Run(std::string_view pipeline, std::string_view documents,
                                const RunOptions& options) {
  MAYFLY_ASSIGN_OR_RETURN(bson::Document parsed,
                          bson::ParseJson("{\"p\":" + std::string(pipeline) + "}"));
  MAYFLY_ASSIGN_OR_RETURN(
      std::vector<bson::Document> rows,
      RunPipelineDocuments(parsed.Find("p").AsDocument(), ParseDocuments(documents), options));
  std::string out;
  for (const bson::Document& row : rows) {
    if (!out.empty()) out += ' ';
    out += bson::ToShellText(row.view());
  }
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Stream>> MemoryHost::OpenCollection(const Namespace& ns,
                                                                   const FilterNode* filter,
                                                                   const Pipeline& pipeline,
                                                                   const Runtime& runtime) {
  ++opened;
  std::vector<bson::Document> found;
  MatchContext context(*runtime.evaluation);
  for (const bson::Document& document : collections[ns.collection]) {
    bool matches = true;
    if (filter) {
      MAYFLY_ASSIGN_OR_RETURN(matches, filter->Matches(document, context));
    }
    if (matches) found.push_back(document);
  }
  return pipeline.MakeStream(std::make_unique<VectorStream>(std::move(found)), runtime);
}

absl::StatusOr<std::unique_ptr<OutTarget>> MemoryHost::OpenOut(const Namespace& target,
                                                               std::string_view temporary) {
  return std::make_unique<MemoryOut>(&collections, target.collection, temporary);
}

absl::StatusOr<std::unique_ptr<MergeTarget>> MemoryHost::OpenMerge(
    const Namespace& target, const std::vector<std::string>& on) {
  const bool is_id = on.empty() || on == std::vector<std::string>{"_id"};
  if (!is_id && unique[target.collection] != on) {
    return base::Error(51183, "Cannot find index to verify that join fields will be unique");
  }
  return std::make_unique<MemoryMerge>(&collections[target.collection]);
}

absl::StatusOr<std::vector<bson::Document>> MemoryHost::Report(std::string_view stage,
                                                               bson::ValueView, const Namespace&) {
  bson::Builder out;
  out.String("stage", stage);
  std::vector<bson::Document> documents;
  documents.push_back(out.Finish());
  return documents;
}

std::vector<bson::Document> ParseDocuments(std::string_view json_array) {
  std::vector<bson::Document> out;
  absl::StatusOr<bson::Document> parsed =
      bson::ParseJson("{\"d\":" + std::string(json_array) + "}");
  if (!parsed.ok()) return out;
  for (const bson::Element& element : parsed->Find("d").AsDocument())
    out.emplace_back(element.value.AsDocument());
  return out;
}

absl::StatusOr<std::vector<bson::Document>> RunPipelineDocuments(
    bson::View pipeline, std::vector<bson::Document> documents, const RunOptions& options) {
  base::Random random(1);
  EvaluationContext evaluation;
  evaluation.now_ms = kTestNowMs;
  evaluation.random = &random;
  evaluation.strings = options.strings;
  Variables variables;
  PipelineContext context;
  context.expressions.variables = &variables;
  context.expressions.evaluation = &evaluation;
  const bson::ValueView first = pipeline.First().value;
  const bool reads = !first.IsDocument() || first.AsDocument().First().key != "$documents";
  context.ns = {"test", reads ? "coll" : ""};
  MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<Pipeline> parsed, ParsePipeline(pipeline, context));
  Runtime runtime;
  runtime.evaluation = &evaluation;
  runtime.host = options.host;
  runtime.allow_disk_use = options.allow_disk_use;
  runtime.memory_limit_bytes = options.memory_limit_bytes;
  MAYFLY_ASSIGN_OR_RETURN(
      std::unique_ptr<Stream> stream,
      parsed->MakeStream(std::make_unique<VectorStream>(std::move(documents)), runtime));
  std::vector<bson::Document> out;
  MAYFLY_ASSIGN_OR_RETURN(const std::unique_ptr<Sink> sink, parsed->MakeSink(runtime));
  if (sink != nullptr) {
    MAYFLY_RETURN_IF_ERROR(WriteAll(*stream, *sink, *options.host));
    return out;
  }
  while (true) {
    Row row;
    MAYFLY_ASSIGN_OR_RETURN(bool more, stream->Next(&row));
    if (!more) return out;
    out.push_back(row.TakeDocument());
  }
}

std::string RunPipeline(std::string_view pipeline, std::string_view documents,
                        const RunOptions& options) {
  absl::StatusOr<std::string> result = Run(pipeline, documents, options);
  if (!result.ok())
    return "error " + std::to_string(static_cast<int>(base::CodeOf(result.status())));
  return *result;
}

}  // namespace mayfly::engine
