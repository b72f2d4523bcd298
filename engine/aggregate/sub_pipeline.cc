#include "engine/aggregate/sub_pipeline.h"

#include "base/strings.h"

namespace mayfly::engine {

absl::StatusOr<std::unique_ptr<Pipeline>> ParseSubPipeline(bson::View array,
                                                           const PipelineContext& context,
                                                           PipelinePlace place, const Namespace& ns,
                                                           const Variables& variables) {
  PipelineContext inner = context;
  const bool reads = place == PipelinePlace::kLookup || place == PipelinePlace::kUnionWith;
  inner.text_index = reads && context.text_index_of ? context.text_index_of(ns) : nullptr;
  inner.place = place;
  inner.inside_facet = inner.inside_facet || inner.place == PipelinePlace::kFacet;
  inner.ns = ns;
  inner.expressions.variables = &variables;
  ++inner.depth;
  return ParsePipeline(array, inner);
}

absl::StatusOr<OuterVariables> ParseOuterVariables(bson::ValueView let,
                                                   const PipelineContext& context,
                                                   Variables* inner) {
  OuterVariables out;
  if (let.IsDocument()) {
    for (const bson::Element& element : let.AsDocument()) {
      MAYFLY_RETURN_IF_ERROR(CheckVariableNameForWrite(element.key));
      MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr value,
                              ParseExpression(element.value, context.expressions));
      out.entries.push_back({inner->Define(element.key), std::move(value)});
    }
  } else if (!let.IsMissing()) {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       base::StrCat("'let' must be an object, found ", bson::TypeName(let.type())));
  }
  out.slots = inner->next_slot();
  return out;
}

absl::Status InnerRuntime::Bind(const OuterVariables& variables, Frame& frame) {
  if (values_.size() < static_cast<size_t>(variables.slots)) values_.resize(variables.slots);
  for (const OuterVariables::Entry& entry : variables.entries) {
    MAYFLY_ASSIGN_OR_RETURN(values_[entry.slot], entry.value->Evaluate(frame));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Stream>> OpenSubPipeline(const Pipeline& pipeline,
                                                        const Namespace& ns,
                                                        const FilterNode* filter,
                                                        const Runtime& runtime) {
  if (pipeline.HasOwnSource() && filter != nullptr) {
    return pipeline.MakeFilteredStream(*filter, runtime);
  }
  if (pipeline.HasOwnSource()) return pipeline.MakeStream(nullptr, runtime);
  if (!runtime.host) {
    return base::Error(base::ErrorCode::kInternalError,
                       "a pipeline without a host cannot read other collections");
  }
  return runtime.host->OpenCollection(ns, filter, pipeline, runtime);
}

absl::Status CheckNamespace(const Namespace& ns) {
  const std::string& name = ns.collection;
  const bool bad = name.empty() || name[0] == '.' || name.find('\0') != std::string::npos;
  if (!bad) return absl::OkStatus();
  return base::Error(base::ErrorCode::kInvalidNamespace,
                     base::StrCat("Invalid namespace specified '", ns.ToString(), "'"));
}

absl::StatusOr<Namespace> ParseStageNamespace(bson::ValueView value, const PipelineContext& context,
                                              const NamespaceErrors& errors) {
  Namespace ns{context.ns.database, ""};
  if (value.IsString()) {
    ns.collection = std::string(value.AsString());
    MAYFLY_RETURN_IF_ERROR(CheckNamespace(ns));
    return ns;
  }
  if (!value.IsDocument()) {
    return base::Error(
        errors.type_code,
        base::StrCat(errors.stage, " only supports a string or object argument, not ",
                     bson::TypeName(value.type())));
  }
  for (const bson::Element& element : value.AsDocument()) {
    if (element.key != "db" && element.key != "coll") {
      return base::Error(40415, base::StrCat("BSON field '", errors.stage, ".", element.key,
                                             "' is an unknown field."));
    }
    if (!element.value.IsString()) {
      return base::Error(
          base::ErrorCode::kTypeMismatch,
          base::StrCat("BSON field '", errors.stage, ".", element.key, "' is the wrong type '",
                       bson::TypeName(element.value.type()), "', expected type 'string'"));
    }
    (element.key == "db" ? ns.database : ns.collection) = std::string(element.value.AsString());
  }
  if (!value.AsDocument().Has("coll")) {
    return base::Error(40414, base::StrCat("BSON field '", errors.stage,
                                           ".coll' is missing but a required field"));
  }
  MAYFLY_RETURN_IF_ERROR(CheckNamespace(ns));
  return ns;
}

}  // namespace mayfly::engine
