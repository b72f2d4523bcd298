#include "engine/expression/regex.h"

#include <utility>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/status.h"
#include "base/strings.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::StrCat;

constexpr int kInvalidRegex = 51091;
constexpr int kInvalidOption = 51108;
constexpr int kMatchFailed = 51156;

std::string ErrorText(int code) {
  PCRE2_UCHAR text[256];
  const int size = pcre2_get_error_message(code, text, sizeof text);
  return size < 0 ? "unknown error" : std::string(reinterpret_cast<const char*>(text), size);
}

absl::StatusOr<uint32_t> Flags(std::string_view options) {
  uint32_t flags = PCRE2_UTF;
  for (const char option : options) {
    if (option == 'i') {
      flags |= PCRE2_CASELESS;
    } else if (option == 'm') {
      flags |= PCRE2_MULTILINE;
    } else if (option == 's') {
      flags |= PCRE2_DOTALL;
    } else if (option == 'x') {
      flags |= PCRE2_EXTENDED;
    } else if (option != 'u') {
      return Error(kInvalidOption,
                   StrCat("invalid flag in regex options: ", std::string_view(&option, 1)));
    }
  }
  return flags;
}

}  // namespace

// The compiled pattern, and one spare block of match data so that matching does not allocate.
class Regex::Code {
 public:
  explicit Code(pcre2_code* code) : code_(code) {}
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    pcre2_match_data_free(spare_.load());
    pcre2_code_free(code_);
  }

  // Runs `use(result, match_data)` on the result of pcre2_match.
  template <typename Use>
  auto Run(std::string_view subject, size_t start, Use use) const {
    pcre2_match_data* data = spare_.exchange(nullptr);
    if (data == nullptr) data = pcre2_match_data_create_from_pattern(code_, nullptr);
    const int result = pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(subject.data()),
                                   subject.size(), start, 0, data, nullptr);
    auto answer = use(result, data);
    pcre2_match_data_free(spare_.exchange(data));
    return answer;
  }

 private:
  pcre2_code* code_;
  mutable std::atomic<pcre2_match_data*> spare_{nullptr};
};

Regex::Regex(std::unique_ptr<Code> code) : code_(std::move(code)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

absl::StatusOr<Regex> Regex::Compile(std::string_view pattern, std::string_view options) {
  MAYFLY_ASSIGN_OR_RETURN(const uint32_t flags, Flags(options));
  if (pattern.size() > kMaxRegexPatternSize) {
    return Error(kInvalidRegex, "Regular expression is invalid: regular expression is too large");
  }
  int error = 0;
  PCRE2_SIZE offset = 0;
  // "\r\n" ends a line as well.
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   flags, &error, &offset, context);
  pcre2_compile_context_free(context);
  if (code == nullptr) {
    return Error(kInvalidRegex, StrCat("Regular expression is invalid: ", ErrorText(error)));
  }
  // Where there is no JIT, matching interprets.
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  return Regex(std::make_unique<Code>(code));
}

bool Regex::Matches(std::string_view subject) const {
  return code_->Run(subject, 0, [](int result, pcre2_match_data*) { return result >= 0; });
}

absl::StatusOr<std::optional<Regex::Match>> Regex::Find(std::string_view subject,
                                                        size_t start) const {
  using Result = absl::StatusOr<std::optional<Match>>;
  return code_->Run(subject, start, [](int result, pcre2_match_data* data) -> Result {
    if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (result < 0) {
      return Error(kMatchFailed, StrCat("Error occurred while executing the regular expression: ",
                                        ErrorText(result)));
    }
    Match match;
    const PCRE2_SIZE* ovector = pcre2_get_ovector_pointer(data);
    for (uint32_t i = 0; i < pcre2_get_ovector_count(data); ++i) {
      const bool is_set = ovector[2 * i] != PCRE2_UNSET;
      match.groups.push_back(is_set ? Range{ovector[2 * i], ovector[2 * i + 1]} : Range{});
    }
    return match;
  });
}

}  // namespace mayfly::engine
