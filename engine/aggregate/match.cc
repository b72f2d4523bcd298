// $match: the documents that a filter matches.
#include "base/strings.h"
#include "engine/aggregate/stage_rows.h"

namespace mayfly::engine {
namespace {

class MatchStream final : public StageStream {
 public:
  MatchStream(std::unique_ptr<Stream> source, const FilterNode& filter, const Runtime& runtime)
      : StageStream(std::move(source)),
        filter_(filter),
        runtime_(runtime),
        context_(*runtime.evaluation) {}

  absl::StatusOr<bool> Next(Row* row) override {
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(row));
      if (!more) return false;
      context_.row = row;
      MAYFLY_ASSIGN_OR_RETURN(bool matches, filter_.Matches(row->doc(), context_));
      if (matches) return true;
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
    }
  }

 private:
  const FilterNode& filter_;
  const Runtime& runtime_;
  MatchContext context_;
};

// Adds the paths of `node` and its children; false if the filter reads more than paths.
bool AddPaths(const FilterNode& node, Dependencies* out) {
  if (node.expression()) {
    node.expression()->AddDependencies(out);
    return true;
  }
  switch (node.kind()) {
    case FilterKind::kAnd:
    case FilterKind::kOr:
    case FilterKind::kNor:
    case FilterKind::kNot: {
      bool known = true;
      for (const FilterPtr& child : node.children()) known = AddPaths(*child, out) && known;
      return known;
    }
    case FilterKind::kAlwaysFalse:
    case FilterKind::kAlwaysTrue:
    case FilterKind::kSample:
      return true;
    case FilterKind::kExpression:
    case FilterKind::kSchema:
      return false;
    case FilterKind::kGeo:
    case FilterKind::kNear:
    case FilterKind::kText:
    case FilterKind::kElementObject:
    case FilterKind::kElementValue:
    case FilterKind::kSize:
    case FilterKind::kEqual:
    case FilterKind::kLessEqual:
    case FilterKind::kLess:
    case FilterKind::kGreater:
    case FilterKind::kGreaterEqual:
    case FilterKind::kRegex:
    case FilterKind::kMod:
    case FilterKind::kExists:
    case FilterKind::kIn:
    case FilterKind::kBits:
    case FilterKind::kType:
      out->paths.insert(std::string(node.path()));
      return !node.path().empty();
  }
  return false;
}

class MatchStage final : public Stage {
 public:
  MatchStage(const StageRow& row, FilterPtr filter) : Stage(row), filter_(std::move(filter)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return MakeMatchStream(std::move(source), *filter_, runtime);
  }
  Fields AddDependencies(Dependencies* out) const override {
    return AddPaths(*filter_, out) ? Fields::kPassesOn : Fields::kNeedsAll;
  }
  const FilterNode* filter() const override { return filter_.get(); }

 private:
  const FilterPtr filter_;
};

absl::Status ParseMatch(bson::ValueView operand, const StageRow& row,
                        const PipelineContext& context, std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) {
    return base::Error(15959, base::StrCat("the match filter must be an expression in an object"));
  }
  FilterParseContext filter_context;
  filter_context.strings = context.expressions.evaluation->strings;
  filter_context.variables = context.expressions.variables;
  filter_context.evaluation = context.expressions.evaluation;
  filter_context.features.near = false;
  filter_context.features.where = false;
  filter_context.text_index = context.text_index;
  MAYFLY_ASSIGN_OR_RETURN(FilterPtr filter, ParseFilter(operand.AsDocument(), filter_context));
  out->push_back(std::make_unique<MatchStage>(row, std::move(filter)));
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Stream> MakeMatchStream(std::unique_ptr<Stream> source, const FilterNode& filter,
                                        const Runtime& runtime) {
  return std::make_unique<MatchStream>(std::move(source), filter, runtime);
}

const StageRow kMatchRow = {"$match", ParseMatch, "passes on the documents that match a filter"};

}  // namespace mayfly::engine
