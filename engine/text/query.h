// What $text asks for: words, phrases, and words and phrases that must not be there.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bson/view.h"
#include "engine/text/index.h"
#include "engine/text/words.h"

namespace mayfly::engine::text {

// Immutable; may be used by many threads.
class Query {
 public:
  // "coffee -tea "black bean"": one of the words, every phrase, none of what follows a minus.
  Query(std::string_view search, const Language& language, const Sensitivity& sensitivity);

  // How well the document answers; nullopt if it does not.
  std::optional<double> Score(const Index& index, bson::View document) const;

 private:
  void AddWords(std::string_view text, bool negated);
  bool HasUnwanted(const std::vector<Index::Text>& texts) const;
  bool HasPhrases(const std::vector<Index::Text>& texts) const;
  bool HasAWord(const std::vector<Index::Text>& texts) const;
  double ScoreText(const Index::Text& text) const;

  const Language* language_;
  Sensitivity sensitivity_;
  std::set<std::string, std::less<>> plain_words_;  // as scores are computed: insensitive
  std::set<std::string, std::less<>> words_;        // as the sensitivity has it
  std::set<std::string, std::less<>> unwanted_words_;
  std::vector<std::string> phrases_;
  std::vector<std::string> unwanted_phrases_;
};

}  // namespace mayfly::engine::text
