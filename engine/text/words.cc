#include "engine/text/words.h"

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "engine/text/language.h"

namespace mayfly::engine::text {
namespace {

constexpr UChar32 kApostrophe = 0x27;
constexpr UChar32 kRightQuote = 0x2019;

icu::UnicodeString FromUtf8(std::string_view text) {
  return icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<int32_t>(text.size())));
}

std::string ToUtf8(const icu::UnicodeString& text) {
  std::string out;
  text.toUTF8String(out);
  return out;
}

bool IsDelimiter(UChar32 c, const Language& language) {
  if ((c == kApostrophe || c == kRightQuote) && language.ApostropheIsLetter()) return false;
  return c == 0 || u_hasBinaryProperty(c, UCHAR_WHITE_SPACE) ||
         u_hasBinaryProperty(c, UCHAR_DASH) || u_hasBinaryProperty(c, UCHAR_HYPHEN) ||
         u_hasBinaryProperty(c, UCHAR_PATTERN_SYNTAX) ||
         u_hasBinaryProperty(c, UCHAR_QUOTATION_MARK) ||
         u_hasBinaryProperty(c, UCHAR_TERMINAL_PUNCTUATION);
}

// Marks that stand on letters are dropped from the letters taken apart.
icu::UnicodeString WithoutDiacritics(const icu::UnicodeString& text) {
  UErrorCode code = U_ZERO_ERROR;
  const icu::Normalizer2* decompose = icu::Normalizer2::getNFDInstance(code);
  const icu::Normalizer2* compose = icu::Normalizer2::getNFCInstance(code);
  if (U_FAILURE(code)) return text;
  const icu::UnicodeString apart = decompose->normalize(text, code);
  icu::UnicodeString kept;
  for (int32_t i = 0; i < apart.length(); i = apart.moveIndex32(i, 1)) {
    const UChar32 c = apart.char32At(i);
    if (!u_hasBinaryProperty(c, UCHAR_DIACRITIC) && u_charType(c) != U_NON_SPACING_MARK) {
      kept.append(c);
    }
  }
  icu::UnicodeString result = compose->normalize(kept, code);
  return U_FAILURE(code) ? text : result;
}

icu::UnicodeString FoldUnicode(icu::UnicodeString text, const Sensitivity& sensitivity) {
  if (!sensitivity.to_case) text.toLower(icu::Locale::getRoot());
  return sensitivity.to_diacritics ? text : WithoutDiacritics(text);
}

}  // namespace

std::string Fold(std::string_view text, const Sensitivity& sensitivity) {
  return ToUtf8(FoldUnicode(FromUtf8(text), sensitivity));
}

std::vector<std::string> Words(std::string_view text, const Language& language,
                               const Sensitivity& sensitivity, StopWords stop_words) {
  const icu::UnicodeString all = FromUtf8(text);
  const Stemmer stemmer(language);
  std::vector<std::string> words;
  icu::UnicodeString word;
  const auto end_word = [&] {
    if (word.isEmpty()) return;
    icu::UnicodeString lower(word);
    lower.toLower(icu::Locale::getRoot());
    const std::string plain = ToUtf8(lower);
    if (stop_words == StopWords::kKeep || !language.IsStopWord(plain)) {
      // Stemmers know accents, so these go last.
      const std::string stem = stemmer.Stem(sensitivity.to_case ? ToUtf8(word) : plain);
      words.push_back(sensitivity.to_diacritics ? stem : ToUtf8(WithoutDiacritics(FromUtf8(stem))));
    }
    word.remove();
  };
  for (int32_t i = 0; i < all.length(); i = all.moveIndex32(i, 1)) {
    const UChar32 c = all.char32At(i);
    if (IsDelimiter(c, language)) {
      end_word();
    } else {
      word.append(c);
    }
  }
  end_word();
  return words;
}

}  // namespace mayfly::engine::text
