// Pages about the language of queries, updates and pipelines. What is refused is used once, so that
// the error is the one clients get.
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/aggregate/accumulator.h"
#include "engine/aggregate/stage.h"
#include "engine/aggregate/window.h"
#include "engine/expression/field_path.h"
#include "engine/expression/operator.h"
#include "engine/projection/projection.h"
#include "engine/query/filter_families.h"
#include "engine/update/update_operator.h"
#include "tools/reference/markdown.h"
#include "tools/reference/pages.h"

namespace mayfly::reference {
namespace {

using base::StrCat;
using base::Support;

constexpr std::string_view kSample = "function() { return true; }";

// Which error the name gives that has to be used as {name: "text"}.
bson::Document UseOf(std::string_view name) {
  bson::Builder use;
  use.String(name, kSample);
  return use.Finish();
}

struct Contexts {
  engine::EvaluationContext evaluation;
  engine::Variables variables;
  engine::ParseContext expressions{.variables = &variables, .evaluation = &evaluation};
};

// The support of a row and, if it is refused, its error.
template <typename Row, typename Use>
std::string SupportOf(const Row& row, Use use) {
  if (row.support != Support::kRefused) return std::string(SupportText(row.support));
  const Contexts contexts;
  return StrCat(SupportText(row.support), ": ", ErrorText(use(contexts)));
}

absl::Status UseFilter(const Contexts& contexts, std::string_view name) {
  engine::FilterParseContext context;
  context.evaluation = &contexts.evaluation;
  return engine::ParseFilter(UseOf(name), context).status();
}

absl::Status UseStage(const Contexts& contexts, std::string_view name) {
  engine::PipelineContext context;
  context.expressions = contexts.expressions;
  bson::Builder pipeline;
  pipeline.OpenDocument("0").OpenDocument(name).Close().Close();
  return engine::ParsePipeline(pipeline.Finish(), context).status();
}

absl::Status UseAccumulator(const Contexts& contexts, const engine::AccumulatorRow& row) {
  const bson::Document use = UseOf(row.name);
  return row.parse(use.view().First().value, row, contexts.expressions).status();
}

std::string Arity(const engine::OperatorRow& row) {
  if (row.function == nullptr) return "";
  if (row.arguments_max == engine::kAnyNumber) {
    return row.arguments_min == 0 ? "any number" : StrCat(row.arguments_min, " or more");
  }
  if (row.arguments_min == row.arguments_max) return StrCat(row.arguments_min);
  return StrCat(row.arguments_min, " to ", row.arguments_max);
}

std::string Position(const engine::StageRow& row) {
  switch (row.position) {
    case engine::StagePosition::kAnywhere:
      return "";
    case engine::StagePosition::kFirst:
      return "first";
    case engine::StagePosition::kLast:
      return "last";
  }
  return "";
}

void AppendPlace(bool holds, std::string_view text, std::string* out) {
  if (!holds) return;
  if (!out->empty()) *out += ", ";
  *out += text;
}

std::string Restrictions(const engine::StageRow& row) {
  std::string out = Position(row);
  AppendPlace(!row.in_facet, "not in `$facet`", &out);
  AppendPlace(!row.in_sub_pipeline, "not in sub-pipelines", &out);
  AppendPlace(row.in_update, "also in updates", &out);
  AppendPlace(row.without_collection, "without a collection", &out);
  return out;
}

}  // namespace

std::string QueryOperatorsPage() {
  Table table({"operator", "family", "stands", "support", "meaning"});
  for (const engine::FilterFamily& family : engine::FilterFamilies()) {
    for (const engine::FilterRow& row : family.rows) {
      const bool both = row.field != nullptr && row.document != nullptr;
      const std::string_view stands = both                   ? "at a field or in its place"
                                      : row.field != nullptr ? "at a field"
                                                             : "in its place";
      table.Add({Code(row.name), std::string(family.name), std::string(stands),
                 SupportOf(row, [&](const Contexts& c) { return UseFilter(c, row.name); }),
                 Sentence(row.help)});
    }
  }
  return StrCat("At a field: `{field: {$gt: 1}}`. In the place of a field: `{$or: [...]}`.\n\n",
                table.Text());
}

std::string UpdateOperatorsPage() {
  Table operators({"operator", "meaning"});
  for (const engine::UpdateOperatorRow* row : engine::AllUpdateOperators()) {
    operators.Add({Code(row->name), Sentence(row->help)});
  }
  Table clauses({"clause", "meaning"});
  for (const engine::UpdateNameRow& row : engine::PushClauses()) {
    clauses.Add({Code(row.name), Sentence(row.help)});
  }
  Table paths({"part", "meaning"});
  paths.KeepOrder();
  for (const engine::UpdateNameRow& row : engine::PositionalPathParts()) {
    paths.Add({Code(row.name), Sentence(row.help)});
  }
  Table stages({"stage", "meaning"});
  for (const engine::StageRow* row : engine::StageRows()) {
    if (row->in_update) stages.Add({Code(row->name), Sentence(row->help)});
  }
  return StrCat("All are offered.\n\n## Operators\n\n", operators.Text(),
                "\n## Clauses of `$push`\n\n", clauses.Text(), "\n## Parts of paths\n\n",
                paths.Text(), "\n## Stages of updates by pipeline\n\n", stages.Text());
}

std::string ProjectionOperatorsPage() {
  Table table({"operator", "meaning"});
  table.KeepOrder();
  for (const engine::ProjectionOperatorRow& row : engine::ProjectionOperators()) {
    table.Add({Code(row.name), Sentence(row.help)});
  }
  return StrCat(
      "All are offered. Besides these a field may be any [expression](expressions.md).\n\n",
      table.Text());
}

std::string ExpressionsPage() {
  Table operators({"operator", "arguments", "support", "gives"});
  for (const absl::Span<const engine::OperatorRow> family : engine::OperatorFamilies()) {
    for (const engine::OperatorRow& row : family) {
      const auto use = [&](const Contexts& contexts) {
        const bson::Document use = UseOf(row.name);
        return row.parse(use.view().First().value, row, contexts.expressions).status();
      };
      operators.Add({Code(row.name), Arity(row), SupportOf(row, use), Sentence(row.help)});
    }
  }
  Table variables({"variable", "is"});
  for (const engine::SystemVariableName& row : engine::SystemVariables()) {
    variables.Add({Code(StrCat("$$", row.name)), Sentence(row.help)});
  }
  return StrCat(
      "Operators without a number of arguments take a document, or have a form of their "
      "own.\n\n## Operators\n\n",
      operators.Text(), "\n## Variables\n\n", variables.Text());
}

std::string AccumulatorsPage() {
  Table accumulators({"accumulator", "support", "gives"});
  for (const absl::Span<const engine::AccumulatorRow> family : engine::AccumulatorFamilies()) {
    for (const engine::AccumulatorRow& row : family) {
      accumulators.Add({Code(row.name),
                        SupportOf(row, [&](const Contexts& c) { return UseAccumulator(c, row); }),
                        Sentence(row.help)});
    }
  }
  Table windows({"function", "gives"});
  for (const auto family :
       {engine::MomentFunctions(), engine::RankFunctions(), engine::SeriesFunctions()}) {
    for (const engine::WindowRow& row : family) {
      windows.Add({Code(row.name), Sentence(row.help)});
    }
  }
  return StrCat(
      "## Accumulators\n\nOf `$group`, `$bucket`, `$bucketAuto` and "
      "`$setWindowFields`.\n\n",
      accumulators.Text(),
      "\n## Window functions\n\nOf `$setWindowFields` only; all are "
      "offered.\n\n",
      windows.Text());
}

std::string StagesPage() {
  Table table({"stage", "stands", "support", "does"});
  for (const engine::StageRow* row : engine::StageRows()) {
    table.Add({Code(row->name), Restrictions(*row),
               SupportOf(*row, [&](const Contexts& c) { return UseStage(c, row->name); }),
               Sentence(row->help)});
  }
  return table.Text();
}

}  // namespace mayfly::reference
