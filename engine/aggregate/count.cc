// $count and $sortByCount, made of $group, $project and $sort.
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/aggregate/stage_rows.h"

namespace mayfly::engine {
namespace {

absl::Status CheckName(bson::ValueView operand) {
  if (!operand.IsString()) return base::Error(40156, "the count field must be a non-empty string");
  std::string_view name = operand.AsString();
  if (name.empty()) return base::Error(40157, "the count field must be a non-empty string");
  if (name[0] == '$') return base::Error(40158, "the count field cannot be a $-prefixed path");
  if (name.find('\0') != std::string_view::npos) {
    return base::Error(40159, "the count field cannot contain a null byte");
  }
  if (name.find('.') != std::string_view::npos)
    return base::Error(40160, "the count field cannot contain '.'");
  if (name == "_id") return base::Error(9039800, "the count field cannot be named '_id'");
  return absl::OkStatus();
}

absl::Status ParseCount(bson::ValueView operand, const StageRow&, const PipelineContext& context,
                        std::vector<StagePtr>* out) {
  MAYFLY_RETURN_IF_ERROR(CheckName(operand));
  bson::Builder group, project;
  group.OpenDocument("g")
      .Null("_id")
      .OpenDocument(operand.AsString())
      .Int32("$sum", 1)
      .Close()
      .Close();
  bson::Document group_spec = group.Finish();
  MAYFLY_RETURN_IF_ERROR(ParseStage("$group", group_spec.Find("g"), context, out));
  project.OpenDocument("p").Bool("_id", false).Close();
  bson::Document project_spec = project.Finish();
  return ParseStage("$project", project_spec.Find("p"), context, out);
}

absl::Status ParseSortByCount(bson::ValueView operand, const StageRow&,
                              const PipelineContext& context, std::vector<StagePtr>* out) {
  if (operand.IsDocument()) {
    std::string_view key = operand.AsDocument().First().key;
    if (key.empty() || key[0] != '$') {
      return base::Error(
          40147, base::StrCat("the sortByCount field must be defined as a $-prefixed path or an "
                              "expression inside an object"));
    }
  } else if (!operand.IsString()) {
    return base::Error(40149,
                       "the sortByCount field must be specified as a string or as an object");
  } else if (operand.AsString().empty() || operand.AsString()[0] != '$') {
    return base::Error(40148,
                       "the sortByCount field must be defined as a $-prefixed path or an "
                       "expression inside an object");
  }
  bson::Builder group, sort;
  group.OpenDocument("g")
      .Append("_id", operand)
      .OpenDocument("count")
      .Int32("$sum", 1)
      .Close()
      .Close();
  bson::Document group_spec = group.Finish();
  MAYFLY_RETURN_IF_ERROR(ParseStage("$group", group_spec.Find("g"), context, out));
  sort.OpenDocument("s").Int32("count", -1).Close();
  bson::Document sort_spec = sort.Finish();
  return ParseStage("$sort", sort_spec.Find("s"), context, out);
}

}  // namespace

const StageRow kCountRow = {"$count", ParseCount,
                            "gives one document with the number of documents"};
const StageRow kSortByCountRow = {"$sortByCount", ParseSortByCount,
                                  "counts the documents of every value, most first"};

}  // namespace mayfly::engine
