#include "engine/collection/schema_details.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "bson/value.h"
#include "engine/query/filter.h"

namespace mayfly::engine {
namespace {

using bson::Element;
using bson::ValueView;

struct ReasonRow {
  std::string_view keyword;
  std::string_view reason;
};

constexpr std::array kReasons = {
    ReasonRow{"bsonType", "type did not match"},
    ReasonRow{"type", "type did not match"},
    ReasonRow{"minimum", "comparison failed"},
    ReasonRow{"maximum", "comparison failed"},
    ReasonRow{"multipleOf", "considered value is not a multiple of the specified value"},
    ReasonRow{"minLength", "specified string length was not satisfied"},
    ReasonRow{"maxLength", "specified string length was not satisfied"},
    ReasonRow{"pattern", "regular expression did not match"},
    ReasonRow{"enum", "value was not found in enum"},
    ReasonRow{"minItems", "array did not match specified length"},
    ReasonRow{"maxItems", "array did not match specified length"},
    ReasonRow{"uniqueItems", "found a duplicate item"},
    ReasonRow{"minProperties", "specified number of properties was not satisfied"},
    ReasonRow{"maxProperties", "specified number of properties was not satisfied"},
};

bool IsAnnotation(std::string_view keyword) {
  return keyword == "title" || keyword == "description" || keyword == "exclusiveMinimum" ||
         keyword == "exclusiveMaximum";
}

// Where MongoDB's reply has a rule's subject under a field of its own.
constexpr std::string_view kSubject = "v";

class SchemaExplainer {
 public:
  SchemaExplainer(const EvaluationContext& context, bson::Builder* out)
      : context_(context), out_(*out) {}

  // Appends one document for each rule that `value` does not fulfil to the open array.
  void Rules(bson::View schema, ValueView value, int depth) {
    if (depth > base::kMaxNestingDepth) return;
    for (const Element& rule : schema) {
      if (IsAnnotation(rule.key) || Fulfils(schema, rule, value)) continue;
      out_.PushOpenDocument().String("operatorName", rule.key);
      Rule(rule, value, depth);
      out_.Close();
    }
  }

 private:
  // Whether `value` fulfils one rule of `schema`. Rules about bounds read each other.
  bool Fulfils(bson::View schema, const Element& rule, ValueView value) const {
    bson::Builder one;
    one.Append(rule);
    for (const std::string_view modifier : {"exclusiveMinimum", "exclusiveMaximum"}) {
      const bool belongs = (rule.key == "minimum" && modifier == "exclusiveMinimum") ||
                           (rule.key == "maximum" && modifier == "exclusiveMaximum");
      if (belongs) one.Append(modifier, schema.Find(modifier));
    }
    return FulfilsSchema(one.Finish(), value);
  }

  bool FulfilsSchema(bson::View schema, ValueView value) const {
    bson::Builder filter;
    filter.OpenDocument("$jsonSchema").OpenDocument("properties");
    filter.Document(kSubject, schema).Close().Close();
    const bson::Document document = filter.Finish();
    FilterParseContext parse;
    parse.strings = context_.strings;
    parse.evaluation = &context_;
    const auto node = ParseFilter(document, parse);
    if (!node.ok()) return true;
    bson::Builder subject;
    subject.Append(kSubject, value);
    MatchContext match(context_);
    const bson::Document holder = subject.Finish();
    const auto matches = (*node)->Matches(holder, match);
    return !matches.ok() || *matches;
  }

  void Rule(const Element& rule, ValueView value, int depth) {
    if (rule.key == "properties") return Properties(rule.value.AsDocument(), value, depth);
    if (rule.key == "required") return Required(rule, value);
    if (rule.key == "allOf" || rule.key == "anyOf" || rule.key == "oneOf") {
      return Schemas(rule.value.AsDocument(), value, depth);
    }
    out_.OpenDocument("specifiedAs").Append(rule).Close();
    if (rule.key == "additionalProperties" && rule.value.IsBool()) return;
    for (const ReasonRow& row : kReasons) {
      if (row.keyword == rule.key) out_.String("reason", row.reason);
    }
    out_.Append("consideredValue", value);
    if (rule.key == "bsonType" || rule.key == "type") {
      out_.String("consideredType", bson::TypeName(value.type()));
    }
    if ((rule.key == "minItems" || rule.key == "maxItems") && value.IsArray()) {
      out_.Int32("numberOfItems", static_cast<int32_t>(value.AsDocument().Count()));
    }
  }

  void Required(const Element& rule, ValueView value) {
    out_.OpenDocument("specifiedAs").Append(rule).Close();
    out_.OpenArray("missingProperties");
    for (const Element& name : rule.value.AsDocument()) {
      if (name.value.IsString() && !value.AsDocument().Has(name.value.AsString())) {
        out_.Push(name.value);
      }
    }
    out_.Close();
  }

  void Properties(bson::View properties, ValueView value, int depth) {
    out_.OpenArray("propertiesNotSatisfied");
    for (const Element& property : properties) {
      const ValueView found = value.AsDocument().Find(property.key);
      if (found.IsMissing() || !property.value.IsDocument()) continue;
      const bson::View schema = property.value.AsDocument();
      if (FulfilsSchema(schema, found)) continue;
      out_.PushOpenDocument().String("propertyName", property.key);
      for (const std::string_view note : {"title", "description"}) {
        out_.Append(note, schema.Find(note));
      }
      out_.OpenArray("details");
      Rules(schema, found, depth + 1);
      out_.Close().Close();
    }
    out_.Close();
  }

  void Schemas(bson::View schemas, ValueView value, int depth) {
    out_.OpenArray("schemasNotSatisfied");
    int32_t index = 0;
    for (const Element& schema : schemas) {
      if (schema.value.IsDocument() && !FulfilsSchema(schema.value.AsDocument(), value)) {
        out_.PushOpenDocument().Int32("index", index).OpenArray("details");
        Rules(schema.value.AsDocument(), value, depth + 1);
        out_.Close().Close();
      }
      ++index;
    }
    out_.Close();
  }

  const EvaluationContext& context_;
  bson::Builder& out_;
};

}  // namespace

void AppendSchemaDetails(bson::View schema, bson::View document, const EvaluationContext& context,
                         bson::Builder* out) {
  out->OpenArray("schemaRulesNotSatisfied");
  SchemaExplainer(context, out)
      .Rules(schema, ValueView(bson::Type::kDocument, document.data(), document.size()), 0);
  out->Close();
}

}  // namespace mayfly::engine
