// $lookup: an array of documents of another collection, joined by equal fields, by a pipeline, or
// both.
#include "base/limits.h"
#include "base/strings.h"
#include "engine/aggregate/join_filter.h"
#include "engine/aggregate/join_table.h"
#include "engine/aggregate/set_path.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/aggregate/sub_pipeline.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

struct LookupSpec {
  Namespace from;
  std::vector<std::string> as;
  std::vector<std::string> local;  // empty: joined by the pipeline alone
  std::string foreign;
  OuterVariables let;
  std::unique_ptr<Pipeline> pipeline;
  bool correlated = false;  // the answer depends on the document outside
};

// Documents of a table that match.
class CandidateStream final : public Stream {
 public:
  CandidateStream(std::vector<bson::View> candidates, const FilterNode& filter,
                  const EvaluationContext& evaluation)
      : candidates_(std::move(candidates)), filter_(filter), match_(evaluation) {}

  absl::StatusOr<bool> Next(Row* row) override {
    while (next_ < candidates_.size()) {
      const bson::View document = candidates_[next_++];
      MAYFLY_ASSIGN_OR_RETURN(const bool matches, filter_.Matches(document, match_));
      if (!matches) continue;
      *row = Row();
      row->Borrow(document, kNoRecord);
      return true;
    }
    return false;
  }

 private:
  const std::vector<bson::View> candidates_;
  const FilterNode& filter_;
  MatchContext match_;
  size_t next_ = 0;
};

class LookupStream final : public StageStream {
 public:
  LookupStream(std::unique_ptr<Stream> source, const LookupSpec& spec, const Runtime& runtime)
      : StageStream(std::move(source)), spec_(spec), frame_(*runtime.evaluation), inner_(runtime) {}

  absl::StatusOr<bool> Next(Row* row) override {
    MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(row));
    if (!more) return false;
    row->MakeOwned();
    if (!cached_ || spec_.correlated) {
      MAYFLY_ASSIGN_OR_RETURN(cached_, Join(*row));
    }
    row->Own(WithPath(row->doc(), spec_.as, *cached_));
    row->record_id = kNoRecord;
    return true;
  }
  void Suspend() override {
    StageStream::Suspend();
    // A later batch sees the other collection as it is then.
    cached_.reset();
    table_.reset();
    table_decided_ = false;
    joined_ = 0;
  }

 private:
  absl::StatusOr<Value> Join(const Row& row) {
    frame_.root = row.doc();
    frame_.row = &row;
    MAYFLY_RETURN_IF_ERROR(inner_.Bind(spec_.let, frame_));
    FilterPtr filter;
    if (!spec_.local.empty()) {
      MAYFLY_ASSIGN_OR_RETURN(
          filter, MakeJoinFilter(row.doc(), spec_.local, spec_.foreign, inner_.runtime()));
    }
    MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<Stream> stream, Open(row, filter.get()));
    ArrayBuilder out;
    Row found;
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(bool more, stream->Next(&found));
      if (!more) return out.Finish();
      out.builder().PushDocument(found.doc());
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(inner_.runtime()));
      if (out.size() > base::kMaxIntermediateDocumentSize) {
        return base::Error(4568, base::StrCat("Total size of documents in ", spec_.from.collection,
                                              " matching pipeline's $lookup stage exceeds ",
                                              base::kMaxIntermediateDocumentSize, " bytes"));
      }
    }
  }

  absl::StatusOr<std::unique_ptr<Stream>> Open(const Row& row, const FilterNode* filter) {
    MAYFLY_ASSIGN_OR_RETURN(const JoinTable* table, Table());
    if (table == nullptr) {
      return OpenSubPipeline(*spec_.pipeline, spec_.from, filter, inner_.runtime());
    }
    auto candidates =
        std::make_unique<CandidateStream>(table->Candidates(JoinValues(row.doc(), spec_.local)),
                                          *filter, *inner_.runtime().evaluation);
    return spec_.pipeline->MakeStream(std::move(candidates), inner_.runtime());
  }

  // Made for the second document, unless an index does as well or it does not fit into memory; null
  // then.
  absl::StatusOr<const JoinTable*> Table() {
    if (table_decided_) return table_.get();
    PipelineHost* host = inner_.runtime().host;
    if (spec_.local.empty() || spec_.pipeline->HasOwnSource() || host == nullptr ||
        host->HasIndexOn(spec_.from, spec_.foreign)) {
      table_decided_ = true;
      return nullptr;
    }
    if (++joined_ < 2) return nullptr;
    table_decided_ = true;
    MAYFLY_ASSIGN_OR_RETURN(
        auto all, host->OpenCollection(spec_.from, nullptr, everything_, inner_.runtime()));
    MAYFLY_ASSIGN_OR_RETURN(table_,
                            JoinTable::Read(std::move(all), spec_.foreign, inner_.runtime()));
    return table_.get();
  }

  const LookupSpec& spec_;
  Frame frame_;
  InnerRuntime inner_;
  std::optional<Value> cached_;
  const Pipeline everything_{{}};
  std::unique_ptr<JoinTable> table_;
  bool table_decided_ = false;
  int64_t joined_ = 0;
};

class LookupStage final : public Stage {
 public:
  LookupStage(const StageRow& row, LookupSpec spec) : Stage(row), spec_(std::move(spec)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<LookupStream>(std::move(source), spec_, runtime);
  }
  Fields AddDependencies(Dependencies* out) const override {
    if (!spec_.local.empty()) out->paths.insert(spec_.local[0]);
    for (const OuterVariables::Entry& entry : spec_.let.entries) entry.value->AddDependencies(out);
    return Fields::kPassesOn;
  }
  void AddNamespaces(std::vector<Namespace>* out) const override {
    out->push_back(spec_.from);
    for (const Namespace& ns : spec_.pipeline->Namespaces()) out->push_back(ns);
  }

 private:
  const LookupSpec spec_;
};

struct LookupFields {
  ValueView from, as, local, foreign, let, pipeline;
};

absl::Status WrongType(std::string_view field, ValueView value, std::string_view expected) {
  return base::Error(
      base::ErrorCode::kTypeMismatch,
      base::StrCat("BSON field '$lookup.", field, "' is the wrong type '",
                   bson::TypeName(value.type()), "', expected type '", expected, "'"));
}

absl::Status CheckFieldType(const bson::Element& element) {
  const std::string_view key = element.key;
  if ((key == "as" || key == "localField" || key == "foreignField") && !element.value.IsString()) {
    return WrongType(key, element.value, "string");
  }
  if (key == "let" && !element.value.IsDocument()) return WrongType(key, element.value, "object");
  if (key == "pipeline" && !element.value.IsArray()) return WrongType(key, element.value, "array");
  return absl::OkStatus();
}

absl::StatusOr<LookupFields> FindFields(bson::View spec) {
  LookupFields f;
  for (const bson::Element& element : spec) {
    ValueView* target = element.key == "from"           ? &f.from
                        : element.key == "as"           ? &f.as
                        : element.key == "localField"   ? &f.local
                        : element.key == "foreignField" ? &f.foreign
                        : element.key == "let"          ? &f.let
                        : element.key == "pipeline"     ? &f.pipeline
                                                        : nullptr;
    if (!target) {
      return base::Error(
          40415, base::StrCat("BSON field '$lookup.", element.key, "' is an unknown field."));
    }
    if (!target->IsMissing()) {
      return base::Error(
          40413, base::StrCat("BSON field '$lookup.", element.key, "' is a duplicate field"));
    }
    // A null is as good as nothing.
    if (element.value.IsNull() && element.key != "pipeline") continue;
    MAYFLY_RETURN_IF_ERROR(CheckFieldType(element));
    *target = element.value;
  }
  if (f.as.IsMissing())
    return base::Error(40414, "BSON field '$lookup.as' is missing but a required field");
  return f;
}

// Whether the pipeline makes its own documents, so that `from` is not needed.
bool BeginsWithDocuments(ValueView pipeline) {
  if (!pipeline.IsArray()) return false;
  const ValueView first = pipeline.AsDocument().First().value;
  return first.IsDocument() && first.AsDocument().First().key == "$documents";
}

bool IsEmpty(ValueView text) { return !text.IsString() || text.AsString().empty(); }

absl::Status CheckFields(const LookupFields& f) {
  constexpr base::ErrorCode kCode = base::ErrorCode::kFailedToParse;
  if (IsEmpty(f.local) != IsEmpty(f.foreign)) {
    return base::Error(
        kCode,
        "$lookup requires both or neither of 'localField' and 'foreignField' to be specified");
  }
  if (f.pipeline.IsMissing() && IsEmpty(f.local)) {
    return base::Error(kCode,
                       "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' "
                       "to be specified");
  }
  if (f.pipeline.IsMissing() && !f.let.IsMissing()) {
    return base::Error(kCode, "$lookup with a 'let' argument must also specify 'pipeline'");
  }
  return absl::OkStatus();
}

// A collection of the same database; the form with a database is for servers with shards.
absl::StatusOr<Namespace> ParseFrom(ValueView from, ValueView pipeline,
                                    const PipelineContext& context) {
  constexpr base::ErrorCode kCode = base::ErrorCode::kFailedToParse;
  const bool own_documents = BeginsWithDocuments(pipeline);
  if (from.IsNullish()) {
    if (own_documents) return Namespace{context.ns.database, ""};
    return base::Error(kCode, "must specify 'pipeline' when 'from' is empty");
  }
  constexpr int kFailedToParse = static_cast<int>(kCode);
  MAYFLY_ASSIGN_OR_RETURN(Namespace ns,
                          ParseStageNamespace(from, context, {"$lookup.from", kFailedToParse}));
  if (from.IsDocument()) {
    return base::Error(kCode, "$lookup with syntax {from: {db:<>, coll:<>},..} is not supported");
  }
  if (own_documents) {
    return base::Error(base::ErrorCode::kInvalidNamespace,
                       "$documents is only valid without 'from'");
  }
  return ns;
}

absl::Status ParseLookup(ValueView operand, const StageRow& row, const PipelineContext& context,
                         std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "the $lookup stage specification must be an object");
  }
  LookupSpec spec;
  const bson::View fields = operand.AsDocument();
  MAYFLY_ASSIGN_OR_RETURN(spec.from,
                          ParseFrom(fields.Find("from"), fields.Find("pipeline"), context));
  MAYFLY_ASSIGN_OR_RETURN(LookupFields f, FindFields(fields));
  MAYFLY_RETURN_IF_ERROR(CheckFields(f));
  MAYFLY_ASSIGN_OR_RETURN(spec.as, ParseFieldPath(f.as.AsString()));
  if (!IsEmpty(f.local)) {
    MAYFLY_ASSIGN_OR_RETURN(spec.local, ParseFieldPath(f.local.AsString()));
    MAYFLY_RETURN_IF_ERROR(ParseFieldPath(f.foreign.AsString()).status());
    spec.foreign = std::string(f.foreign.AsString());
  }
  Variables inner(context.expressions.variables);
  MAYFLY_ASSIGN_OR_RETURN(spec.let, ParseOuterVariables(f.let, context, &inner));
  const bson::View stages = f.pipeline.IsMissing() ? bson::View() : f.pipeline.AsDocument();
  MAYFLY_ASSIGN_OR_RETURN(
      spec.pipeline, ParseSubPipeline(stages, context, PipelinePlace::kLookup, spec.from, inner));
  spec.correlated = !spec.local.empty() || !spec.let.entries.empty() ||
                    context.expressions.variables->next_slot() > 0;
  out->push_back(std::make_unique<LookupStage>(row, std::move(spec)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kLookupRow = {
    .name = "$lookup", .parse = ParseLookup, .help = "joins documents of another collection"};

}  // namespace mayfly::engine
