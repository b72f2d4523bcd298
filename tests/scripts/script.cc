#include "tests/scripts/script.h"

#include <charconv>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace mayfly::test {
namespace {

bool TakePrefix(std::string_view* text, std::string_view prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// Takes the number that `text` starts with.
bool TakeNumber(std::string_view* text, int64_t* number) {
  *text = Trim(*text);
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc()) return false;
  text->remove_prefix(end - text->data());
  *text = Trim(*text);
  return true;
}

class Parser {
 public:
  absl::StatusOr<std::vector<Step>> Parse(std::string_view text) {
    for (bool more = true; more; ++line_) {
      const size_t end = text.find('\n');
      more = end != std::string_view::npos;
      MAYFLY_RETURN_IF_ERROR(Line(text.substr(0, end)));
      if (more) text.remove_prefix(end + 1);
    }
    return std::move(steps_);
  }

 private:
  absl::Status Line(std::string_view line) {
    const bool continues = line.starts_with(' ');
    line = Trim(line);
    if (line.empty()) {
      open_ = nullptr;
      expects_reply_ = false;
    } else if (line.starts_with('#')) {
      return absl::OkStatus();
    } else if (continues) {
      if (open_ == nullptr) return Fail("an indented line continues nothing");
      open_->append("\n").append(line);
    } else if (TakePrefix(&line, "> ")) {
      Command(line);
    } else if (expects_reply_) {
      return Reply(line);
    } else {
      return Directive(line);
    }
    return absl::OkStatus();
  }

  void Command(std::string_view line) {
    Step& step = Add(StepKind::kCommand);
    step.database = database_;
    step.command = std::string(line);
    open_ = &step.command;
    expects_reply_ = true;
  }

  absl::Status Reply(std::string_view line) {
    Step& step = steps_.back();
    expects_reply_ = false;
    if (TakePrefix(&line, "error ")) return ErrorReply(line, step);
    if (TakePrefix(&line, "exact ")) {
      step.reply_kind = ReplyKind::kExact;
    } else if (line.starts_with('[')) {
      step.reply_kind = ReplyKind::kDocuments;
    } else if (!line.starts_with('{')) {
      return Fail("a reply is { fields }, [ documents ], exact { fields } or error CODE");
    }
    step.reply = std::string(line);
    open_ = &step.reply;
    return absl::OkStatus();
  }

  absl::Status ErrorReply(std::string_view line, Step& step) {
    int64_t code = 0;
    if (!TakeNumber(&line, &code)) return Fail("error needs a code");
    step.reply_kind = ReplyKind::kError;
    step.code = static_cast<int>(code);
    const size_t colon = line.find(':');
    step.code_name = std::string(Trim(line.substr(0, colon)));
    if (colon != std::string_view::npos) step.text = std::string(Trim(line.substr(colon + 1)));
    open_ = nullptr;
    return absl::OkStatus();
  }

  absl::Status Directive(std::string_view line) {
    if (TakePrefix(&line, "use ")) {
      database_ = std::string(Trim(line));
    } else if (TakePrefix(&line, "advance ")) {
      return Span(line, StepKind::kAdvance);
    } else if (line == "restart") {
      Add(StepKind::kRestart);
    } else if (TakePrefix(&line, "restart ")) {
      return Span(line, StepKind::kRestart);
    } else if (line == "kill") {
      Add(StepKind::kKill);
    } else if (TakePrefix(&line, "purge")) {
      Step& step = Add(StepKind::kPurge);
      step.number = -1;
      if (!line.empty() && !TakeNumber(&line, &step.number)) return Fail("purge takes a number");
    } else {
      return Fail("not a command (>), use, advance, purge, restart or kill");
    }
    return absl::OkStatus();
  }

  absl::Status Span(std::string_view line, StepKind kind) {
    Step& step = Add(kind);
    if (!TakeNumber(&line, &step.number)) return Fail("a time is a number and ms, s, m, h or d");
    constexpr std::pair<std::string_view, int64_t> kUnits[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
    for (const auto& [unit, ms] : kUnits) {
      if (line == unit) {
        step.number *= ms;
        return absl::OkStatus();
      }
    }
    return Fail("a time is a number and ms, s, m, h or d");
  }

  Step& Add(StepKind kind) {
    steps_.push_back({.kind = kind, .line = line_});
    return steps_.back();
  }

  absl::Status Fail(std::string_view text) const {
    return base::Error(base::ErrorCode::kFailedToParse, base::StrCat("line ", line_, ": ", text));
  }

  std::vector<Step> steps_;
  std::string database_ = "test";
  std::string* open_ = nullptr;  // what an indented line continues
  bool expects_reply_ = false;
  int line_ = 1;
};

}  // namespace

absl::StatusOr<std::vector<Step>> ParseScript(std::string_view text) {
  return Parser().Parse(text);
}

}  // namespace mayfly::test
