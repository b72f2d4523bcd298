// MongoDB's numeric error codes as a type, and their names.
#pragma once

#include <string>

namespace mayfly::base {

// A MongoDB error code. Any non-negative int is a legal value: codes that MongoDB gives to one
// place in its source only ("Location40415") have no constant here and are written
// ErrorCode(40415).
enum class ErrorCode : int {
#define MAYFLY_ERROR_CODE(constant, code, name) constant = code,
#include "base/error_code.def"
#undef MAYFLY_ERROR_CODE
};

// The name clients see as `codeName`: "BadValue", or "Location40415" for a code without a row in
// error_code.def.
std::string ErrorCodeName(ErrorCode code);

}  // namespace mayfly::base
