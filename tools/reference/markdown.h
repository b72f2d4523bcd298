// The few forms of Markdown that the reference is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/support.h"

namespace mayfly::reference {

// `text` as code, fit for a cell of a table.
std::string Code(std::string_view text);
// A sentence: starts with a capital letter unless it starts with a name, ends with a full stop.
std::string Sentence(std::string_view text);
// "offered", "without effect", "refused".
std::string_view SupportText(base::Support support);
// `error` as clients see it: code, name and text. Empty if it is ok.
std::string ErrorText(const absl::Status& error);

// Rows are added in any order and written by name.
class Table {
 public:
  // The first column is what rows are sorted by.
  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void KeepOrder() { sorted_ = false; }
  std::string Text() const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
  bool sorted_ = true;
};

}  // namespace mayfly::reference
