// How far a name that clients may use is offered: the tables of commands, operators, stages and
// options say it for each row, and docs/reference prints it.
#pragma once

#include <cstdint>

namespace mayfly::base {

enum class Support : uint8_t {
  kFull,
  kIgnored,  // accepted and checked, without effect here
  kRefused,  // known by name; using it gives MongoDB's error
};

}  // namespace mayfly::base
