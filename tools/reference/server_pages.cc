// Pages about the server: commands, parameters, options, indexes.
#include <variant>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "commands/cluster_parameters.h"
#include "commands/parameters.h"
#include "commands/registry.h"
#include "engine/catalog/index_spec.h"
#include "server/options.h"
#include "tools/reference/markdown.h"
#include "tools/reference/pages.h"

namespace mayfly::reference {
namespace {

using base::StrCat;
using base::Support;
using commands::CommandRow;
using commands::ParameterRow;

std::string Name(const CommandRow& row) {
  return row.alias.empty() ? Code(row.name) : StrCat(Code(row.name), ", ", Code(row.alias));
}

std::string Notes(const CommandRow& row) {
  std::string notes = Sentence(row.help);
  if ((row.flags & commands::kAdminOnly) != 0) notes += " On `admin` only.";
  if ((row.flags & commands::kTestOnly) != 0) notes += " With `--enableTestCommands` only.";
  return notes;
}

std::string_view TypeText(commands::ArgType type) {
  switch (type) {
    case commands::ArgType::kAny:
      return "any";
    case commands::ArgType::kString:
      return "string";
    case commands::ArgType::kBool:
      return "bool";
    case commands::ArgType::kFlag:
      return "bool or number";
    case commands::ArgType::kLong:
      return "long";
    case commands::ArgType::kNumber:
      return "number";
    case commands::ArgType::kDocument:
      return "document";
    case commands::ArgType::kArray:
      return "array";
    case commands::ArgType::kBinary:
      return "binary";
    case commands::ArgType::kDocumentOrArray:
      return "document or array";
    case commands::ArgType::kHint:
      return "document or string";
  }
  return "";
}

std::string_view UseText(commands::ArgUse use) {
  switch (use) {
    case commands::ArgUse::kOptional:
      return "optional";
    case commands::ArgUse::kNotNull:
      return "optional, not null";
    case commands::ArgUse::kRequired:
      return "required";
    case commands::ArgUse::kIgnored:
      return SupportText(Support::kIgnored);
  }
  return "";
}

std::string FieldsOf(const CommandRow& row) {
  Table table({"field", "type", "use", "meaning"});
  table.KeepOrder();
  for (const commands::ArgSpec& argument : row.arguments) {
    table.Add({Code(argument.name), std::string(TypeText(argument.type)),
               std::string(UseText(argument.use)), Sentence(argument.help)});
  }
  return StrCat("\n### ", row.name, "\n\n", table.Text());
}

absl::Status ErrorOf(const CommandRow& row) {
  std::string text(row.refusal->text);
  const size_t at = text.find("{}");
  if (at != std::string::npos) text.replace(at, 2, row.name);
  return base::Error(row.refusal->code, text);
}

std::string ShortNumber(double number) {
  if (number == static_cast<double>(static_cast<int64_t>(number))) {
    return StrCat(static_cast<int64_t>(number));
  }
  return StrCat(number);
}

struct Shown {
  std::string type;
  std::string value;
};

Shown Default(const ParameterRow& row) {
  struct Visitor {
    Shown operator()(bool value) const { return {"bool", value ? "true" : "false"}; }
    Shown operator()(int32_t value) const { return {"int", StrCat(value)}; }
    Shown operator()(int64_t value) const { return {"long", StrCat(value)}; }
    Shown operator()(double value) const { return {"double", ShortNumber(value)}; }
    Shown operator()(std::string_view value) const { return {"string", StrCat("\"", value, "\"")}; }
    Shown operator()(const commands::JsonText& value) const {
      std::string_view text = value.text;  // {"v": ...}
      const size_t colon = text.find(':');
      text = text.substr(colon + 1, text.rfind('}') - colon - 1);
      while (text.starts_with(' ')) text.remove_prefix(1);
      return {text.starts_with('[') ? "array" : "document", std::string(text)};
    }
  };
  return std::visit(Visitor(), row.by_default);
}

std::string_view Settable(const ParameterRow& row) {
  switch (row.settable) {
    case commands::kNever:
      return "no";
    case commands::kAtStartup:
      return "at startup";
    case commands::kAtRuntime:
      return "at runtime";
    case commands::kAlways:
      return "always";
  }
  return "";
}

}  // namespace

std::string CommandsPage() {
  Table offered({"command", "does"});
  Table refused({"command", "", "error"});
  std::string fields;
  const commands::Registry registry;
  for (const CommandRow* row : registry.rows()) {
    if (row->refusal != nullptr) {
      refused.Add({Name(*row), Notes(*row), ErrorText(ErrorOf(*row))});
      continue;
    }
    offered.Add({Name(*row), Notes(*row)});
    if (!row->arguments.empty()) fields += FieldsOf(*row);
  }
  return StrCat("## Offered\n\n", offered.Text(), "\n## Refused\n\n", refused.Text(),
                "\n## Fields\n\nBesides those that every command may have: `lsid`, `comment`, "
                "`maxTimeMS`, `readConcern`,\n`writeConcern` and the like.\n",
                fields);
}

std::string ParametersPage() {
  Table table({"parameter", "type", "default", "may be set", "meaning"});
  for (const ParameterRow& row : commands::ParameterRows()) {
    const Shown shown = Default(row);
    table.Add({Code(row.name), shown.type, Code(shown.value), std::string(Settable(row)),
               Sentence(row.help)});
  }
  Table cluster({"cluster parameter", "default", "meaning"});
  for (const commands::ClusterParameterRow& row : commands::ClusterParameterRows()) {
    cluster.Add(
        {Code(row.name), Code(bson::ToShellText(commands::DefaultOf(row))), Sentence(row.help)});
  }
  return StrCat(table.Text(),
                "\n## Cluster parameters\n\nOf `getClusterParameter` and "
                "`setClusterParameter`; they outlive the process.\n\n",
                cluster.Text());
}

std::string OptionsPage() {
  Table table({"option", "in the configuration file", "support", "meaning"});
  table.KeepOrder();
  for (const server::OptionDescription& row : server::DescribeOptions()) {
    table.Add({Code(row.flags), row.config.empty() ? "" : Code(row.config),
               std::string(SupportText(row.ignored ? Support::kIgnored : Support::kFull)),
               Sentence(row.help)});
  }
  return table.Text();
}

std::string IndexesPage() {
  Table kinds({"key", "kind"});
  kinds.KeepOrder();
  for (const engine::IndexKindDescription& row : engine::DescribeIndexKinds()) {
    kinds.Add({Code(row.key), Sentence(row.help)});
  }
  Table options({"option", "support", "meaning"});
  for (const engine::IndexOptionDescription& row : engine::DescribeIndexOptions()) {
    options.Add({Code(row.name),
                 std::string(SupportText(row.ignored ? Support::kIgnored : Support::kFull)),
                 Sentence(row.help)});
  }
  return StrCat("## Kinds\n\n", kinds.Text(), "\n## Options\n\n", options.Text());
}

}  // namespace mayfly::reference
