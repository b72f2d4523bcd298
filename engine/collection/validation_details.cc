#include "engine/collection/validation_details.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "bson/number.h"
#include "bson/value.h"
#include "engine/collection/schema_details.h"
#include "engine/query/filter.h"

namespace mayfly::engine {
namespace {

using bson::Element;
using bson::ValueView;

// What is said of a value that an operator does not like, and of a missing one (empty: the same).
struct ReasonRow {
  std::string_view op;
  std::string_view reason;
  std::string_view when_missing;
};

constexpr std::string_view kMissing = "field was missing";

constexpr std::array kReasons = {
    ReasonRow{"$eq", "comparison failed", kMissing},
    ReasonRow{"$gt", "comparison failed", kMissing},
    ReasonRow{"$gte", "comparison failed", kMissing},
    ReasonRow{"$lt", "comparison failed", kMissing},
    ReasonRow{"$lte", "comparison failed", kMissing},
    ReasonRow{"$ne", "comparison succeeded", ""},
    ReasonRow{"$in", "no matching value found in array", kMissing},
    ReasonRow{"$nin", "matching value found in array", ""},
    ReasonRow{"$exists", "path does exist", "path does not exist"},
    ReasonRow{"$type", "type did not match", kMissing},
    ReasonRow{"$regex", "regular expression did not match", kMissing},
    ReasonRow{"$mod", "$mod did not evaluate to expected remainder", kMissing},
    ReasonRow{"$size", "array length was not equal to given size", kMissing},
    ReasonRow{"$all", "array did not contain all specified values", kMissing},
    ReasonRow{"$elemMatch", "array did not satisfy the child predicate", kMissing},
    ReasonRow{"$bitsAllSet", "bitwise operator failed to match", kMissing},
    ReasonRow{"$bitsAllClear", "bitwise operator failed to match", kMissing},
    ReasonRow{"$bitsAnySet", "bitwise operator failed to match", kMissing},
    ReasonRow{"$bitsAnyClear", "bitwise operator failed to match", kMissing},
};

const ReasonRow& ReasonOf(std::string_view op) {
  for (const ReasonRow& row : kReasons) {
    if (row.op == op) return row;
  }
  static constexpr ReasonRow kOther{"", "did not match", kMissing};
  return kOther;
}

void CollectValues(ValueView value, std::string_view path, int depth, std::vector<ValueView>* out) {
  if (depth > base::kMaxNestingDepth) return;
  if (path.empty()) {
    if (!value.IsMissing()) out->push_back(value);
    return;
  }
  const size_t dot = path.find('.');
  const std::string_view rest =
      dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  if (value.IsDocument()) {
    CollectValues(value.AsDocument().Find(path.substr(0, dot)), rest, depth + 1, out);
  } else if (value.IsArray()) {
    for (const Element& element : value.AsDocument()) {
      if (element.value.IsDocument()) CollectValues(element.value, path, depth + 1, out);
    }
  }
}

class Explainer {
 public:
  Explainer(bson::View document, const EvaluationContext& context, bson::Builder* out)
      : document_(document), context_(context), out_(*out) {}

  void Filter(bson::View filter, int depth) {
    std::vector<bson::Document> clauses;
    for (const Element& element : filter) {
      if (element.key == "$comment") continue;
      bson::Builder clause;
      clause.Append(element);
      clauses.push_back(clause.Finish());
    }
    if (clauses.size() == 1) return Clause(clauses.front().view().First(), depth);
    Conjunction("$and", clauses, Wanted::kFailing, depth);
  }

 private:
  enum class Wanted : uint8_t { kFailing, kMatching };

  bool Matches(bson::View filter) const {
    FilterParseContext parse;
    parse.strings = context_.strings;
    parse.evaluation = &context_;
    const auto node = ParseFilter(filter, parse);
    if (!node.ok()) return false;
    MatchContext match(context_);
    const auto matches = (*node)->Matches(document_, match);
    return matches.ok() && *matches;
  }

  void Conjunction(std::string_view name, const std::vector<bson::Document>& clauses, Wanted wanted,
                   int depth) {
    out_.String("operatorName", name);
    out_.OpenArray(wanted == Wanted::kFailing ? "clausesNotSatisfied" : "clausesSatisfied");
    int32_t index = 0;
    for (const bson::Document& clause : clauses) {
      if (Matches(clause) == (wanted == Wanted::kMatching)) {
        out_.PushOpenDocument().Int32("index", index).OpenDocument("details");
        if (depth < base::kMaxNestingDepth) Filter(clause, depth + 1);
        out_.Close().Close();
      }
      ++index;
    }
    out_.Close();
  }

  void Clause(const Element& clause, int depth) {
    const std::string_view name = clause.key;
    if ((name == "$and" || name == "$or" || name == "$nor") && clause.value.IsArray()) {
      std::vector<bson::Document> branches;
      for (const Element& branch : clause.value.AsDocument()) {
        branches.emplace_back(branch.value.AsDocument());
      }
      return Conjunction(name, branches, name == "$nor" ? Wanted::kMatching : Wanted::kFailing,
                         depth);
    }
    if (name == "$jsonSchema" && clause.value.IsDocument()) {
      out_.String("operatorName", name);
      return AppendSchemaDetails(clause.value.AsDocument(), document_, context_, &out_);
    }
    if (name.starts_with("$")) {
      out_.String("operatorName", name);
      out_.OpenDocument("specifiedAs").Append(clause).Close();
      out_.String("reason", "expression did not match");
      if (name == "$expr") out_.Bool("expressionResult", false);
      return;
    }
    Field(clause, depth);
  }

  void Field(const Element& field, int depth) {
    const bool has_operators = field.value.IsDocument() && !field.value.AsDocument().empty() &&
                               field.value.AsDocument().First().key.starts_with("$");
    if (!has_operators) return Operator(field.key, "$eq", field.value, false, depth);
    const bson::View operators = field.value.AsDocument();
    if (operators.Count() == 1 || operators.First().key == "$regex") {
      const Element first = operators.First();
      return Operator(field.key, first.key, first.value, true, depth);
    }
    std::vector<bson::Document> clauses;
    for (const Element& op : operators) {
      bson::Builder clause;
      clause.OpenDocument(field.key).Append(op).Close();
      clauses.push_back(clause.Finish());
    }
    Conjunction("$and", clauses, Wanted::kFailing, depth);
  }

  void Operator(std::string_view path, std::string_view op, ValueView operand, bool is_explicit,
                int depth) {
    out_.String("operatorName", op);
    if (op == "$not" && operand.IsDocument()) {
      bson::Builder inner;
      inner.Append(path, operand);
      out_.OpenDocument("details");
      if (depth < base::kMaxNestingDepth) Filter(inner.Finish(), depth + 1);
      out_.Close();
      return;
    }
    out_.OpenDocument("specifiedAs");
    if (is_explicit) {
      out_.OpenDocument(path).Append(op, operand).Close();
    } else {
      out_.Append(path, operand);
    }
    out_.Close();
    std::vector<ValueView> values;
    CollectValues(ValueView(bson::Type::kDocument, document_.data(), document_.size()), path, 0,
                  &values);
    const ReasonRow& row = ReasonOf(op);
    const bool missing = values.empty() && !row.when_missing.empty();
    out_.String("reason", missing ? row.when_missing : row.reason);
    if (values.size() == 1) {
      out_.Append("consideredValue", values.front());
      if (op == "$type") out_.String("consideredType", bson::TypeName(values.front().type()));
    } else if (values.size() > 1) {
      out_.OpenArray("consideredValues");
      for (const ValueView value : values) out_.Push(value);
      out_.Close();
    }
  }

  bson::View document_;
  const EvaluationContext& context_;
  bson::Builder& out_;
};

}  // namespace

void AppendValidationDetails(bson::View validator, bson::View document,
                             const EvaluationContext& context, bson::Builder* out) {
  Explainer(document, context, out).Filter(validator, 0);
}

}  // namespace mayfly::engine
