#include <algorithm>

#include "base/strings.h"
#include "bson/builder.h"
#include "engine/aggregate/merge.h"

namespace mayfly::engine {
namespace {

using bson::ValueView;

struct MergeFields {
  ValueView into, on, let, when_matched, when_not_matched;
};

absl::StatusOr<MergeFields> FindFields(bson::View spec) {
  MergeFields f;
  for (const bson::Element& element : spec) {
    ValueView* target = element.key == "into"             ? &f.into
                        : element.key == "on"             ? &f.on
                        : element.key == "let"            ? &f.let
                        : element.key == "whenMatched"    ? &f.when_matched
                        : element.key == "whenNotMatched" ? &f.when_not_matched
                                                          : nullptr;
    if (!target) {
      return base::Error(
          40415, base::StrCat("BSON field '$merge.", element.key, "' is an unknown field."));
    }
    *target = element.value;
  }
  if (f.into.IsMissing())
    return base::Error(40414, "BSON field '$merge.into' is missing but a required field");
  return f;
}

absl::StatusOr<Namespace> ParseInto(ValueView into, const PipelineContext& context) {
  if (!into.IsString() && !into.IsDocument()) {
    return base::Error(
        51178, base::StrCat("$merge 'into' field  must be either a string or an object, but found ",
                            bson::TypeName(into.type())));
  }
  if (into.IsString() && into.AsString().empty()) {
    return base::Error(5786800, "Invalid 'into' namespace: the collection name must not be empty");
  }
  Namespace ns{context.ns.database, ""};
  if (into.IsString()) {
    ns.collection = std::string(into.AsString());
  } else {
    for (const bson::Element& element : into.AsDocument()) {
      if (element.key != "db" && element.key != "coll") {
        return base::Error(
            40415, base::StrCat("BSON field 'into.", element.key, "' is an unknown field."));
      }
      if (element.key == "coll" && element.value.IsNull()) {
        return base::Error(5786801, "Invalid 'into' namespace: 'coll' must not be null");
      }
      const bool empty = element.value.IsString() && element.value.AsString().empty();
      if (element.value.IsNull() || (element.key == "db" && empty)) continue;
      if (!element.value.IsString()) {
        return base::Error(
            base::ErrorCode::kTypeMismatch,
            base::StrCat("BSON field 'into.", element.key, "' is the wrong type '",
                         bson::TypeName(element.value.type()), "', expected type 'string'"));
      }
      (element.key == "db" ? ns.database : ns.collection) = std::string(element.value.AsString());
    }
    if (!into.AsDocument().Has("coll")) {
      return base::Error(5786801, "Invalid 'into' namespace: 'coll' is missing");
    }
  }
  for (std::string_view reserved : {"admin", "config", "local"}) {
    if (ns.database == reserved) {
      return base::Error(31320, base::StrCat("Cannot $merge into internal database: ", reserved));
    }
  }
  if (ns.collection.substr(0, 7) == "system.") {
    return base::Error(31319,
                       base::StrCat("Cannot $merge into special collection: ", ns.collection));
  }
  MAYFLY_RETURN_IF_ERROR(CheckNamespace(ns));
  return ns;
}

absl::StatusOr<std::vector<MergeSpec::On>> ParseOn(ValueView on) {
  std::vector<std::string> names;
  if (on.IsMissing()) {
    names.push_back("_id");
  } else if (on.IsString()) {
    names.emplace_back(on.AsString());
  } else if (on.IsArray()) {
    for (const bson::Element& element : on.AsDocument()) {
      if (!element.value.IsString()) {
        return base::Error(51134,
                           base::StrCat("$merge 'on' array elements must be strings, but found ",
                                        bson::TypeName(element.value.type())));
      }
      names.emplace_back(element.value.AsString());
    }
    if (names.empty()) {
      return base::Error(51187,
                         "If explicitly specifying $merge 'on', must include at least one field");
    }
  } else {
    return base::Error(
        51186, base::StrCat(
                   "$merge 'on' field  must be either a string or an array of strings, but found ",
                   bson::TypeName(on.type())));
  }
  std::vector<MergeSpec::On> out;
  for (const std::string& name : names) {
    MAYFLY_ASSIGN_OR_RETURN(std::vector<std::string> path, ParseFieldPath(name));
    if (std::any_of(out.begin(), out.end(),
                    [&](const MergeSpec::On& other) { return other.dotted == name; })) {
      return base::Error(31465, base::StrCat("Found a duplicate field '", name, "'"));
    }
    out.push_back({name, std::move(path)});
  }
  return out;
}

absl::Status WrongMode(std::string_view field, std::string_view mode) {
  return base::Error(base::ErrorCode::kBadValue,
                     base::StrCat("Enumeration value '", mode, "' for field '$merge.", field,
                                  "' is not a valid value."));
}

absl::Status ParseWhenMatched(ValueView mode, MergeSpec* out) {
  using Mode = MergeSpec::WhenMatched;
  if (mode.IsMissing()) return absl::OkStatus();
  if (mode.IsArray()) {
    out->when_matched = Mode::kPipeline;
    return absl::OkStatus();
  }
  if (!mode.IsString()) {
    return base::Error(
        51191,
        base::StrCat("$merge 'whenMatched' field  must be either a string or an array, but found ",
                     bson::TypeName(mode.type())));
  }
  constexpr std::pair<std::string_view, Mode> kModes[] = {{"merge", Mode::kMerge},
                                                          {"replace", Mode::kReplace},
                                                          {"keepExisting", Mode::kKeepExisting},
                                                          {"fail", Mode::kFail}};
  for (const auto& [name, value] : kModes) {
    if (name != mode.AsString()) continue;
    out->when_matched = value;
    return absl::OkStatus();
  }
  return WrongMode("whenMatched", mode.AsString());
}

absl::Status ParseWhenNotMatched(ValueView mode, MergeSpec* out) {
  using Mode = MergeSpec::WhenNotMatched;
  if (mode.IsNullish()) return absl::OkStatus();
  if (!mode.IsString()) {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       base::StrCat("BSON field '$merge.whenNotMatched' is the wrong type '",
                                    bson::TypeName(mode.type()), "', expected type 'string'"));
  }
  constexpr std::pair<std::string_view, Mode> kModes[] = {
      {"insert", Mode::kInsert}, {"discard", Mode::kDiscard}, {"fail", Mode::kFail}};
  for (const auto& [name, value] : kModes) {
    if (name != mode.AsString()) continue;
    out->when_not_matched = value;
    return absl::OkStatus();
  }
  return WrongMode("whenNotMatched", mode.AsString());
}

absl::Status CheckModes(const MergeSpec& spec) {
  const bool keep = spec.when_matched == MergeSpec::WhenMatched::kKeepExisting;
  const bool fail = spec.when_matched == MergeSpec::WhenMatched::kFail;
  if ((keep || fail) && spec.when_not_matched != MergeSpec::WhenNotMatched::kInsert) {
    return base::Error(51181, "Combination of $merge modes is not supported");
  }
  return absl::OkStatus();
}

// `new` is the document that arrives, unless `let` says otherwise.
absl::Status ParsePipelineMode(const MergeFields& f, const PipelineContext& context,
                               MergeSpec* out) {
  const bool has_let = !f.let.IsMissing() && !f.let.IsNull();
  if (has_let && !f.let.IsDocument()) {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       base::StrCat("BSON field '$merge.let' is the wrong type '",
                                    bson::TypeName(f.let.type()), "', expected type 'object'"));
  }
  if (out->when_matched != MergeSpec::WhenMatched::kPipeline) {
    if (!has_let) return absl::OkStatus();
    return base::Error(
        51199, "Cannot use 'let' variables with 'whenMatched: ' mode other than a pipeline");
  }
  bson::Builder variables;
  variables.OpenDocument("let").String("new", "$$ROOT");
  if (has_let) {
    const ValueView own_new = f.let.AsDocument().Find("new");
    const bool is_root = own_new.IsString() && own_new.AsString() == "$$ROOT";
    if (!own_new.IsMissing() && !is_root) {
      return base::Error(
          51273,
          "'let' may not define a value for the reserved 'new' variable other than '$$ROOT'");
    }
    for (const bson::Element& element : f.let.AsDocument()) {
      if (element.key != "new") variables.Append(element);
    }
  }
  const bson::Document let = variables.Close().Finish();
  Variables inner(context.expressions.variables);
  MAYFLY_ASSIGN_OR_RETURN(out->let, ParseOuterVariables(let.Find("let"), context, &inner));
  for (const bson::Element& stage : f.when_matched.AsDocument()) {
    if (stage.value.IsDocument()) continue;
    return base::Error(base::ErrorCode::kTypeMismatch,
                       "Each element of the 'pipeline' array must be an object");
  }
  auto pipeline = ParseSubPipeline(f.when_matched.AsDocument(), context, PipelinePlace::kMerge,
                                   out->target, inner);
  if (pipeline.ok()) {
    out->pipeline = *std::move(pipeline);
  } else {
    out->pipeline_error = pipeline.status();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MergeSpec> ParseMergeSpec(ValueView operand, const PipelineContext& context) {
  bson::Builder short_form;
  bson::Document holder;
  if (operand.IsString()) {
    if (operand.AsString().empty()) {
      return base::Error(base::ErrorCode::kInvalidNamespace, "Invalid namespace specified ''");
    }
    holder = short_form.Append("into", operand).Finish();
  } else if (operand.IsDocument()) {
    holder = bson::Document(operand.AsDocument());
  } else {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       base::StrCat("$merge requires a string or object argument, but found ",
                                    bson::TypeName(operand.type())));
  }
  MAYFLY_ASSIGN_OR_RETURN(MergeFields f, FindFields(holder));
  MergeSpec out;
  MAYFLY_ASSIGN_OR_RETURN(out.target, ParseInto(f.into, context));
  MAYFLY_ASSIGN_OR_RETURN(out.on, ParseOn(f.on));
  MAYFLY_RETURN_IF_ERROR(ParseWhenMatched(f.when_matched, &out));
  MAYFLY_RETURN_IF_ERROR(ParseWhenNotMatched(f.when_not_matched, &out));
  MAYFLY_RETURN_IF_ERROR(CheckModes(out));
  MAYFLY_RETURN_IF_ERROR(ParsePipelineMode(f, context, &out));
  return out;
}

}  // namespace mayfly::engine
