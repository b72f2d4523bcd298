// The pages of docs/reference: each is made of the rows of one family.
#pragma once

#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace mayfly::reference {

struct Page {
  std::string_view file;
  std::string_view title;
  std::string_view about;  // for the index
  std::string (*body)();
};

// All but the index, in its order.
absl::Span<const Page> Pages();
// The text of README.md.
std::string IndexPage();

std::string CommandsPage();
std::string ParametersPage();
std::string OptionsPage();
std::string IndexesPage();

std::string QueryOperatorsPage();
std::string UpdateOperatorsPage();
std::string ProjectionOperatorsPage();
std::string ExpressionsPage();
std::string AccumulatorsPage();
std::string StagesPage();

}  // namespace mayfly::reference
