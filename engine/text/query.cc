#include "engine/text/query.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "engine/text/language.h"

namespace mayfly::engine::text {
namespace {

constexpr Sensitivity kInsensitive;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

Query::Query(std::string_view search, const Language& language, const Sensitivity& sensitivity)
    : language_(&language), sensitivity_(sensitivity) {
  size_t i = 0;
  while (i < search.size()) {
    if (IsSpace(search[i])) {
      ++i;
      continue;
    }
    // A minus negates at the front of a word only; inside of one it parts two words.
    const bool negated = search[i] == '-' && (i == 0 || IsSpace(search[i - 1]));
    if (negated) ++i;
    if (i < search.size() && search[i] == '"') {
      const size_t end = search.find('"', i + 1);
      const std::string_view phrase = search.substr(
          i + 1, end == std::string_view::npos ? std::string_view::npos : end - i - 1);
      if (!phrase.empty()) {
        (negated ? unwanted_phrases_ : phrases_).push_back(Fold(phrase, sensitivity_));
      }
      // Words of a phrase find the candidates; a negated phrase says nothing about its words.
      if (!negated) AddWords(phrase, false);
      i = end == std::string_view::npos ? search.size() : end + 1;
      continue;
    }
    size_t end = i;
    while (end < search.size() && !IsSpace(search[end]) && search[end] != '"') ++end;
    AddWords(search.substr(i, end - i), negated);
    i = std::max(end, i + 1);
  }
}

void Query::AddWords(std::string_view text, bool negated) {
  for (std::string& word : Words(text, *language_, sensitivity_, StopWords::kLeaveOut)) {
    (negated ? unwanted_words_ : words_).insert(std::move(word));
  }
  if (negated) return;
  for (std::string& word : Words(text, *language_, kInsensitive, StopWords::kLeaveOut)) {
    plain_words_.insert(std::move(word));
  }
}

std::optional<double> Query::Score(const Index& index, bson::View document) const {
  if (words_.empty()) return std::nullopt;
  const std::vector<Index::Text> texts = index.Texts(document);
  if (!HasAWord(texts) || HasUnwanted(texts) || !HasPhrases(texts)) return std::nullopt;
  double score = 0;
  for (const Index::Text& text : texts) score += ScoreText(text);
  return score;
}

bool Query::HasAWord(const std::vector<Index::Text>& texts) const {
  return std::any_of(texts.begin(), texts.end(), [&](const Index::Text& text) {
    const auto found = Words(text.text, *text.language, sensitivity_, StopWords::kKeep);
    return std::any_of(found.begin(), found.end(),
                       [&](const std::string& word) { return words_.contains(word); });
  });
}

bool Query::HasUnwanted(const std::vector<Index::Text>& texts) const {
  if (unwanted_words_.empty() && unwanted_phrases_.empty()) return false;
  return std::any_of(texts.begin(), texts.end(), [&](const Index::Text& text) {
    const auto found = Words(text.text, *text.language, sensitivity_, StopWords::kKeep);
    if (std::any_of(found.begin(), found.end(),
                    [&](const std::string& word) { return unwanted_words_.contains(word); })) {
      return true;
    }
    const std::string folded = Fold(text.text, sensitivity_);
    return std::any_of(unwanted_phrases_.begin(), unwanted_phrases_.end(),
                       [&](const std::string& phrase) { return Contains(folded, phrase); });
  });
}

bool Query::HasPhrases(const std::vector<Index::Text>& texts) const {
  if (phrases_.empty()) return true;
  std::vector<std::string> folded;
  folded.reserve(texts.size());
  for (const Index::Text& text : texts) folded.push_back(Fold(text.text, sensitivity_));
  return std::all_of(phrases_.begin(), phrases_.end(), [&](const std::string& phrase) {
    return std::any_of(folded.begin(), folded.end(),
                       [&](const std::string& text) { return Contains(text, phrase); });
  });
}

// Each repetition of a word counts half as much as the one before; words that are much of their
// text count more, those that are all of it a little more still.
double Query::ScoreText(const Index::Text& text) const {
  constexpr double kWholeTextBonus = 1.1;
  struct Occurrence {
    int count = 0;
    double share = 1;  // of the next one
    double frequency = 0;
  };
  std::map<std::string, Occurrence> occurrences;
  int total = 0;
  for (const std::string& word :
       Words(text.text, *text.language, kInsensitive, StopWords::kLeaveOut)) {
    ++total;
    if (!plain_words_.contains(word)) continue;
    Occurrence& occurrence = occurrences[word];
    ++occurrence.count;
    occurrence.frequency += occurrence.share;
    occurrence.share /= 2;
  }
  double score = 0;
  for (const auto& [word, occurrence] : occurrences) {
    const double density = 0.5 * occurrence.count / total + 0.5;
    const bool whole = absl::EqualsIgnoreCase(base::ToAbsl(text.text), base::ToAbsl(word));
    score += text.weight * occurrence.frequency * density * (whole ? kWholeTextBonus : 1);
  }
  return score;
}

}  // namespace mayfly::engine::text
