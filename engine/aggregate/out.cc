// $out: the documents become a collection, which replaces one of that name.
#include "base/strings.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/aggregate/sub_pipeline.h"

namespace mayfly::engine {
namespace {

class OutStream final : public StageStream {
 public:
  OutStream(std::unique_ptr<Stream> source, std::unique_ptr<OutWriter> writer,
            const Runtime& runtime)
      : StageStream(std::move(source)), writer_(std::move(writer)), runtime_(runtime) {}

  absl::StatusOr<bool> Next(Row*) override {
    Row row;
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(&row));
      if (!more) break;
      MAYFLY_RETURN_IF_ERROR(writer_->Write(row.doc()));
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
    }
    MAYFLY_RETURN_IF_ERROR(writer_->Finish());
    return false;
  }

 private:
  const std::unique_ptr<OutWriter> writer_;
  const Runtime& runtime_;
};

class OutStage final : public Stage {
 public:
  OutStage(const StageRow& row, Namespace target, bson::Document time_series)
      : Stage(row), target_(std::move(target)), time_series_(std::move(time_series)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    if (!runtime.host) return base::Error(base::ErrorCode::kInternalError, "$out needs a host");
    MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<OutWriter> writer,
                            runtime.host->OpenOut(target_, time_series_));
    return std::make_unique<OutStream>(std::move(source), std::move(writer), runtime);
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kNeedsAll; }
  void AddNamespaces(std::vector<Namespace>* out) const override { out->push_back(target_); }

 private:
  const Namespace target_;
  const bson::Document time_series_;
};

absl::Status WrongType(std::string_view field, bson::ValueView value, std::string_view expected) {
  return base::Error(
      base::ErrorCode::kTypeMismatch,
      base::StrCat("BSON field '$out.", field, "' is the wrong type '",
                   bson::TypeName(value.type()), "', expected type '", expected, "'"));
}

absl::Status ParseFields(bson::View spec, Namespace* target, bson::Document* time_series) {
  bool has_database = false, has_collection = false;
  for (const bson::Element& element : spec) {
    if (element.key == "db" || element.key == "coll") {
      if (!element.value.IsString()) return WrongType(element.key, element.value, "string");
      bool& seen = element.key == "db" ? has_database : has_collection;
      if (seen)
        return base::Error(
            40413, base::StrCat("BSON field '$out.", element.key, "' is a duplicate field"));
      seen = true;
      (element.key == "db" ? target->database : target->collection) =
          std::string(element.value.AsString());
    } else if (element.key == "timeseries") {
      if (!element.value.IsDocument()) return WrongType(element.key, element.value, "object");
      *time_series = bson::Document(element.value.AsDocument());
    } else {
      return base::Error(40415,
                         base::StrCat("BSON field '$out.", element.key, "' is an unknown field."));
    }
  }
  for (std::string_view field : {"db", "coll"}) {
    if (spec.Has(field)) continue;
    return base::Error(
        40414, base::StrCat("BSON field '$out.", field, "' is missing but a required field"));
  }
  return absl::OkStatus();
}

absl::Status CheckTarget(const Namespace& target) {
  for (std::string_view restricted : {"admin", "config", "local"}) {
    if (target.database == restricted) {
      return base::Error(31321, base::StrCat("Can't $out to internal database: ", restricted));
    }
  }
  if (target.collection.substr(0, 7) == "system.") {
    return base::Error(17385,
                       base::StrCat("Can't $out to special collection: ", target.collection));
  }
  return CheckNamespace(target);
}

absl::Status ParseOut(bson::ValueView operand, const StageRow& row, const PipelineContext& context,
                      std::vector<StagePtr>* out) {
  Namespace target{context.ns.database, ""};
  bson::Document time_series;
  if (operand.IsString()) {
    target.collection = std::string(operand.AsString());
  } else if (operand.IsDocument()) {
    MAYFLY_RETURN_IF_ERROR(ParseFields(operand.AsDocument(), &target, &time_series));
  } else {
    return base::Error(16990,
                       base::StrCat("$out only supports a string or object argument, but found ",
                                    bson::TypeName(operand.type())));
  }
  MAYFLY_RETURN_IF_ERROR(CheckTarget(target));
  out->push_back(std::make_unique<OutStage>(row, std::move(target), std::move(time_series)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kOutRow = {.name = "$out",
                          .parse = ParseOut,
                          .help = "writes the documents into a collection of their own",
                          .position = StagePosition::kLast,
                          .in_facet = false,
                          .in_sub_pipeline = false,
                          .in_transaction = false};

}  // namespace mayfly::engine
