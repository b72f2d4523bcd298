// $unwind: one document for every element of an array field.
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/aggregate/set_path.h"
#include "engine/aggregate/stage_rows.h"

namespace mayfly::engine {
namespace {

struct UnwindSpec {
  std::vector<std::string> path;
  std::string dotted;
  std::vector<std::string> index_path;  // empty: no index wanted
  bool preserve = false;
};

class UnwindStream final : public StageStream {
 public:
  UnwindStream(std::unique_ptr<Stream> source, const UnwindSpec& spec)
      : StageStream(std::move(source)), spec_(spec) {}

  absl::StatusOr<bool> Next(Row* row) override {
    while (true) {
      if (in_array_ && element_ != end_) {
        Emit(row, element_->value, bson::Value::Int64(index_++));
        ++element_;
        return true;
      }
      in_array_ = false;
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(&input_));
      if (!more) return false;
      bson::ValueView value = FindValue(input_.doc());
      if (value.IsArray() && !value.AsDocument().empty()) {
        input_.MakeOwned();
        value = FindValue(input_.doc());
        element_ = value.AsDocument().begin();
        end_ = value.AsDocument().end();
        index_ = 0;
        in_array_ = true;
        continue;
      }
      const bool nothing = value.IsNullish() || value.IsArray();
      if (nothing && !spec_.preserve) continue;
      // An empty array is kept as a missing field.
      Emit(row, value.IsArray() ? bson::ValueView() : value, bson::Value::Null());
      return true;
    }
  }

 private:
  bson::ValueView FindValue(bson::View document) const {
    bson::ValueView value = document.Find(spec_.path[0]);
    for (size_t i = 1; i < spec_.path.size(); ++i) {
      if (!value.IsDocument()) return {};
      value = value.AsDocument().Find(spec_.path[i]);
    }
    return value;
  }

  void Emit(Row* row, bson::ValueView value, const bson::Value& index) const {
    bson::Document document = WithPath(input_.doc(), spec_.path, value);
    if (!spec_.index_path.empty()) document = WithPath(document, spec_.index_path, index);
    row->Own(std::move(document));
    row->record_id = kNoRecord;
    row->sort_key = input_.sort_key;
    row->text_score = input_.text_score;
  }

  const UnwindSpec& spec_;
  Row input_;
  bool in_array_ = false;
  bson::View::Iterator element_, end_;
  int64_t index_ = 0;
};

class UnwindStage final : public Stage {
 public:
  UnwindStage(const StageRow& row, UnwindSpec spec) : Stage(row), spec_(std::move(spec)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime&) const override {
    return std::make_unique<UnwindStream>(std::move(source), spec_);
  }
  Fields AddDependencies(Dependencies* out) const override {
    out->paths.insert(spec_.dotted);
    return Fields::kPassesOn;
  }

 private:
  const UnwindSpec spec_;
};

absl::StatusOr<bson::ValueView> ParseOptions(bson::View options, UnwindSpec* spec) {
  bson::ValueView path;
  for (const bson::Element& element : options) {
    if (element.key == "path") {
      if (!element.value.IsString()) {
        return base::Error(28808,
                           base::StrCat("expected a string as the path for $unwind stage, got ",
                                        bson::TypeName(element.value.type())));
      }
      path = element.value;
    } else if (element.key == "preserveNullAndEmptyArrays") {
      if (!element.value.IsBool()) {
        return base::Error(
            28809,
            base::StrCat("expected a boolean for the preserveNullAndEmptyArrays option to $unwind "
                         "stage, got ",
                         bson::TypeName(element.value.type())));
      }
      spec->preserve = element.value.AsBool();
    } else if (element.key == "includeArrayIndex") {
      if (!element.value.IsString() || element.value.AsString().empty()) {
        return base::Error(
            28810,
            base::StrCat("expected a non-empty string for the includeArrayIndex  option to $unwind "
                         "stage, got ",
                         bson::TypeName(element.value.type())));
      }
      if (element.value.AsString()[0] == '$') {
        return base::Error(
            28822,
            base::StrCat("includeArrayIndex option to $unwind stage should not be prefixed with a "
                         "'$': ",
                         element.value.AsString()));
      }
      MAYFLY_ASSIGN_OR_RETURN(spec->index_path, ParseFieldPath(element.value.AsString()));
    } else {
      return base::Error(28811,
                         base::StrCat("unrecognized option to $unwind stage: ", element.key));
    }
  }
  return path;
}

absl::Status ParseUnwind(bson::ValueView operand, const StageRow& row, const PipelineContext&,
                         std::vector<StagePtr>* out) {
  UnwindSpec spec;
  bson::ValueView path = operand;
  if (operand.IsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(path, ParseOptions(operand.AsDocument(), &spec));
  } else if (!operand.IsString()) {
    return base::Error(
        15981,
        base::StrCat("expected either a string or an object as specification for $unwind stage, "
                     "got ",
                     bson::TypeName(operand.type())));
  }
  if (path.IsMissing() || path.AsString().empty())
    return base::Error(28812, "no path specified to $unwind stage");
  if (path.AsString()[0] != '$') {
    return base::Error(28818,
                       base::StrCat("path option to $unwind stage should be prefixed with a '$': ",
                                    path.AsString()));
  }
  if (path.AsString().find('\0') != std::string_view::npos) {
    return base::Error(16419, "field path must not contain embedded null characters");
  }
  spec.dotted = std::string(path.AsString().substr(1));
  MAYFLY_ASSIGN_OR_RETURN(spec.path, ParseFieldPath(spec.dotted));
  out->push_back(std::make_unique<UnwindStage>(row, std::move(spec)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kUnwindRow = {"$unwind", ParseUnwind,
                             "gives one document for every element of an array field"};

}  // namespace mayfly::engine
