// Regular expressions: $regexMatch, $regexFind, $regexFindAll. A constant pattern is compiled once.
#include <memory>

#include "base/strings.h"
#include "bson/builder.h"
#include "engine/expression/arguments.h"
#include "engine/expression/operator.h"
#include "engine/expression/regex.h"
#include "engine/expression/text.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

// Bytes of a pattern at most, half of what filters take.
constexpr size_t kMaxPatternSize = 16 * 1024;

// The pattern of one call; null if the answer is the one for null.
using Pattern = std::shared_ptr<const Regex>;

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

absl::StatusOr<Pattern> Compile(std::string_view text, std::string_view options,
                                std::string_view name) {
  if (text.size() > kMaxPatternSize) {
    return base::Error(51111, base::StrCat("Invalid Regex in ", name, ": the pattern is too long"));
  }
  absl::StatusOr<Regex> regex = Regex::Compile(text, options);
  if (regex.ok()) return std::make_shared<const Regex>(*std::move(regex));
  constexpr base::ErrorCode kBadOption = base::ErrorCode(51108);
  if (base::CodeOf(regex.status()) == kBadOption) {
    return base::Error(51108, base::StrCat(name, " invalid flag in regex options: ", options));
  }
  return base::Error(
      51111, base::StrCat("Invalid Regex in ", name, ": ", base::MessageOf(regex.status())));
}

absl::StatusOr<Pattern> MakePattern(ValueView regex, ValueView options, std::string_view name) {
  if (!regex.IsNullish() && !regex.IsString() && regex.type() != bson::Type::kRegex) {
    return base::Error(51105, base::StrCat(name, " needs 'regex' to be of type string or regex"));
  }
  MAYFLY_RETURN_IF_ERROR(CheckOptions(options, name));
  if (regex.IsNullish()) return Pattern();
  const std::string_view text = regex.IsString() ? regex.AsString() : regex.AsRegex().pattern;
  const std::string_view own = regex.IsString() ? std::string_view() : regex.AsRegex().options;
  const std::string_view given = options.IsNullish() ? std::string_view() : options.AsString();
  if (text.find('\0') != std::string_view::npos) {
    return base::Error(
        51109, base::StrCat(name, ": regular expression cannot contain an embedded null byte"));
  }
  if (!own.empty() && !options.IsNullish()) {
    return base::Error(
        51107, base::StrCat(
                   name, ": found regex option(s) specified in both 'regex' and 'option' fields"));
  }
  return Compile(text, own.empty() ? given : own, name);
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
    if (!pattern || input.IsNullish()) return AnswerForNull();
    return Run(input.AsString(), *pattern);
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

  absl::StatusOr<Value> Run(std::string_view text, const Regex& regex) const {
    ArrayBuilder all;
    size_t at = 0;
    do {
      MAYFLY_ASSIGN_OR_RETURN(std::optional<Regex::Match> match, regex.Find(text, at));
      if (!match) break;
      if (answer_ == Answer::kMatch) return Value::Bool(true);
      const bson::Document document = MakeMatch(text, *match);
      if (answer_ == Answer::kFind) return Value::FromDocument(document);
      all.builder().PushDocument(document);
      const Regex::Range& whole = match->groups[0];
      at = whole.end;
      if (whole.begin == whole.end && at < text.size())
        at += std::min(CharacterSize(text[at]), text.size() - at);
    } while (at < text.size());
    return answer_ == Answer::kFindAll ? all.Finish() : AnswerForNull();
  }

  // {match: ..., idx: ..., captures: [...]}
  static bson::Document MakeMatch(std::string_view text, const Regex::Match& match) {
    auto part = [&](const Regex::Range& range) {
      return text.substr(range.begin, range.end - range.begin);
    };
    bson::Builder out;
    out.String("match", part(match.groups[0]));
    out.Int32("idx", static_cast<int32_t>(CountCharacters(text.substr(0, match.groups[0].begin))));
    out.OpenArray("captures");
    for (size_t i = 1; i < match.groups.size(); ++i) {
      if (match.groups[i].begin == std::string_view::npos) {
        out.Push(Value::Null());
      } else {
        out.PushString(part(match.groups[i]));
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
    const ValueView options = parts.options ? parts.options->Constant()->view() : ValueView();
    MAYFLY_ASSIGN_OR_RETURN(known, MakePattern(parts.regex->Constant()->view(), options, row.name));
  }
  const bool constant = known && parts.input->IsConstant();
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
