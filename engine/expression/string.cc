// Strings: joining, case, comparison, parts, lengths and positions. Case is changed for ASCII
// letters only.
#include <limits>

#include "absl/strings/ascii.h"
#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/numeric.h"
#include "engine/expression/operator.h"
#include "engine/expression/text.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

absl::StatusOr<Value> Concat(Arguments a, const Call&) {
  std::string out;
  for (ValueView v : a) {
    if (v.IsNullish()) return Value::Null();
    if (!v.IsString()) {
      return base::Error(
          16702, base::StrCat("$concat only supports strings, not ", bson::TypeName(v.type())));
    }
    out += v.AsString();
  }
  return TextResult(out);
}

absl::StatusOr<Value> ToLower(Arguments a, const Call&) {
  MAYFLY_ASSIGN_OR_RETURN(std::string text, CoerceToText(a[0]));
  absl::AsciiStrToLower(&text);
  return TextResult(text);
}

absl::StatusOr<Value> ToUpper(Arguments a, const Call&) {
  MAYFLY_ASSIGN_OR_RETURN(std::string text, CoerceToText(a[0]));
  absl::AsciiStrToUpper(&text);
  return TextResult(text);
}

absl::StatusOr<Value> StrCaseCmp(Arguments a, const Call&) {
  MAYFLY_ASSIGN_OR_RETURN(std::string left, CoerceToText(a[0]));
  MAYFLY_ASSIGN_OR_RETURN(std::string right, CoerceToText(a[1]));
  absl::AsciiStrToUpper(&left);
  absl::AsciiStrToUpper(&right);
  int order = left.compare(right);
  return Value::Int32(order < 0 ? -1 : order > 0 ? 1 : 0);
}

// Doubles are cut and must fit; decimals are rounded, and those that do not fit are the lowest
// number.
absl::StatusOr<int64_t> SubstrNumber(ValueView number) {
  if (number.type() != bson::Type::kDecimal128) return CoerceToInt64(number);
  const bson::Decimal128 whole =
      bson::DecimalRound(number.AsDecimal128(), bson::RoundingMode::kHalfEven);
  return bson::DecimalToInt64(whole).value_or(std::numeric_limits<int64_t>::min());
}

absl::StatusOr<Value> SubstrBytes(Arguments a, const Call& call) {
  MAYFLY_ASSIGN_OR_RETURN(std::string text, CoerceToText(a[0]));
  if (!a[1].IsNumber()) {
    return base::Error(
        16034, base::StrCat(call.name, ":  starting index must be a numeric type (is BSON type ",
                            bson::TypeName(a[1].type()), ")"));
  }
  if (!a[2].IsNumber()) {
    return base::Error(16035,
                       base::StrCat(call.name, ":  length must be a numeric type (is BSON type ",
                                    bson::TypeName(a[2].type()), ")"));
  }
  MAYFLY_ASSIGN_OR_RETURN(const int64_t start, SubstrNumber(a[1]));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t length, SubstrNumber(a[2]));
  if (start < 0) {
    return base::Error(
        50752, base::StrCat(call.name, ": starting index must be non-negative (got: ", start, ")"));
  }
  const int64_t size = static_cast<int64_t>(text.size());
  if (start < size && IsContinuation(text[start])) {
    return base::Error(
        28656,
        base::StrCat(call.name, ":  Invalid range, starting index is a UTF-8 continuation byte."));
  }
  int64_t end = length < 0 || length > size - start ? size : start + length;
  if (end < size && end >= 0 && IsContinuation(text[end])) {
    return base::Error(
        28657,
        base::StrCat(call.name,
                     ":  Invalid range, ending index is in the middle of a UTF-8 character."));
  }
  if (start >= size) return Value::String("");
  return TextResult(std::string_view(text).substr(start, end - start));
}

// Bytes of the first `count` characters.
size_t BytesOfCharacters(std::string_view text, int64_t count) {
  size_t at = 0;
  while (at < text.size()) {
    if (!IsContinuation(text[at]) && count-- == 0) break;
    ++at;
  }
  return at;
}

absl::StatusOr<int64_t> CharacterNumber(ValueView v, int type_code, int integral_code,
                                        std::string_view what) {
  if (!v.IsNumber()) {
    return base::Error(type_code,
                       base::StrCat("$substrCP: ", what, " must be a numeric type (is BSON type ",
                                    bson::TypeName(v.type()), ")"));
  }
  if (!IsIntegral32(v)) {
    return base::Error(
        integral_code,
        base::StrCat("$substrCP: ", what,
                     " cannot be represented as a 32-bit integral value: ", ValueText(v)));
  }
  return bson::ToInt64Truncated(v);
}

absl::StatusOr<Value> SubstrCP(Arguments a, const Call&) {
  MAYFLY_ASSIGN_OR_RETURN(std::string text, CoerceToText(a[0]));
  MAYFLY_ASSIGN_OR_RETURN(int64_t start, CharacterNumber(a[1], 34450, 34451, "starting index"));
  MAYFLY_ASSIGN_OR_RETURN(int64_t length, CharacterNumber(a[2], 34452, 34453, "length"));
  if (length < 0) return base::Error(34454, "$substrCP: length must be a nonnegative integer.");
  if (start < 0)
    return base::Error(34455, "$substrCP: the starting index must be nonnegative integer.");
  std::string_view rest = std::string_view(text).substr(BytesOfCharacters(text, start));
  return TextResult(rest.substr(0, BytesOfCharacters(rest, length)));
}

absl::StatusOr<Value> StrLenBytes(Arguments a, const Call&) {
  if (!a[0].IsString()) {
    return base::Error(34473, base::StrCat("$strLenBytes requires a string argument, found: ",
                                           bson::TypeName(a[0].type())));
  }
  return Value::Int32(static_cast<int32_t>(a[0].AsString().size()));
}

absl::StatusOr<Value> StrLenCP(Arguments a, const Call&) {
  if (!a[0].IsString()) {
    return base::Error(34471, base::StrCat("$strLenCP requires a string argument, found: ",
                                           bson::TypeName(a[0].type())));
  }
  return Value::Int32(static_cast<int32_t>(CountCharacters(a[0].AsString())));
}

absl::StatusOr<int64_t> PositionBound(const Call& call, ValueView v, std::string_view which) {
  if (!IsIntegral32(v)) {
    return base::Error(40096,
                       base::StrCat(call.name, " requires an integral ", which,
                                    " index, found a value of type: ", bson::TypeName(v.type()),
                                    ", with value: ", ValueText(v)));
  }
  int64_t bound = bson::ToInt64Truncated(v);
  if (bound < 0) {
    return base::Error(40097, base::StrCat(call.name, " requires a nonnegative ", which,
                                           " index, found: ", bound));
  }
  return bound;
}

struct Search {
  std::string_view text;
  std::string_view wanted;
  int64_t begin = 0;
  int64_t end = INT64_MAX;
  bool is_null = false;
};

absl::StatusOr<Search> ParseSearch(Arguments a, const Call& call, int text_code, int wanted_code) {
  Search search;
  if (a[0].IsNullish()) {
    search.is_null = true;
    return search;
  }
  if (!a[0].IsString()) {
    return base::Error(text_code,
                       base::StrCat(call.name, " requires a string as the first argument, found: ",
                                    bson::TypeName(a[0].type())));
  }
  if (!a[1].IsString()) {
    return base::Error(wanted_code,
                       base::StrCat(call.name, " requires a string as the second argument, found: ",
                                    bson::TypeName(a[1].type())));
  }
  search.text = a[0].AsString();
  search.wanted = a[1].AsString();
  if (a.size() > 2) {
    MAYFLY_ASSIGN_OR_RETURN(search.begin, PositionBound(call, a[2], "starting"));
  }
  if (a.size() > 3) {
    MAYFLY_ASSIGN_OR_RETURN(search.end, PositionBound(call, a[3], "ending"));
  }
  return search;
}

absl::StatusOr<Value> IndexOfBytes(Arguments a, const Call& call) {
  MAYFLY_ASSIGN_OR_RETURN(Search search, ParseSearch(a, call, 40091, 40092));
  if (search.is_null) return Value::Null();
  const int64_t end = std::min<int64_t>(search.end, static_cast<int64_t>(search.text.size()));
  if (search.begin > end) return Value::Int32(-1);
  size_t at = search.text.substr(0, end).find(search.wanted, search.begin);
  return Value::Int32(at == std::string_view::npos ? -1 : static_cast<int32_t>(at));
}

// A match counts if it begins before the end, even if it reaches beyond; nothing is found at the
// very end.
absl::StatusOr<Value> IndexOfCP(Arguments a, const Call& call) {
  MAYFLY_ASSIGN_OR_RETURN(Search search, ParseSearch(a, call, 40093, 40094));
  if (search.is_null) return Value::Null();
  int64_t character = 0;
  if (search.text.empty() && search.wanted.empty() && search.begin == 0) return Value::Int32(0);
  for (size_t at = 0; at < search.text.size() && character < search.end; ++character) {
    const std::string_view rest = search.text.substr(at);
    if (character >= search.begin && rest.substr(0, search.wanted.size()) == search.wanted) {
      return Value::Int32(static_cast<int32_t>(character));
    }
    at += std::min(CharacterSize(search.text[at]), rest.size());
  }
  return Value::Int32(-1);
}

constexpr OperatorRow kRows[] = {
    {"$concat", 0, kAnyNumber, Concat, nullptr, "strings joined"},
    {"$indexOfBytes", 2, 4, IndexOfBytes, nullptr,
     "the byte at which a string is found in another, or -1"},
    {"$indexOfCP", 2, 4, IndexOfCP, nullptr,
     "the character at which a string is found in another, or -1"},
    {"$strLenBytes", 1, 1, StrLenBytes, nullptr, "the bytes of a string"},
    {"$strLenCP", 1, 1, StrLenCP, nullptr, "the characters of a string"},
    {"$strcasecmp", 2, 2, StrCaseCmp, nullptr,
     "-1, 0 or 1: the order of two strings without regard to case"},
    {"$substr", 3, 3, SubstrBytes, nullptr, "the old name of $substrBytes"},
    {"$substrBytes", 3, 3, SubstrBytes, nullptr, "a part of a string, counted in bytes"},
    {"$substrCP", 3, 3, SubstrCP, nullptr, "a part of a string, counted in characters"},
    {"$toLower", 1, 1, ToLower, nullptr, "the text in lower case"},
    {"$toUpper", 1, 1, ToUpper, nullptr, "the text in upper case"},
};

}  // namespace

absl::Span<const OperatorRow> StringOperators() { return kRows; }

}  // namespace mayfly::engine
