#include "tests/support/update_testing.h"

#include <memory>

#include <gtest/gtest.h>

#include "base/status.h"
#include "base/strings.h"
#include "tests/support/shell_notation.h"

namespace mayfly::engine {
namespace {

std::string Code(const absl::Status& status) {
  return base::StrCat("error ", static_cast<int>(base::CodeOf(status)));
}

bson::Document Json(std::string_view json) {
  absl::StatusOr<bson::Document> parsed = test::ParseShell(json);
  EXPECT_TRUE(parsed.ok()) << json;
  return parsed.ok() ? *std::move(parsed) : bson::Document();
}

std::string Show(bson::View document, bool show_types) {
  return show_types ? bson::ToCanonicalJson(document) : bson::ToRelaxedJson(document);
}

// A parsed update with all that its views point into.
struct Prepared {
  explicit Prepared(const UpdateCase& test) : u(Json(test.update)) {
    evaluation.now_ms = kTestNowMs;
    for (const std::string& filter : test.filters) filters.push_back(Json(filter));
    UpdateParseContext context;
    context.evaluation = &evaluation;
    context.multi = test.multi;
    context.keep_empty_timestamps = test.keep_empty_timestamps;
    for (const bson::Document& filter : filters) context.array_filters.push_back(filter);
    const bson::ValueView pipeline = u.Find("u");
    const bson::Value whole = bson::Value::FromDocument(u);
    update = Update::Parse(pipeline.IsArray() ? pipeline : whole.view(), context);
    apply = {.evaluation = &evaluation, .matched_index = test.matched_index};
  }

  EvaluationContext evaluation;
  bson::Document u;
  std::vector<bson::Document> filters;
  absl::StatusOr<std::unique_ptr<const Update>> update = std::unique_ptr<const Update>();
  UpdateApplyContext apply;
};

}  // namespace

std::string Applied(const UpdateCase& test, std::string_view document) {
  const Prepared prepared(test);
  if (!prepared.update.ok()) return Code(prepared.update.status());
  const bson::Document doc = Json(document);
  const auto result = (*prepared.update)->Apply(doc, prepared.apply);
  if (!result.ok()) return Code(result.status());
  return result->has_value() ? Show(**result, test.show_types) : "unchanged";
}

std::string Upserted(const UpdateCase& test, std::string_view filter) {
  const Prepared prepared(test);
  if (!prepared.update.ok()) return Code(prepared.update.status());
  const bson::Document filter_document = Json(filter);
  FilterParseContext context;
  context.evaluation = &prepared.evaluation;
  const absl::StatusOr<FilterPtr> parsed = ParseFilter(filter_document, context);
  if (!parsed.ok()) return Code(parsed.status());
  bson::ObjectId id;
  id.bytes.fill(0xab);
  const auto result = (*prepared.update)->MakeUpsertDocument(**parsed, prepared.apply, id);
  return result.ok() ? Show(*result, test.show_types) : Code(result.status());
}

std::string Printed(std::string_view expected, bool show_types) {
  return expected.substr(0, 1) == "{" ? Show(Json(expected), show_types) : std::string(expected);
}

void ExpectApplied(const std::vector<AppliedRow>& rows, bool show_types) {
  for (const AppliedRow& row : rows) {
    EXPECT_EQ(Applied({.update = row.update, .show_types = show_types}, row.document),
              Printed(row.expected, show_types))
        << row.update << " on " << row.document;
  }
}

}  // namespace mayfly::engine
