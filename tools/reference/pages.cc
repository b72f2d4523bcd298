#include "tools/reference/pages.h"

#include "base/strings.h"
#include "tools/reference/markdown.h"

namespace mayfly::reference {

using base::StrCat;

absl::Span<const Page> Pages() {
  static constexpr Page kPages[] = {
      {"commands.md", "Commands", "database commands and their fields", CommandsPage},
      {"query-operators.md", "Query operators", "operators of filters", QueryOperatorsPage},
      {"update-operators.md", "Update operators", "operators of updates, and parts of their paths",
       UpdateOperatorsPage},
      {"projection-operators.md", "Projection operators", "operators of `find`'s projection",
       ProjectionOperatorsPage},
      {"expressions.md", "Expressions", "operators and variables of aggregation expressions",
       ExpressionsPage},
      {"accumulators.md", "Accumulators and window functions",
       "functions over groups and windows of documents", AccumulatorsPage},
      {"stages.md", "Stages", "stages of aggregation pipelines", StagesPage},
      {"indexes.md", "Indexes", "kinds and options of indexes", IndexesPage},
      {"parameters.md", "Server parameters", "what `getParameter` shows and `setParameter` changes",
       ParametersPage},
      {"options.md", "Command-line options", "options of the program and of its configuration file",
       OptionsPage},
  };
  return kPages;
}

std::string IndexPage() {
  std::string out =
      "# Reference\n\n"
      "Every name the server knows, how far it is offered, and what it does. Made from the tables "
      "of the program by\n"
      "`tools/reference/run`; do not edit these pages.\n\n";
  Table table({"page", "lists"});
  table.KeepOrder();
  for (const Page& page : Pages()) {
    table.Add({StrCat("[", page.file, "](", page.file, ")"), std::string(page.about)});
  }
  out += table.Text();
  Table words({"support", "means"});
  words.KeepOrder();
  words.Add({std::string(SupportText(base::Support::kFull)), "Works as in MongoDB 8.2."});
  words.Add({std::string(SupportText(base::Support::kIgnored)),
             "Accepted and checked, changes nothing here."});
  words.Add({std::string(SupportText(base::Support::kRefused)),
             "Known by name; using it gives the error shown."});
  return StrCat(out, "\n", words.Text(),
                "\nWhere the server means to behave otherwise than MongoDB: "
                "[differences.md](../differences.md).\n");
}

}  // namespace mayfly::reference
