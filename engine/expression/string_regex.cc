// Regular expressions: $regexMatch, $regexFind, $regexFindAll. A constant pattern is compiled once.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>

#include "base/strings.h"
#include "engine/expression/arguments.h"
#include "engine/expression/operator.h"
#include "engine/expression/text.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

struct CodeDeleter {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
using Code = std::shared_ptr<pcre2_code>;
struct MatchDeleter {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
struct ContextDeleter {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};
using MatchData = std::unique_ptr<pcre2_match_data, MatchDeleter>;

absl::StatusOr<uint32_t> CompileFlags(std::string_view options, std::string_view name) {
  uint32_t flags = PCRE2_UTF;
  for (char c : options) {
    switch (c) {
      case 'i':
        flags |= PCRE2_CASELESS;
        break;
      case 'm':
        flags |= PCRE2_MULTILINE;
        break;
      case 's':
        flags |= PCRE2_DOTALL;
        break;
      case 'x':
        flags |= PCRE2_EXTENDED;
        break;
      case 'u':
        break;
      default:
        return base::Error(
            51108, base::StrCat(name, " invalid flag in regex options: ", std::string_view(&c, 1)));
    }
  }
  return flags;
}

absl::StatusOr<Code> Compile(std::string_view pattern, std::string_view options,
                             std::string_view name) {
  MAYFLY_ASSIGN_OR_RETURN(uint32_t flags, CompileFlags(options, name));
  int error = 0;
  PCRE2_SIZE offset = 0;
  std::unique_ptr<pcre2_compile_context, ContextDeleter> compile(
      pcre2_compile_context_create(nullptr));
  pcre2_set_newline(compile.get(), PCRE2_NEWLINE_ANYCRLF);
  Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), flags,
                          &error, &offset, compile.get()),
            CodeDeleter());
  if (code) return code;
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(error, text, sizeof text);
  return base::Error(
      51111, base::StrCat("Invalid Regex in ", name, ": ", reinterpret_cast<const char*>(text)));
}

// The pattern and options of one call; `is_null` if the answer is the one for null.
struct Pattern {
  Code code;
  bool is_null = false;
};

absl::Status CheckOptions(ValueView options, std::string_view name) {
  if (options.IsNullish()) return absl::OkStatus();
  if (!options.IsString()) {
    return base::Error(51106, base::StrCat(name, " needs 'options' to be of type string"));
  }
  if (options.AsString().find('\0') != std::string_view::npos) {
    return base::Error(
        51110,
        base::StrCat(name, ":  regular expression options cannot contain an embedded null byte"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Pattern> MakePattern(ValueView regex, ValueView options, std::string_view name) {
  if (!regex.IsNullish() && !regex.IsString() && regex.type() != bson::Type::kRegex) {
    return base::Error(51105, base::StrCat(name, " needs 'regex' to be of type string or regex"));
  }
  MAYFLY_RETURN_IF_ERROR(CheckOptions(options, name));
  if (regex.IsNullish()) return Pattern{nullptr, true};
  std::string_view text = regex.IsString() ? regex.AsString() : regex.AsRegex().pattern;
  std::string_view own = regex.IsString() ? std::string_view() : regex.AsRegex().options;
  std::string_view given = options.IsNullish() ? std::string_view() : options.AsString();
  if (text.find('\0') != std::string_view::npos) {
    return base::Error(
        51109, base::StrCat(name, ": regular expression cannot contain an embedded null byte"));
  }
  if (!own.empty() && !given.empty()) {
    return base::Error(
        51107, base::StrCat(
                   name, ": found regex option(s) specified in both 'regex' and 'option' fields"));
  }
  MAYFLY_ASSIGN_OR_RETURN(Code code, Compile(text, own.empty() ? given : own, name));
  return Pattern{std::move(code), false};
}

enum class Answer { kMatch, kFind, kFindAll };

class RegexExpression final : public Expression {
 public:
  struct Parts {
    ExpressionPtr input;
    ExpressionPtr regex;
    ExpressionPtr options;
  };
  RegexExpression(Answer answer, std::string_view name, Parts parts, std::optional<Pattern> known)
      : answer_(answer), name_(name), parts_(std::move(parts)), known_(std::move(known)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView input, parts_.input->View(frame, &scratch));
    if (!input.IsNullish() && !input.IsString()) {
      return base::Error(51104, base::StrCat(name_, " needs 'input' to be of type string"));
    }
    Pattern pattern;
    if (known_) {
      pattern = *known_;
    } else {
      Value regex_scratch, options_scratch;
      MAYFLY_ASSIGN_OR_RETURN(ValueView regex, parts_.regex->View(frame, &regex_scratch));
      MAYFLY_ASSIGN_OR_RETURN(ValueView options,
                              ViewOrMissing(parts_.options, frame, &options_scratch));
      MAYFLY_ASSIGN_OR_RETURN(pattern, MakePattern(regex, options, name_));
    }
    if (pattern.is_null || input.IsNullish()) return AnswerForNull();
    return Run(input.AsString(), pattern.code.get());
  }
  void AddDependencies(Dependencies* out) const override {
    parts_.input->AddDependencies(out);
    parts_.regex->AddDependencies(out);
    if (parts_.options) parts_.options->AddDependencies(out);
  }

 private:
  Value AnswerForNull() const {
    switch (answer_) {
      case Answer::kMatch:
        return Value::Bool(false);
      case Answer::kFind:
        return Value::Null();
      case Answer::kFindAll:
        return MakeArrayValue(std::vector<Value>());
    }
    return Value::Null();
  }

  absl::StatusOr<Value> Run(std::string_view text, const pcre2_code* code) const {
    MatchData data(pcre2_match_data_create_from_pattern(code, nullptr));
    ArrayBuilder all;
    size_t at = 0;
    while (true) {
      int count = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at, 0,
                              data.get(), nullptr);
      if (count == PCRE2_ERROR_NOMATCH) break;
      if (count < 0) {
        return base::Error(
            51156, base::StrCat("Error occurred while executing the regular expression in ", name_,
                                ". Result code: ", count));
      }
      if (answer_ == Answer::kMatch) return Value::Bool(true);
      const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data.get());
      bson::Document match = MakeMatch(text, offsets, code);
      if (answer_ == Answer::kFind) return Value::FromDocument(match);
      all.builder().PushDocument(match);
      at = offsets[1];
      if (offsets[0] != offsets[1]) continue;
      if (at >= text.size()) break;
      at += std::min(CharacterSize(text[at]), text.size() - at);
    }
    return answer_ == Answer::kFindAll ? all.Finish() : AnswerForNull();
  }

  // {match: ..., idx: ..., captures: [...]}
  static bson::Document MakeMatch(std::string_view text, const PCRE2_SIZE* offsets,
                                  const pcre2_code* code) {
    uint32_t captures = 0;
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &captures);
    bson::Builder out;
    out.String("match", text.substr(offsets[0], offsets[1] - offsets[0]));
    out.Int32("idx", static_cast<int32_t>(CountCharacters(text.substr(0, offsets[0]))));
    out.OpenArray("captures");
    for (uint32_t i = 1; i <= captures; ++i) {
      if (offsets[2 * i] == PCRE2_UNSET) {
        out.Push(Value::Null());
      } else {
        out.PushString(text.substr(offsets[2 * i], offsets[2 * i + 1] - offsets[2 * i]));
      }
    }
    out.Close();
    return out.Finish();
  }

  const Answer answer_;
  const std::string_view name_;
  const Parts parts_;
  const std::optional<Pattern> known_;
};

template <Answer kAnswer>
absl::StatusOr<ExpressionPtr> ParseRegex(ValueView operand, const OperatorRow& row,
                                         const ParseContext& context) {
  RegexExpression::Parts parts;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(
      operand, {row.name, 51103, 31024},
      {{"input", &parts.input, 31022}, {"regex", &parts.regex, 31023}, {"options", &parts.options}},
      context));
  std::optional<Pattern> known;
  if (parts.regex->IsConstant() && (!parts.options || parts.options->IsConstant())) {
    ValueView options = parts.options ? parts.options->Constant()->view() : ValueView();
    MAYFLY_ASSIGN_OR_RETURN(known, MakePattern(parts.regex->Constant()->view(), options, row.name));
  }
  bool constant = known && parts.input->IsConstant();
  return Fold(
      ExpressionPtr(new RegexExpression(kAnswer, row.name, std::move(parts), std::move(known))),
      constant, context);
}

constexpr OperatorRow kRows[] = {
    {"$regexFind", 1, 1, nullptr, ParseRegex<Answer::kFind>,
     "the first match of a regular expression, or null"},
    {"$regexFindAll", 1, 1, nullptr, ParseRegex<Answer::kFindAll>,
     "all matches of a regular expression"},
    {"$regexMatch", 1, 1, nullptr, ParseRegex<Answer::kMatch>,
     "whether a regular expression matches"},
};

}  // namespace

absl::Span<const OperatorRow> RegexOperators() { return kRows; }

}  // namespace mayfly::engine
