// A script: commands with the replies they must get, as text. README.md has the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace mayfly::test {

enum class StepKind : uint8_t {
  kCommand,  // `command` is run against `database`
  kAdvance,  // the server's clock moves by `number` milliseconds
  kPurge,    // what is due is removed; `number` documents, or -1 for any number
  kRestart,  // orderly; the machine's clock is then `number` milliseconds off
  kKill,     // kill -9, then a new start
};

enum class ReplyKind : uint8_t {
  kFields,     // `reply` names fields of the reply
  kExact,      // the same, with types and bytes alike
  kDocuments,  // `reply` is the array of a cursor's first or next batch
  kError,      // `code`, and if given `code_name` and a part of the text
};

struct Step {
  StepKind kind = StepKind::kCommand;
  int line = 0;
  std::string database = {};
  std::string command = {};
  int64_t number = 0;
  ReplyKind reply_kind = ReplyKind::kFields;
  std::string reply = "{}";
  int code = 0;
  std::string code_name = {};
  std::string text = {};
};

// Error: FailedToParse with the number of the line.
absl::StatusOr<std::vector<Step>> ParseScript(std::string_view text);

}  // namespace mayfly::test
