// $out: the documents become a collection, which replaces one of that name.
#include "base/limits.h"
#include "base/strings.h"
#include "engine/aggregate/sink.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/aggregate/sub_pipeline.h"

namespace mayfly::engine {
namespace {

class OutSink final : public Sink {
 public:
  OutSink(const Namespace& target, bool is_time_series, base::Random& random)
      : target_(target),
        is_time_series_(is_time_series),
        temporary_(base::StrCat("tmp.agg_out.", random.NextU64())) {}

  const Namespace& target() const override { return target_; }

  absl::Status Check(TargetHost&) override { return absl::OkStatus(); }
  absl::Status Begin(TargetHost& host) override {
    if (is_time_series_) {
      return base::Error(base::ErrorCode::kInvalidOptions,
                         "time-series collections are not supported as a target of $out");
    }
    MAYFLY_ASSIGN_OR_RETURN(const auto out, host.OpenOut(target_, temporary_));
    return out->Create();
  }
  absl::Status Write(std::vector<bson::Document> batch, TargetHost& host) override {
    MAYFLY_ASSIGN_OR_RETURN(const auto out, host.OpenOut(target_, temporary_));
    for (const bson::Document& document : batch) MAYFLY_RETURN_IF_ERROR(out->Write(document));
    return absl::OkStatus();
  }
  absl::Status End(TargetHost& host) override {
    MAYFLY_ASSIGN_OR_RETURN(const auto out, host.OpenOut(target_, temporary_));
    return out->Finish();
  }
  absl::Status Abandon(TargetHost& host) override {
    MAYFLY_ASSIGN_OR_RETURN(const auto out, host.OpenOut(target_, temporary_));
    return out->Drop();
  }

 private:
  const Namespace& target_;
  const bool is_time_series_;
  const std::string temporary_;
};

class OutStage final : public Stage {
 public:
  OutStage(const StageRow& row, Namespace target, bson::Document time_series)
      : Stage(row), target_(std::move(target)), time_series_(std::move(time_series)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime&) const override {
    return source;
  }
  absl::StatusOr<std::unique_ptr<Sink>> MakeSink(const Runtime& runtime) const override {
    return std::make_unique<OutSink>(target_, !time_series_.empty(), *runtime.evaluation->random);
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

// {timeField, metaField, granularity, bucketMaxSpanSeconds, bucketRoundingSeconds}: names and
// types; what the values mean is the host's concern.
absl::Status CheckTimeSeries(bson::View spec) {
  for (const bson::Element& element : spec) {
    if (element.value.IsNull()) continue;
    const bool text =
        element.key == "timeField" || element.key == "metaField" || element.key == "granularity";
    const bool number =
        element.key == "bucketMaxSpanSeconds" || element.key == "bucketRoundingSeconds";
    if (!text && !number) {
      return base::Error(40415, base::StrCat("BSON field '$out.timeseries.", element.key,
                                             "' is an unknown field."));
    }
    if (text && !element.value.IsString())
      return WrongType(base::StrCat("timeseries.", element.key), element.value, "string");
    if (number && !element.value.IsNumber())
      return WrongType(base::StrCat("timeseries.", element.key), element.value, "int");
  }
  if (spec.Find("timeField").IsNullish()) {
    return base::Error(40414,
                       "BSON field '$out.timeseries.timeField' is missing but a required field");
  }
  return absl::OkStatus();
}

absl::Status ParseFields(bson::View spec, Namespace* target, bson::Document* time_series) {
  bool has_database = false, has_collection = false;
  for (const bson::Element& element : spec) {
    const bool is_name = element.key == "db" || element.key == "coll";
    if (!is_name && element.key != "timeseries") {
      return base::Error(40415,
                         base::StrCat("BSON field '$out.", element.key, "' is an unknown field."));
    }
    if (element.value.IsNull()) continue;
    if (!is_name) {
      if (!element.value.IsDocument()) return WrongType(element.key, element.value, "object");
      MAYFLY_RETURN_IF_ERROR(CheckTimeSeries(element.value.AsDocument()));
      *time_series = bson::Document(element.value.AsDocument());
      continue;
    }
    if (!element.value.IsString()) return WrongType(element.key, element.value, "string");
    bool& seen = element.key == "db" ? has_database : has_collection;
    if (seen)
      return base::Error(40413,
                         base::StrCat("BSON field '$out.", element.key, "' is a duplicate field"));
    seen = true;
    (element.key == "db" ? target->database : target->collection) =
        std::string(element.value.AsString());
  }
  if (!has_database)
    return base::Error(40414, "BSON field '$out.db' is missing but a required field");
  if (!has_collection)
    return base::Error(40414, "BSON field '$out.coll' is missing but a required field");
  return absl::OkStatus();
}

absl::Status CheckDatabaseName(const std::string& name) {
  constexpr std::string_view kForbidden("/\\. \"$\0", 7);
  const bool bad = name.empty() || name.size() > base::kMaxDatabaseNameLength ||
                   name.find_first_of(kForbidden) != std::string::npos;
  if (!bad) return absl::OkStatus();
  return base::Error(base::ErrorCode::kInvalidNamespace,
                     base::StrCat("Invalid database name: '", name, "'"));
}

absl::Status CheckTarget(const Namespace& target) {
  for (std::string_view restricted : {"admin", "config", "local"}) {
    if (target.database == restricted) {
      return base::Error(31321, base::StrCat("Can't $out to internal database: ", restricted));
    }
  }
  MAYFLY_RETURN_IF_ERROR(CheckDatabaseName(target.database));
  if (target.collection.substr(0, 7) == "system.") {
    return base::Error(17385,
                       base::StrCat("Can't $out to special collection: ", target.collection));
  }
  const bool has_nul = target.collection.find('\0') != std::string::npos;
  const bool unusable = target.collection.find('$') != std::string::npos ||
                        target.ToString().size() > base::kMaxNamespaceLength;
  if (unusable && !has_nul) {
    return base::Error(base::ErrorCode::kIllegalOperation,
                       base::StrCat("Cannot $out to an invalid namespace: ", target.ToString()));
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
