#include "engine/text/language.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <libstemmer.h>

#include "absl/strings/match.h"
#include "base/strings.h"

namespace mayfly::engine::text {
namespace {

using std::string_view_literals::operator""sv;

// Words so frequent that they say nothing; each list sorted by bytes.
constexpr std::string_view kEnglish[] = {
    "a"sv,      "about"sv,   "above"sv,   "after"sv,  "again"sv,   "against"sv, "all"sv,
    "am"sv,     "an"sv,      "and"sv,     "any"sv,    "are"sv,     "as"sv,      "at"sv,
    "be"sv,     "because"sv, "been"sv,    "before"sv, "being"sv,   "below"sv,   "between"sv,
    "both"sv,   "but"sv,     "by"sv,      "can"sv,    "cannot"sv,  "could"sv,   "did"sv,
    "do"sv,     "does"sv,    "doing"sv,   "down"sv,   "during"sv,  "each"sv,    "few"sv,
    "for"sv,    "from"sv,    "further"sv, "had"sv,    "has"sv,     "have"sv,    "having"sv,
    "he"sv,     "her"sv,     "here"sv,    "hers"sv,   "herself"sv, "him"sv,     "himself"sv,
    "his"sv,    "how"sv,     "i"sv,       "if"sv,     "in"sv,      "into"sv,    "is"sv,
    "it"sv,     "its"sv,     "itself"sv,  "just"sv,   "me"sv,      "more"sv,    "most"sv,
    "my"sv,     "myself"sv,  "no"sv,      "nor"sv,    "not"sv,     "now"sv,     "of"sv,
    "off"sv,    "on"sv,      "once"sv,    "only"sv,   "or"sv,      "other"sv,   "ought"sv,
    "our"sv,    "ours"sv,    "out"sv,     "over"sv,   "own"sv,     "same"sv,    "she"sv,
    "should"sv, "so"sv,      "some"sv,    "such"sv,   "than"sv,    "that"sv,    "the"sv,
    "their"sv,  "theirs"sv,  "them"sv,    "then"sv,   "there"sv,   "these"sv,   "they"sv,
    "this"sv,   "those"sv,   "through"sv, "to"sv,     "too"sv,     "under"sv,   "until"sv,
    "up"sv,     "very"sv,    "was"sv,     "we"sv,     "were"sv,    "what"sv,    "when"sv,
    "where"sv,  "which"sv,   "while"sv,   "who"sv,    "whom"sv,    "why"sv,     "will"sv,
    "with"sv,   "would"sv,   "you"sv,     "your"sv,   "yours"sv,   "yourself"sv};
constexpr std::string_view kFrench[] = {
    "au"sv,    "aux"sv,  "avec"sv, "ce"sv,   "ces"sv, "dans"sv, "de"sv,    "des"sv, "du"sv,
    "elle"sv,  "en"sv,   "et"sv,   "eux"sv,  "il"sv,  "je"sv,   "la"sv,    "le"sv,  "les"sv,
    "leur"sv,  "lui"sv,  "ma"sv,   "mais"sv, "me"sv,  "mes"sv,  "mon"sv,   "ne"sv,  "nos"sv,
    "notre"sv, "nous"sv, "on"sv,   "ou"sv,   "par"sv, "pas"sv,  "pour"sv,  "qu"sv,  "que"sv,
    "qui"sv,   "sa"sv,   "se"sv,   "ses"sv,  "son"sv, "sur"sv,  "ta"sv,    "te"sv,  "tes"sv,
    "toi"sv,   "ton"sv,  "tu"sv,   "un"sv,   "une"sv, "vos"sv,  "votre"sv, "vous"sv};
constexpr std::string_view kSpanish[] = {
    "a"sv,    "al"sv,   "ante"sv, "antes"sv, "como"sv, "con"sv,  "de"sv,    "del"sv, "desde"sv,
    "el"sv,   "ella"sv, "en"sv,   "entre"sv, "es"sv,   "esta"sv, "este"sv,  "la"sv,  "las"sv,
    "le"sv,   "lo"sv,   "los"sv,  "me"sv,    "mi"sv,   "muy"sv,  "no"sv,    "nos"sv, "o"sv,
    "para"sv, "pero"sv, "por"sv,  "que"sv,   "se"sv,   "sin"sv,  "sobre"sv, "su"sv,  "sus"sv,
    "te"sv,   "tu"sv,   "un"sv,   "una"sv,   "uno"sv,  "y"sv,    "yo"sv};
constexpr std::string_view kGerman[] = {
    "aber"sv, "als"sv,   "am"sv,   "an"sv,  "auch"sv, "auf"sv, "aus"sv,  "bei"sv, "bin"sv,
    "das"sv,  "dem"sv,   "den"sv,  "der"sv, "des"sv,  "die"sv, "du"sv,   "ein"sv, "eine"sv,
    "er"sv,   "es"sv,    "hat"sv,  "ich"sv, "ihr"sv,  "im"sv,  "in"sv,   "ist"sv, "mit"sv,
    "nach"sv, "nicht"sv, "noch"sv, "nur"sv, "oder"sv, "sie"sv, "sind"sv, "so"sv,  "und"sv,
    "von"sv,  "war"sv,   "was"sv,  "wie"sv, "wir"sv,  "zu"sv,  "zum"sv,  "zur"sv};

constexpr Language kLanguages[] = {
    {"none", "none", {}},        {"danish", "da", {}},        {"dutch", "nl", {}},
    {"english", "en", kEnglish}, {"finnish", "fi", {}},       {"french", "fr", kFrench},
    {"german", "de", kGerman},   {"hungarian", "hu", {}},     {"italian", "it", {}},
    {"norwegian", "nb", {}},     {"portuguese", "pt", {}},    {"romanian", "ro", {}},
    {"russian", "ru", {}},       {"spanish", "es", kSpanish}, {"swedish", "sv", {}},
    {"turkish", "tr", {}},
};

}  // namespace

const Language* FindLanguage(std::string_view name) {
  for (const Language& language : kLanguages) {
    if (absl::EqualsIgnoreCase(base::ToAbsl(name), base::ToAbsl(language.name())) ||
        absl::EqualsIgnoreCase(base::ToAbsl(name), base::ToAbsl(language.code()))) {
      return &language;
    }
  }
  return nullptr;
}

bool Language::IsStopWord(std::string_view word) const {
  return std::binary_search(stop_words_.begin(), stop_words_.end(), word);
}

Stemmer::Stemmer(const Language& language)
    : stemmer_(language.code() == "none"
                   ? nullptr
                   : sb_stemmer_new(std::string(language.name()).c_str(), "UTF_8")) {}

Stemmer::~Stemmer() {
  if (stemmer_ != nullptr) sb_stemmer_delete(stemmer_);
}

std::string Stemmer::Stem(const std::string& word) const {
  if (stemmer_ == nullptr) return word;
  const sb_symbol* stem = sb_stemmer_stem(stemmer_, reinterpret_cast<const sb_symbol*>(word.data()),
                                          static_cast<int>(word.size()));
  if (stem == nullptr) return word;
  return std::string(reinterpret_cast<const char*>(stem),
                     static_cast<size_t>(sb_stemmer_length(stemmer_)));
}

}  // namespace mayfly::engine::text
