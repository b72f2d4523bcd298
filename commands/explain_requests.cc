// What the commands that can be explained ask for.
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/explain_parts.h"
#include "commands/find.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

bson::View DocumentOf(ValueView value) {
  return value.IsDocument() ? value.AsDocument() : bson::View();
}

ValueView FirstOf(ValueView list) {
  return list.IsArray() ? list.AsDocument().First().value : ValueView();
}

int64_t IntegerOf(ValueView value) { return value.IsNumber() ? bson::ToInt64Truncated(value) : 0; }

absl::StatusOr<Explained> ReadFind(bson::View command) {
  Invocation inner;
  inner.body = command;
  MAYFLY_ASSIGN_OR_RETURN(const Arguments arguments,
                          Arguments::Parse(inner, "find", FindArguments()));
  MAYFLY_ASSIGN_OR_RETURN(engine::FindRequest request, ReadFindRequest(arguments));
  return Explained{.request = request};
}

absl::StatusOr<Explained> ReadCount(bson::View command) {
  return Explained{.request = {.filter = DocumentOf(command.Find("query")),
                               .skip = IntegerOf(command.Find("skip")),
                               .limit = std::abs(IntegerOf(command.Find("limit"))),
                               .hint = command.Find("hint"),
                               .collation = command.Find("collation")},
                   .purpose = Purpose::kCount};
}

absl::StatusOr<Explained> ReadDistinct(bson::View command) {
  if (!command.Find("key").IsString()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'distinct.key' is missing but a required field");
  }
  return Explained{.request = {.filter = DocumentOf(command.Find("query")),
                               .hint = command.Find("hint"),
                               .collation = command.Find("collation")},
                   .purpose = Purpose::kDistinct,
                   .key = command.Find("key").AsString()};
}

std::vector<bson::View> FiltersOf(ValueView list) {
  std::vector<bson::View> filters;
  if (!list.IsArray()) return filters;
  for (const bson::Element& element : list.AsDocument()) {
    if (element.value.IsDocument()) filters.push_back(element.value.AsDocument());
  }
  return filters;
}

bool IsTrue(ValueView value) {
  return value.IsBool() ? value.AsBool() : value.IsNumber() && bson::IsNonZero(value);
}

// The one statement of an explained write command.
absl::StatusOr<bson::View> StatementOf(bson::View command, std::string_view list) {
  const ValueView statements = command.Find(list);
  if (!statements.IsArray() || statements.AsDocument().Count() != 1 ||
      !FirstOf(statements).IsDocument()) {
    return Error(ErrorCode::kInvalidLength, "explained write batches must be of size 1");
  }
  return FirstOf(statements).AsDocument();
}

absl::StatusOr<Explained> ReadUpdate(bson::View command) {
  MAYFLY_ASSIGN_OR_RETURN(const bson::View fields, StatementOf(command, "updates"));
  return Explained{.request = {.filter = DocumentOf(fields.Find("q")),
                               .sort = DocumentOf(fields.Find("sort")),
                               .hint = fields.Find("hint"),
                               .collation = fields.Find("collation"),
                               .let = DocumentOf(command.Find("let"))},
                   .purpose = Purpose::kUpdate,
                   .update = fields.Find("u"),
                   .array_filters = FiltersOf(fields.Find("arrayFilters")),
                   .multi = IsTrue(fields.Find("multi")),
                   .upsert = IsTrue(fields.Find("upsert"))};
}

absl::StatusOr<Explained> ReadDelete(bson::View command) {
  MAYFLY_ASSIGN_OR_RETURN(const bson::View fields, StatementOf(command, "deletes"));
  return Explained{.request = {.filter = DocumentOf(fields.Find("q")),
                               .hint = fields.Find("hint"),
                               .collation = fields.Find("collation"),
                               .let = DocumentOf(command.Find("let"))},
                   .purpose = Purpose::kDelete,
                   .multi = !IsTrue(fields.Find("limit"))};
}

absl::StatusOr<Explained> ReadFindAndModify(bson::View command) {
  const bool remove = IsTrue(command.Find("remove"));
  return Explained{.request = {.filter = DocumentOf(command.Find("query")),
                               .sort = DocumentOf(command.Find("sort")),
                               .hint = command.Find("hint"),
                               .collation = command.Find("collation"),
                               .let = DocumentOf(command.Find("let"))},
                   .purpose = remove ? Purpose::kDelete : Purpose::kUpdate,
                   .update = remove ? ValueView() : command.Find("update"),
                   .array_filters = FiltersOf(command.Find("arrayFilters")),
                   .multi = false,
                   .upsert = IsTrue(command.Find("upsert"))};
}

struct ExplainRow {
  std::string_view command;
  absl::StatusOr<Explained> (*read)(bson::View);
};

constexpr ExplainRow kExplainable[] = {
    {"find", ReadFind},
    {"count", ReadCount},
    {"distinct", ReadDistinct},
    {"update", ReadUpdate},
    {"delete", ReadDelete},
    {"findAndModify", ReadFindAndModify},
    {"findandmodify", ReadFindAndModify},
};

}  // namespace

absl::StatusOr<std::optional<Explained>> ReadExplained(bson::View command) {
  const std::string_view name = command.First().key;
  for (const ExplainRow& row : kExplainable) {
    if (row.command != name) continue;
    MAYFLY_ASSIGN_OR_RETURN(Explained explained, row.read(command));
    return explained;
  }
  return std::nullopt;
}

}  // namespace mayfly::commands
