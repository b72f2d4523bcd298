#include "engine/query/collation.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <unicode/coll.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Type;
using bson::ValueView;

// One word an option may have, and what ICU calls it.
struct Choice {
  std::string_view word;
  int value;
};

constexpr Choice kCaseFirst[] = {
    {"off", UCOL_OFF}, {"upper", UCOL_UPPER_FIRST}, {"lower", UCOL_LOWER_FIRST}};
constexpr Choice kAlternate[] = {{"non-ignorable", UCOL_NON_IGNORABLE}, {"shifted", UCOL_SHIFTED}};
constexpr Choice kMaxVariable[] = {{"punct", UCOL_REORDER_CODE_PUNCTUATION},
                                   {"space", UCOL_REORDER_CODE_SPACE}};

constexpr int kStrengthMin = 1;
constexpr int kStrengthMax = 5;

// The options of a specification; what was not given is the locale's choice.
struct Options {
  std::string locale;
  std::optional<bool> case_level;
  std::optional<int> case_first;
  std::optional<int> strength;
  std::optional<bool> numeric_ordering;
  std::optional<int> alternate;
  std::optional<int> max_variable;
  std::optional<bool> normalization;
  std::optional<bool> backwards;
};

absl::Status WrongType(std::string_view field, Type type, std::string_view expected) {
  return Error(ErrorCode::kTypeMismatch,
               StrCat("BSON field 'collation.", field, "' is the wrong type '",
                      bson::TypeName(type), "', expected type '", expected, "'"));
}

absl::Status ReadBool(const bson::Element& field, std::optional<bool>* out) {
  if (!field.value.IsBool()) return WrongType(field.key, field.value.type(), "bool");
  *out = field.value.AsBool();
  return absl::OkStatus();
}

template <size_t n>
absl::Status ReadChoice(const bson::Element& field, const Choice (&choices)[n],
                        std::optional<int>* out) {
  if (!field.value.IsString()) return WrongType(field.key, field.value.type(), "string");
  for (const Choice& choice : choices) {
    if (choice.word == field.value.AsString()) {
      *out = choice.value;
      return absl::OkStatus();
    }
  }
  return Error(ErrorCode::kBadValue,
               StrCat("Enumeration value '", field.value.AsString(), "' for field 'collation.",
                      field.key, "' is not a valid value."));
}

absl::Status ReadStrength(const bson::Element& field, std::optional<int>* out) {
  const ValueView value = field.value;
  if (!value.IsNumber()) return WrongType(field.key, value.type(), "number");
  // Doubles are cut, decimals rounded half to even.
  int64_t strength = 0;
  if (value.type() == Type::kDecimal128) {
    const bson::Decimal128 whole =
        bson::DecimalRound(value.AsDecimal128(), bson::RoundingMode::kHalfEven);
    strength = bson::DecimalToInt64(whole).value_or(0);
  } else {
    strength = bson::ToInt64Truncated(value);
  }
  if (strength < kStrengthMin || strength > kStrengthMax) {
    return Error(ErrorCode::kBadValue, StrCat("Enumeration value '", strength,
                                              "' for field 'collation.strength' is not a valid "
                                              "value."));
  }
  *out = static_cast<int>(strength);
  return absl::OkStatus();
}

absl::Status ReadVersion(const bson::Element& field) {
  if (!field.value.IsString()) return WrongType(field.key, field.value.type(), "string");
  if (field.value.AsString() == kCollationVersion) return absl::OkStatus();
  return Error(ErrorCode::kIncompatibleCollationVersion,
               StrCat("Requested collation version ", field.value.AsString(),
                      " but the only available collator version was ", kCollationVersion));
}

absl::Status ReadField(const bson::Element& field, Options* out) {
  // Only `backwards` may not be null.
  if (field.key == "backwards") return ReadBool(field, &out->backwards);
  const bool known =
      field.key == "locale" || field.key == "caseLevel" || field.key == "caseFirst" ||
      field.key == "strength" || field.key == "numericOrdering" || field.key == "alternate" ||
      field.key == "maxVariable" || field.key == "normalization" || field.key == "version";
  if (!known) {
    return Error(ErrorCode::kIDLUnknownField,
                 StrCat("BSON field 'collation.", field.key, "' is an unknown field."));
  }
  if (field.value.IsNull()) return absl::OkStatus();
  if (field.key == "caseLevel") return ReadBool(field, &out->case_level);
  if (field.key == "numericOrdering") return ReadBool(field, &out->numeric_ordering);
  if (field.key == "normalization") return ReadBool(field, &out->normalization);
  if (field.key == "caseFirst") return ReadChoice(field, kCaseFirst, &out->case_first);
  if (field.key == "alternate") return ReadChoice(field, kAlternate, &out->alternate);
  if (field.key == "maxVariable") return ReadChoice(field, kMaxVariable, &out->max_variable);
  if (field.key == "strength") return ReadStrength(field, &out->strength);
  if (field.key == "version") return ReadVersion(field);
  if (!field.value.IsString()) return WrongType(field.key, field.value.type(), "string");
  out->locale = field.value.AsString();
  return absl::OkStatus();
}

absl::StatusOr<Options> ReadOptions(bson::View spec) {
  Options options;
  for (const bson::Element& field : spec) MAYFLY_RETURN_IF_ERROR(ReadField(field, &options));
  const ValueView locale = spec.Find("locale");
  if (locale.IsNullish()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'collation.locale' is missing but a required field");
  }
  return options;
}

absl::Status BadLocale(std::string_view locale) {
  return Error(ErrorCode::kBadValue,
               StrCat("Field 'locale' is invalid in: { locale: \"", locale, "\" }"));
}

// What ICU's attributes are called here, so that setting and reading have one list.
void SetAttribute(icu::Collator& collator, UColAttribute attribute, std::optional<int> value) {
  UErrorCode error = U_ZERO_ERROR;
  if (value) collator.setAttribute(attribute, static_cast<UColAttributeValue>(*value), error);
}

std::optional<int> OnOff(std::optional<bool> value) {
  if (!value) return std::nullopt;
  return *value ? UCOL_ON : UCOL_OFF;
}

UColAttributeValue StrengthValue(int strength) {
  return strength == kStrengthMax ? UCOL_IDENTICAL
                                  : static_cast<UColAttributeValue>(UCOL_PRIMARY + strength - 1);
}

absl::StatusOr<std::unique_ptr<icu::Collator>> MakeCollator(const Options& options) {
  const std::string& name = options.locale;
  if (name.empty() || name.find('\0') != std::string::npos) return BadLocale(name);
  const icu::Locale locale(name.c_str());
  UErrorCode error = U_ZERO_ERROR;
  std::unique_ptr<icu::Collator> collator(icu::Collator::createInstance(locale, error));
  if (U_FAILURE(error) || locale.isBogus()) return BadLocale(name);
  // ICU falls back to a more general locale where it does not know the one named.
  const icu::Locale valid = collator->getLocale(ULOC_VALID_LOCALE, error);
  if (U_FAILURE(error) || std::string_view(valid.getBaseName()) != locale.getBaseName()) {
    return BadLocale(name);
  }
  SetAttribute(*collator, UCOL_CASE_LEVEL, OnOff(options.case_level));
  SetAttribute(*collator, UCOL_CASE_FIRST, options.case_first);
  SetAttribute(*collator, UCOL_NUMERIC_COLLATION, OnOff(options.numeric_ordering));
  SetAttribute(*collator, UCOL_ALTERNATE_HANDLING, options.alternate);
  SetAttribute(*collator, UCOL_NORMALIZATION_MODE, OnOff(options.normalization));
  SetAttribute(*collator, UCOL_FRENCH_COLLATION, OnOff(options.backwards));
  if (options.strength) {
    SetAttribute(*collator, UCOL_STRENGTH, StrengthValue(*options.strength));
  }
  if (options.max_variable) {
    collator->setMaxVariable(static_cast<UColReorderCode>(*options.max_variable), error);
  }
  if (U_FAILURE(error)) return BadLocale(name);
  return collator;
}

int Attribute(const icu::Collator& collator, UColAttribute attribute) {
  UErrorCode error = U_ZERO_ERROR;
  return collator.getAttribute(attribute, error);
}

bool IsOn(const icu::Collator& collator, UColAttribute attribute) {
  return Attribute(collator, attribute) == UCOL_ON;
}

template <size_t n>
std::string_view Word(const Choice (&choices)[n], int value) {
  const auto* it = std::find_if(std::begin(choices), std::end(choices),
                                [value](const Choice& choice) { return choice.value == value; });
  return it == std::end(choices) ? choices[0].word : it->word;
}

bson::Document FullSpec(std::string_view locale, const icu::Collator& collator) {
  const int strength = Attribute(collator, UCOL_STRENGTH);
  bson::Builder b;
  b.String("locale", locale)
      .Bool("caseLevel", IsOn(collator, UCOL_CASE_LEVEL))
      .String("caseFirst", Word(kCaseFirst, Attribute(collator, UCOL_CASE_FIRST)))
      .Int32("strength", strength == UCOL_IDENTICAL ? kStrengthMax : strength - UCOL_PRIMARY + 1)
      .Bool("numericOrdering", IsOn(collator, UCOL_NUMERIC_COLLATION))
      .String("alternate", Word(kAlternate, Attribute(collator, UCOL_ALTERNATE_HANDLING)))
      .String("maxVariable", Word(kMaxVariable, collator.getMaxVariable()))
      .Bool("normalization", IsOn(collator, UCOL_NORMALIZATION_MODE))
      .Bool("backwards", IsOn(collator, UCOL_FRENCH_COLLATION))
      .String("version", kCollationVersion);
  return b.Finish();
}

class IcuCollation final : public Collation {
 public:
  IcuCollation(std::string_view locale, std::unique_ptr<icu::Collator> collator)
      : collator_(std::move(collator)), spec_(FullSpec(locale, *collator_)) {}

  bson::View spec() const override { return spec_; }
  // Equal options compare alike.
  std::string_view identity() const override { return spec_.bytes(); }

  int Compare(std::string_view a, std::string_view b) const override {
    UErrorCode error = U_ZERO_ERROR;
    return collator_->compareUTF8(Piece(a), Piece(b), error);
  }

  void AppendSortKey(std::string_view text, std::string* out) const override {
    const icu::UnicodeString wide = icu::UnicodeString::fromUTF8(Piece(text));
    constexpr int kFirstTry = 128;
    uint8_t key[kFirstTry];
    const int32_t size = collator_->getSortKey(wide, key, kFirstTry);
    if (size <= kFirstTry) {
      out->append(reinterpret_cast<const char*>(key), size);
      return;
    }
    const size_t start = out->size();
    out->resize(start + size);
    collator_->getSortKey(wide, reinterpret_cast<uint8_t*>(out->data()) + start, size);
  }

 private:
  static icu::StringPiece Piece(std::string_view text) {
    return {text.data(), static_cast<int32_t>(text.size())};
  }

  std::unique_ptr<icu::Collator> collator_;
  bson::Document spec_;
};

}  // namespace

absl::StatusOr<CollationPtr> ParseCollation(bson::View spec) {
  MAYFLY_ASSIGN_OR_RETURN(const Options options, ReadOptions(spec));
  if (options.locale == "simple") return CollationPtr();
  MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<icu::Collator> collator, MakeCollator(options));
  const bool has_case =
      IsOn(*collator, UCOL_CASE_LEVEL) || Attribute(*collator, UCOL_STRENGTH) >= UCOL_TERTIARY;
  if (options.case_first.value_or(UCOL_OFF) != UCOL_OFF && !has_case) {
    return Error(ErrorCode::kBadValue,
                 "'caseFirst' is invalid unless 'caseLevel' is on or 'strength' is greater than 2");
  }
  if (options.backwards.value_or(false) && Attribute(*collator, UCOL_STRENGTH) < UCOL_SECONDARY) {
    return Error(ErrorCode::kBadValue, "'backwards' is invalid with 'strength' of 1");
  }
  return std::make_shared<IcuCollation>(options.locale, std::move(collator));
}

bool SameCollation(const Collation* a, const Collation* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->spec().bytes() == b->spec().bytes();
}

}  // namespace mayfly::engine
