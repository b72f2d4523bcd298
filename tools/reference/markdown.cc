#include "tools/reference/markdown.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "base/status.h"
#include "base/strings.h"

namespace mayfly::reference {
namespace {

using base::StrCat;

std::string EscapeBars(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string Line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += cell.empty() ? " |" : StrCat(" ", EscapeBars(cell), " |");
  }
  return line + "\n";
}

}  // namespace

std::string Code(std::string_view text) { return StrCat("`", text, "`"); }

std::string Sentence(std::string_view text) {
  if (text.empty()) return "";
  std::string out(text);
  const std::string first = out.substr(0, out.find_first_of(" ,:;."));
  const bool is_word = std::all_of(first.begin(), first.end(),
                                   [](char c) { return absl::ascii_isalpha(c) || c == '-'; }) &&
                       std::none_of(first.begin(), first.end(), absl::ascii_isupper);
  if (is_word) out[0] = absl::ascii_toupper(out[0]);
  if (out.back() != '.') out += '.';
  return out;
}

std::string_view SupportText(base::Support support) {
  switch (support) {
    case base::Support::kFull:
      return "offered";
    case base::Support::kIgnored:
      return "without effect";
    case base::Support::kRefused:
      return "refused";
  }
  return "";
}

std::string ErrorText(const absl::Status& error) {
  if (error.ok()) return "";
  const base::ErrorCode code = base::CodeOf(error);
  const std::string name = base::ErrorCodeName(code);
  return StrCat(static_cast<int>(code), name.starts_with("Location") ? "" : StrCat(" ", name), ": ",
                base::MessageOf(error));
}

std::string Table::Text() const {
  std::vector<std::vector<std::string>> rows = rows_;
  if (sorted_) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a[0] < b[0]; });
  }
  std::string out = Line(columns_);
  out += "|";
  for (size_t i = 0; i < columns_.size(); ++i) out += "---|";
  out += "\n";
  for (const auto& row : rows) out += Line(row);
  return out;
}

}  // namespace mayfly::reference
