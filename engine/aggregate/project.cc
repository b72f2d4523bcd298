// $project, $addFields, $set and $unset: every document in another shape.
#include <algorithm>

#include "base/strings.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/projection/projection.h"

namespace mayfly::engine {
namespace {

class ProjectStream final : public StageStream {
 public:
  ProjectStream(std::unique_ptr<Stream> source, const Projection& projection,
                const Runtime& runtime)
      : StageStream(std::move(source)), projection_(projection), frame_(*runtime.evaluation) {}

  absl::StatusOr<bool> Next(Row* row) override {
    MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(row));
    if (!more) return false;
    frame_.root = row->doc();
    frame_.row = row;
    MAYFLY_ASSIGN_OR_RETURN(bson::Document shaped, projection_.Apply(frame_));
    row->Own(std::move(shaped));
    row->record_id = kNoRecord;
    return true;
  }

 private:
  const Projection& projection_;
  Frame frame_;
};

class ProjectStage final : public Stage {
 public:
  ProjectStage(const StageRow& row, Projection projection)
      : Stage(row), projection_(std::move(projection)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<ProjectStream>(std::move(source), projection_, runtime);
  }
  Fields AddDependencies(Dependencies* out) const override {
    projection_.AddDependencies(out);
    return projection_.kind() == ProjectionKind::kInclusion ? Fields::kDropsOthers
                                                            : Fields::kPassesOn;
  }

 private:
  const Projection projection_;
};

absl::Status ParseProject(bson::ValueView operand, const StageRow& row,
                          const PipelineContext& context, std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) return base::Error(15969, "$project specification must be an object");
  MAYFLY_ASSIGN_OR_RETURN(Projection projection,
                          Projection::ParseStage(operand.AsDocument(), context.expressions));
  out->push_back(std::make_unique<ProjectStage>(row, std::move(projection)));
  return absl::OkStatus();
}

absl::Status ParseAddFields(bson::ValueView operand, const StageRow& row,
                            const PipelineContext& context, std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) {
    return base::Error(40272, base::StrCat(row.name, " specification stage must be an object, got ",
                                           bson::TypeName(operand.type())));
  }
  MAYFLY_ASSIGN_OR_RETURN(Projection projection,
                          Projection::ParseAddFields(operand.AsDocument(), context.expressions));
  out->push_back(std::make_unique<ProjectStage>(row, std::move(projection)));
  return absl::OkStatus();
}

absl::Status ParseUnset(bson::ValueView operand, const StageRow& row, const PipelineContext&,
                        std::vector<StagePtr>* out) {
  std::vector<std::string> paths;
  if (operand.IsString()) {
    paths.emplace_back(operand.AsString());
  } else if (!operand.IsArray()) {
    return base::Error(31002, "$unset specification must be a string or an array");
  } else {
    if (operand.AsDocument().empty()) {
      return base::Error(
          31119, "$unset specification must be a string or an array with at least one field");
    }
    for (const bson::Element& element : operand.AsDocument()) {
      if (!element.value.IsString()) {
        return base::Error(
            31120,
            "$unset specification must be a string or an array containing only string values");
      }
      paths.emplace_back(element.value.AsString());
    }
  }
  for (const std::string& path : paths) {
    if (path.find('\0') != std::string::npos) {
      return base::Error(9527900, "$unset field names may not contain embedded null bytes");
    }
  }
  MAYFLY_ASSIGN_OR_RETURN(Projection projection, Projection::ParseUnset(paths));
  out->push_back(std::make_unique<ProjectStage>(row, std::move(projection)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kAddFieldsRow = {.name = "$addFields",
                                .parse = ParseAddFields,
                                .help = "adds or replaces fields",
                                .in_update = true};
const StageRow kProjectRow = {.name = "$project",
                              .parse = ParseProject,
                              .help = "keeps, drops and computes fields",
                              .in_update = true};
const StageRow kSetRow = {.name = "$set",
                          .parse = ParseAddFields,
                          .help = "another name of $addFields",
                          .in_update = true};
const StageRow kUnsetRow = {
    .name = "$unset", .parse = ParseUnset, .help = "drops fields", .in_update = true};

}  // namespace mayfly::engine
