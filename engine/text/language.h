// Languages with their stemmers and stop words; for this folder.
#pragma once

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "engine/text/index.h"

struct sb_stemmer;

namespace mayfly::engine::text {

class Language {
 public:
  constexpr Language(std::string_view name, std::string_view code,
                     absl::Span<const std::string_view> stop_words)
      : name_(name), code_(code), stop_words_(stop_words) {}

  std::string_view name() const { return name_; }
  std::string_view code() const { return code_; }
  // `word` in lower case, with its accents.
  bool IsStopWord(std::string_view word) const;
  // English writes apostrophes inside words.
  bool ApostropheIsLetter() const { return code_ == "en"; }

 private:
  std::string_view name_;
  std::string_view code_;
  absl::Span<const std::string_view> stop_words_;  // sorted
};

// Takes words to their stems. Not thread-safe; cheap to make.
class Stemmer {
 public:
  explicit Stemmer(const Language& language);
  ~Stemmer();
  Stemmer(const Stemmer&) = delete;
  Stemmer& operator=(const Stemmer&) = delete;

  std::string Stem(const std::string& word) const;

 private:
  ::sb_stemmer* stemmer_;  // null: words are their own stems
};

}  // namespace mayfly::engine::text
