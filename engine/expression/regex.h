// Regular expressions with MongoDB's flavour: PCRE2 over UTF-8, options i, m, s, x and u.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace mayfly::engine {

// Longest pattern, in bytes.
inline constexpr size_t kMaxRegexPatternSize = 16 * 1024;

// Compiled once; immutable and thread-safe afterwards.
class Regex {
 public:
  // Errors: 51108 for an unknown option, 51091 for a pattern that does not compile or is too long.
  static absl::StatusOr<Regex> Compile(std::string_view pattern, std::string_view options);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  // Whether the pattern is found anywhere in `subject`. False as well if the subject is not UTF-8
  // or a limit on backtracking is reached.
  bool Matches(std::string_view subject) const;

  // Where a match and its groups begin and end, in bytes; groups[0] is the whole match, unset
  // groups have npos.
  struct Range {
    size_t begin = std::string_view::npos;
    size_t end = std::string_view::npos;
  };
  struct Match {
    std::vector<Range> groups;
  };
  // The first match at or after byte `start`. Error: 51156 if a limit is reached or the subject is
  // not UTF-8.
  absl::StatusOr<std::optional<Match>> Find(std::string_view subject, size_t start = 0) const;

 private:
  class Code;
  explicit Regex(std::unique_ptr<Code> code);
  std::unique_ptr<Code> code_;
};

}  // namespace mayfly::engine
