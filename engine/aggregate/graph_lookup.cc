// $graphLookup: all documents of a collection that can be reached from a value, step by step.
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "engine/aggregate/join_filter.h"
#include "engine/aggregate/set_path.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/aggregate/sub_pipeline.h"
#include "engine/expression/value_set.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

struct GraphSpec {
  Namespace from;
  ExpressionPtr start_with;
  std::vector<std::string> connect_from;
  std::string connect_to;
  std::vector<std::string> as;
  std::optional<int64_t> max_depth;
  std::vector<std::string> depth_field;  // empty: not wanted
  bson::Document restrict_search;
  std::unique_ptr<Pipeline> pipeline;  // restrict_search, or empty
};

class GraphStream final : public StageStream {
 public:
  GraphStream(std::unique_ptr<Stream> source, const GraphSpec& spec, const Runtime& runtime)
      : StageStream(std::move(source)), spec_(spec), frame_(*runtime.evaluation), inner_(runtime) {}

  absl::StatusOr<bool> Next(Row* row) override {
    MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(row));
    if (!more) return false;
    row->MakeOwned();
    MAYFLY_ASSIGN_OR_RETURN(Value found, Search(*row));
    row->Own(WithPath(row->doc(), spec_.as, found));
    row->record_id = kNoRecord;
    return true;
  }

 private:
  absl::StatusOr<Value> Search(const Row& row) {
    const bson::StringComparator* strings = frame_.context().strings;
    frame_.root = row.doc();
    frame_.row = &row;
    MAYFLY_ASSIGN_OR_RETURN(Value start, spec_.start_with->Evaluate(frame_));
    ValueSet asked = MakeValueSet(strings), seen = MakeValueSet(strings);
    std::vector<Value> frontier;
    AddToFrontier(start, &asked, &frontier);
    ArrayBuilder out;
    for (int64_t depth = 0; !frontier.empty(); ++depth) {
      if (spec_.max_depth && depth > *spec_.max_depth) break;
      std::vector<Value> asking = std::move(frontier);
      frontier.clear();
      MAYFLY_RETURN_IF_ERROR(Step(asking, depth, &seen, &asked, &frontier, &out));
    }
    return out.Finish();
  }

  static void AddToFrontier(ValueView value, ValueSet* asked, std::vector<Value>* frontier) {
    auto add = [&](ValueView v) {
      if (v.IsMissing() || asked->contains(v)) return;
      asked->insert(Value(v));
      frontier->emplace_back(v);
    };
    if (!value.IsArray()) {
      add(value);
      return;
    }
    for (const bson::Element& element : value.AsDocument()) add(element.value);
  }

  absl::Status Step(const std::vector<Value>& asking, int64_t depth, ValueSet* seen,
                    ValueSet* asked, std::vector<Value>* frontier, ArrayBuilder* out) {
    std::vector<ValueView> views(asking.begin(), asking.end());
    MAYFLY_ASSIGN_OR_RETURN(FilterPtr filter, MakeEqualsAnyFilter(spec_.connect_to, views,
                                                                  bson::View(), inner_.runtime()));
    MAYFLY_ASSIGN_OR_RETURN(
        std::unique_ptr<Stream> stream,
        OpenSubPipeline(*spec_.pipeline, spec_.from, filter.get(), inner_.runtime()));
    Row found;
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(bool more, stream->Next(&found));
      if (!more) return absl::OkStatus();
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(inner_.runtime()));
      if (!seen->insert(Value(found.doc().Find("_id"))).second) continue;
      if (spec_.depth_field.empty()) {
        out->builder().PushDocument(found.doc());
      } else {
        out->builder().PushDocument(WithPath(found.doc(), spec_.depth_field, Value::Int64(depth)));
      }
      MAYFLY_RETURN_IF_ERROR(
          CheckMemory(inner_.runtime(), static_cast<int64_t>(out->size()), "$graphLookup"));
      Value scratch;
      AddToFrontier(ResolvePath(found.doc(), spec_.connect_from, &scratch), asked, frontier);
    }
  }

  const GraphSpec& spec_;
  Frame frame_;
  InnerRuntime inner_;
};

class GraphStage final : public Stage {
 public:
  GraphStage(const StageRow& row, GraphSpec spec) : Stage(row), spec_(std::move(spec)) {}
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<GraphStream>(std::move(source), spec_, runtime);
  }
  Fields AddDependencies(Dependencies* out) const override {
    spec_.start_with->AddDependencies(out);
    return Fields::kPassesOn;
  }
  void AddNamespaces(std::vector<Namespace>* out) const override { out->push_back(spec_.from); }

 private:
  const GraphSpec spec_;
};

absl::Status WrongType(std::string_view field, ValueView value) {
  return base::Error(40103, base::StrCat("expected string as argument for ", field,
                                         ", found: ", ValueText(value)));
}

absl::Status ParseDepth(ValueView value, GraphSpec* spec) {
  if (!value.IsNumber()) {
    return base::Error(40100, base::StrCat("maxDepth requires numeric argument, found ",
                                           bson::TypeName(value.type())));
  }
  std::optional<int64_t> depth = bson::ToInt64Exact(value);
  if (!depth) return base::Error(40102, "maxDepth could not be represented as a long long");
  if (*depth < 0)
    return base::Error(40101,
                       base::StrCat("maxDepth requires a nonnegative argument, found: ", *depth));
  spec->max_depth = depth;
  return absl::OkStatus();
}

absl::Status ParseRestriction(ValueView value, const PipelineContext& context, GraphSpec* spec) {
  if (!value.IsDocument()) {
    return base::Error(40185, "restrictSearchWithMatch must be an object, found another type");
  }
  FilterParseContext filter;
  filter.strings = context.expressions.evaluation->strings;
  filter.variables = context.expressions.variables;
  filter.evaluation = context.expressions.evaluation;
  MAYFLY_RETURN_IF_ERROR(ParseFilter(value.AsDocument(), filter).status());
  spec->restrict_search = bson::Document(value.AsDocument());
  return absl::OkStatus();
}

absl::Status ParseField(const bson::Element& element, const PipelineContext& context,
                        GraphSpec* spec) {
  const std::string_view key = element.key;
  if (key == "startWith") {
    MAYFLY_ASSIGN_OR_RETURN(spec->start_with, ParseExpression(element.value, context.expressions));
    return absl::OkStatus();
  }
  if (key == "maxDepth") return ParseDepth(element.value, spec);
  if (key == "restrictSearchWithMatch") return ParseRestriction(element.value, context, spec);
  if (key == "from") {
    constexpr int kFailedToParse = static_cast<int>(base::ErrorCode::kFailedToParse);
    MAYFLY_ASSIGN_OR_RETURN(spec->from, ParseStageNamespace(element.value, context,
                                                            {"$graphLookup.from", kFailedToParse}));
    return absl::OkStatus();
  }
  const bool known =
      key == "as" || key == "connectFromField" || key == "connectToField" || key == "depthField";
  if (!known) return base::Error(40104, base::StrCat("Unknown argument to $graphLookup: ", key));
  if (!element.value.IsString()) return WrongType(key, element.value);
  MAYFLY_ASSIGN_OR_RETURN(std::vector<std::string> path, ParseFieldPath(element.value.AsString()));
  if (key == "as")
    spec->as = std::move(path);
  else if (key == "connectFromField")
    spec->connect_from = std::move(path);
  else if (key == "connectToField")
    spec->connect_to = std::string(element.value.AsString());
  else
    spec->depth_field = std::move(path);
  return absl::OkStatus();
}

absl::Status ParseGraphLookup(ValueView operand, const StageRow& row,
                              const PipelineContext& context, std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) {
    return base::Error(
        base::ErrorCode::kFailedToParse,
        base::StrCat("the $graphLookup stage specification must be an object, but found ",
                     bson::TypeName(operand.type())));
  }
  GraphSpec spec;
  for (const bson::Element& element : operand.AsDocument())
    MAYFLY_RETURN_IF_ERROR(ParseField(element, context, &spec));
  if (!operand.AsDocument().Has("from")) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "missing 'from' option to $graphLookup stage specification");
  }
  if (spec.as.empty() || !spec.start_with || spec.connect_from.empty() || spec.connect_to.empty()) {
    return base::Error(
        40105,
        "$graphLookup requires 'as', 'startWith', 'connectFromField', and 'connectToField' to be "
        "specified.");
  }
  bson::Builder stages;
  stages.OpenArray("stages");
  if (!spec.restrict_search.empty())
    stages.PushOpenDocument().Document("$match", spec.restrict_search).Close();
  const bson::Document holder = stages.Close().Finish();
  MAYFLY_ASSIGN_OR_RETURN(
      spec.pipeline,
      ParseSubPipeline(holder.Find("stages").AsDocument(), context, PipelinePlace::kLookup,
                       spec.from, *context.expressions.variables));
  out->push_back(std::make_unique<GraphStage>(row, std::move(spec)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kGraphLookupRow = {"$graphLookup", ParseGraphLookup,
                                  "follows references through a collection"};

}  // namespace mayfly::engine
