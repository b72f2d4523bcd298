// $bucket: groups by ranges between given boundaries; made of $group and $sort.
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/compare.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

// A field path or an expression: no plain value.
bool IsExpression(ValueView value) {
  if (value.IsString()) return !value.AsString().empty() && value.AsString()[0] == '$';
  if (!value.IsDocument()) return false;
  const std::string_view key = value.AsDocument().First().key;
  return !key.empty() && key[0] == '$';
}

absl::StatusOr<std::vector<Value>> ParseBoundaries(ValueView boundaries,
                                                   const ParseContext& context) {
  if (!boundaries.IsArray()) {
    return base::Error(
        40200, base::StrCat("The $bucket 'boundaries' field must be an array, but found type: ",
                            bson::TypeName(boundaries.type())));
  }
  std::vector<Value> out;
  for (const bson::Element& element : boundaries.AsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression, ParseExpression(element.value, context));
    if (!expression->IsConstant()) {
      return base::Error(40191,
                         "The $bucket 'boundaries' field must be an array of constant values");
    }
    out.push_back(*expression->Constant());
  }
  if (out.size() < 2) {
    return base::Error(
        40192,
        base::StrCat("The $bucket 'boundaries' field must have at least 2 values, but found ",
                     out.size(), " value(s)."));
  }
  for (size_t i = 1; i < out.size(); ++i) {
    if (bson::CanonicalRank(out[i - 1].type()) != bson::CanonicalRank(out[i].type())) {
      return base::Error(
          40193, "All values in the 'boundaries' option to $bucket must have the same type");
    }
    if (bson::Compare(out[i - 1], out[i], context.evaluation->strings) >= 0) {
      return base::Error(
          40194, "The 'boundaries' option to $bucket must be sorted in strictly ascending order");
    }
  }
  return out;
}

struct BucketFields {
  ValueView group_by, boundaries, otherwise, output;
};

absl::StatusOr<BucketFields> FindFields(bson::View spec) {
  BucketFields f;
  for (const bson::Element& element : spec) {
    if (element.key == "groupBy") {
      if (!IsExpression(element.value)) {
        return base::Error(
            40202,
            base::StrCat("The $bucket 'groupBy' field must be defined as a $-prefixed path or an "
                         "expression, but found: ",
                         ValueText(element.value)));
      }
      f.group_by = element.value;
    } else if (element.key == "boundaries") {
      f.boundaries = element.value;
      if (!element.value.IsArray()) {
        return base::Error(
            40200, base::StrCat("The $bucket 'boundaries' field must be an array, but found type: ",
                                bson::TypeName(element.value.type())));
      }
    } else if (element.key == "default") {
      f.otherwise = element.value;
    } else if (element.key == "output") {
      if (!element.value.IsDocument()) {
        return base::Error(
            40196, base::StrCat("The $bucket 'output' field must be an object, but found type: ",
                                bson::TypeName(element.value.type())));
      }
      f.output = element.value;
    } else {
      return base::Error(40197, base::StrCat("Unrecognized option to $bucket: ", element.key, "."));
    }
  }
  if (f.group_by.IsMissing() || f.boundaries.IsMissing()) {
    return base::Error(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  }
  return f;
}

absl::StatusOr<std::optional<Value>> ParseDefault(ValueView otherwise,
                                                  const std::vector<Value>& boundaries,
                                                  const ParseContext& context) {
  if (otherwise.IsMissing()) return std::optional<Value>();
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression, ParseExpression(otherwise, context));
  if (!expression->IsConstant()) {
    return base::Error(40195, "The $bucket 'default' field must be a constant expression");
  }
  const Value value = *expression->Constant();
  const bson::StringComparator* strings = context.evaluation->strings;
  const bool inside = bson::Compare(value, boundaries.front(), strings) >= 0 &&
                      bson::Compare(value, boundaries.back(), strings) < 0;
  if (inside) {
    return base::Error(
        40199,
        "The $bucket 'default' field must be less than the lowest boundary or greater than or "
        "equal to the highest boundary.");
  }
  return std::optional<Value>(value);
}

// {$switch: {branches: [{case: {$and: [{$gte: [by, low]}, {$lt: [by, high]}]}, then: low}, ...],
// default: ...}}
void AppendSwitch(ValueView group_by, const std::vector<Value>& boundaries,
                  const std::optional<Value>& otherwise, bson::Builder* out) {
  auto literal = [out](std::string_view key, const Value& value) {
    out->OpenDocument(key).Append("$literal", value).Close();
  };
  out->OpenDocument("_id").OpenDocument("$switch").OpenArray("branches");
  for (size_t i = 0; i + 1 < boundaries.size(); ++i) {
    out->PushOpenDocument().OpenDocument("case").OpenArray("$and");
    for (size_t side = 0; side < 2; ++side) {
      out->PushOpenDocument().OpenArray(side == 0 ? "$gte" : "$lt").Push(group_by);
      out->PushOpenDocument().Append("$literal", boundaries[i + side]).Close();
      out->Close().Close();
    }
    out->Close().Close();
    literal("then", boundaries[i]);
    out->Close();
  }
  out->Close();
  if (otherwise) literal("default", *otherwise);
  out->Close().Close();
}

absl::Status ParseBucket(ValueView operand, const StageRow&, const PipelineContext& context,
                         std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) {
    return base::Error(40201,
                       base::StrCat("Argument to $bucket stage must be an object, but found type: ",
                                    bson::TypeName(operand.type())));
  }
  MAYFLY_ASSIGN_OR_RETURN(BucketFields f, FindFields(operand.AsDocument()));
  MAYFLY_ASSIGN_OR_RETURN(std::vector<Value> boundaries,
                          ParseBoundaries(f.boundaries, context.expressions));
  MAYFLY_ASSIGN_OR_RETURN(std::optional<Value> otherwise,
                          ParseDefault(f.otherwise, boundaries, context.expressions));
  bson::Builder group, sort;
  group.OpenDocument("g");
  AppendSwitch(f.group_by, boundaries, otherwise, &group);
  if (f.output.IsMissing()) {
    group.OpenDocument("count").Int32("$sum", 1).Close();
  } else {
    for (const bson::Element& element : f.output.AsDocument()) {
      if (element.key == "_id") {
        return base::Error(15948, "a group's _id may only be specified once");
      }
      group.Append(element);
    }
  }
  const bson::Document group_spec = group.Close().Finish();
  MAYFLY_RETURN_IF_ERROR(ParseStage("$group", group_spec.Find("g"), context, out));
  sort.OpenDocument("s").Int32("_id", 1).Close();
  const bson::Document sort_spec = sort.Finish();
  return ParseStage("$sort", sort_spec.Find("s"), context, out);
}

}  // namespace

const StageRow kBucketRow = {"$bucket", ParseBucket, "groups by ranges between given boundaries"};

}  // namespace mayfly::engine
