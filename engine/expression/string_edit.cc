// Strings changed: $trim, $ltrim, $rtrim, $split, $replaceOne, $replaceAll.
#include "base/strings.h"
#include "engine/expression/arguments.h"
#include "engine/expression/operator.h"
#include "engine/expression/text.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

// What is trimmed when no characters are given.
constexpr std::string_view kWhitespace[] = {std::string_view("\0", 1),
                                            " ",
                                            "\t",
                                            "\n",
                                            "\v",
                                            "\f",
                                            "\r",
                                            "\u00a0",
                                            "\u1680",
                                            "\u2000",
                                            "\u2001",
                                            "\u2002",
                                            "\u2003",
                                            "\u2004",
                                            "\u2005",
                                            "\u2006",
                                            "\u2007",
                                            "\u2008",
                                            "\u2009",
                                            "\u200a"};

std::vector<std::string_view> Characters(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    size_t size = std::min(CharacterSize(text[0]), text.size());
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

bool StripFront(std::string_view* text, const std::vector<std::string_view>& characters) {
  for (std::string_view c : characters) {
    if (text->substr(0, c.size()) != c) continue;
    text->remove_prefix(c.size());
    return true;
  }
  return false;
}

bool StripBack(std::string_view* text, const std::vector<std::string_view>& characters) {
  for (std::string_view c : characters) {
    if (text->size() < c.size() || text->substr(text->size() - c.size()) != c) continue;
    text->remove_suffix(c.size());
    return true;
  }
  return false;
}

enum class Side { kBoth, kFront, kBack };

template <Side kSide>
absl::StatusOr<Value> Trim(Arguments a, const Call& call) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsString()) {
    return base::Error(
        50699, base::StrCat(call.name, " requires its input to be a string, got ", ValueText(a[0]),
                            " (of type ", bson::TypeName(a[0].type()), ") instead."));
  }
  std::vector<std::string_view> characters(std::begin(kWhitespace), std::end(kWhitespace));
  if (a.size() == 2) {
    if (a[1].IsNullish()) return Value::Null();
    if (!a[1].IsString()) {
      return base::Error(
          50700, base::StrCat(call.name, " requires 'chars' to be a string, got ", ValueText(a[1]),
                              " (of type ", bson::TypeName(a[1].type()), ") instead."));
    }
    characters = Characters(a[1].AsString());
  }
  std::string_view text = a[0].AsString();
  if (kSide != Side::kBack) {
    while (StripFront(&text, characters)) continue;
  }
  if (kSide != Side::kFront) {
    while (StripBack(&text, characters)) continue;
  }
  return TextResult(text);
}

template <Side kSide>
absl::StatusOr<ExpressionPtr> ParseTrim(ValueView operand, const OperatorRow& row,
                                        const ParseContext& context) {
  static constexpr std::string_view kName = kSide == Side::kBoth    ? "$trim"
                                            : kSide == Side::kFront ? "$ltrim"
                                                                    : "$rtrim";
  static constexpr OperatorRow kFunction = {kName, 1, 2, Trim<kSide>, nullptr, ""};
  ExpressionPtr input, characters;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(operand, {row.name, 50696, 50694},
                                             {{"input", &input, 50695}, {"chars", &characters}},
                                             context));
  std::vector<ExpressionPtr> operands;
  operands.push_back(std::move(input));
  if (characters) operands.push_back(std::move(characters));
  return MakeFunction(kFunction, std::move(operands), context);
}

absl::StatusOr<Value> Split(Arguments a, const Call&) {
  if (a[0].IsNullish() || a[1].IsNullish()) return Value::Null();
  if (!a[0].IsString()) {
    return base::Error(
        40085,
        base::StrCat(
            "$split requires an expression that evaluates to a string as a first argument, found: ",
            bson::TypeName(a[0].type())));
  }
  if (!a[1].IsString()) {
    return base::Error(
        10503900,
        base::StrCat("$split requires an expression that evaluates to a string as a second "
                     "argument, found: ",
                     bson::TypeName(a[1].type())));
  }
  std::string_view rest = a[0].AsString(), separator = a[1].AsString();
  if (separator.empty()) return base::Error(40087, "$split requires a non-empty separator");
  ArrayBuilder out;
  while (true) {
    size_t at = rest.find(separator);
    out.builder().PushString(rest.substr(0, at));
    if (at == std::string_view::npos) break;
    rest.remove_prefix(at + separator.size());
  }
  return out.Finish();
}

absl::Status CheckReplaceArgument(const Call& call, ValueView v, std::string_view which, int code) {
  if (v.IsString() || v.IsNullish()) return absl::OkStatus();
  return base::Error(code, base::StrCat(call.name, " requires that '", which,
                                        "' be a string, found: ", ValueText(v)));
}

// An empty string is found before every character and at the end.
std::string ReplaceAll(std::string_view text, std::string_view find, std::string_view replacement) {
  std::string out;
  size_t at = 0;
  constexpr size_t kLimit = 64 << 20;
  while (out.size() < kLimit) {
    size_t hit = text.find(find, at);
    if (hit == std::string_view::npos) break;
    out.append(text.substr(at, hit - at)).append(replacement);
    at = hit + find.size();
    if (!find.empty()) continue;
    if (at >= text.size()) return out;
    size_t size = std::min(CharacterSize(text[at]), text.size() - at);
    out.append(text.substr(at, size));
    at += size;
  }
  return out.append(text.substr(at));
}

enum class Matches { kFirst, kAll };

template <Matches kMatches>
absl::StatusOr<Value> Replace(Arguments a, const Call& call) {
  MAYFLY_RETURN_IF_ERROR(CheckReplaceArgument(call, a[0], "input", 10503904));
  MAYFLY_RETURN_IF_ERROR(CheckReplaceArgument(call, a[1], "find", 10503901));
  MAYFLY_RETURN_IF_ERROR(CheckReplaceArgument(call, a[2], "replacement", 10503902));
  for (ValueView v : a) {
    if (v.IsNullish()) return Value::Null();
  }
  std::string_view text = a[0].AsString(), find = a[1].AsString(), replacement = a[2].AsString();
  if (kMatches == Matches::kAll) return TextResult(ReplaceAll(text, find, replacement));
  size_t hit = text.find(find);
  if (hit == std::string_view::npos) return TextResult(text);
  return TextResult(base::StrCat(text.substr(0, hit), replacement, text.substr(hit + find.size())));
}

template <Matches kMatches>
absl::StatusOr<ExpressionPtr> ParseReplace(ValueView operand, const OperatorRow& row,
                                           const ParseContext& context) {
  static constexpr std::string_view kName =
      kMatches == Matches::kAll ? "$replaceAll" : "$replaceOne";
  static constexpr OperatorRow kFunction = {kName, 3, 3, Replace<kMatches>, nullptr, ""};
  std::vector<ExpressionPtr> operands(3);
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(operand, {row.name, 51751, 51750},
                                             {{"input", &operands[0], 51749},
                                              {"find", &operands[1], 51748},
                                              {"replacement", &operands[2], 51747}},
                                             context));
  return MakeFunction(kFunction, std::move(operands), context);
}

constexpr OperatorRow kRows[] = {
    {"$ltrim", 1, 1, nullptr, ParseTrim<Side::kFront>,
     "a string without white space at its beginning"},
    {"$replaceAll", 1, 1, nullptr, ParseReplace<Matches::kAll>,
     "a string with every match of another replaced"},
    {"$replaceOne", 1, 1, nullptr, ParseReplace<Matches::kFirst>,
     "a string with the first match of another replaced"},
    {"$rtrim", 1, 1, nullptr, ParseTrim<Side::kBack>, "a string without white space at its end"},
    {"$split", 2, 2, Split, nullptr, "the parts of a string between separators"},
    {"$trim", 1, 1, nullptr, ParseTrim<Side::kBoth>, "a string without white space at its ends"},
};

}  // namespace

absl::Span<const OperatorRow> StringEditOperators() { return kRows; }

}  // namespace mayfly::engine
