#include "tests/scripts/notation.h"

#include <cctype>

#include "bson/json.h"

namespace mayfly::test {
namespace {

bool IsNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}
bool IsNamePart(char c) {
  return IsNameStart(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '.';
}

// Copies the string that starts at `*position`, whichever quotes it has; ends behind it.
void CopyString(std::string_view text, size_t* position, std::string* out) {
  const char quote = text[(*position)++];
  out->push_back('"');
  while (*position < text.size() && text[*position] != quote) {
    const char c = text[(*position)++];
    if (c == '\\' && *position < text.size()) {
      const char escaped = text[(*position)++];
      if (escaped != '\'') out->push_back('\\');
      out->push_back(escaped);
    } else {
      if (c == '"') out->push_back('\\');
      out->push_back(c);
    }
  }
  ++*position;
  out->push_back('"');
}

// Copies the word that starts at `*position`: a name if a colon follows, else true, false or null.
void CopyWord(std::string_view text, size_t* position, std::string* out) {
  const size_t start = *position;
  while (*position < text.size() && IsNamePart(text[*position])) ++*position;
  const std::string_view word = text.substr(start, *position - start);
  size_t next = *position;
  while (next < text.size() && std::isspace(static_cast<unsigned char>(text[next]))) ++next;
  const bool is_name = next < text.size() && text[next] == ':';
  if (is_name) out->push_back('"');
  out->append(word);
  if (is_name) out->push_back('"');
}

// Copies digits with what belongs to a number, so that the e of 1e5 is no word.
void CopyNumber(std::string_view text, size_t* position, std::string* out) {
  while (*position < text.size() &&
         (IsNamePart(text[*position]) || text[*position] == '-' || text[*position] == '+')) {
    out->push_back(text[(*position)++]);
  }
}

}  // namespace

std::string ToStrictJson(std::string_view text) {
  std::string out;
  size_t position = 0;
  while (position < text.size()) {
    const char c = text[position];
    if (c == '"' || c == '\'') {
      CopyString(text, &position, &out);
    } else if (IsNameStart(c)) {
      CopyWord(text, &position, &out);
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      CopyNumber(text, &position, &out);
    } else {
      out.push_back(c);
      ++position;
    }
  }
  return out;
}

absl::StatusOr<bson::Document> ParseNotation(std::string_view text) {
  return bson::ParseJson(ToStrictJson(text));
}

}  // namespace mayfly::test
