// Errors as values: absl::Status that carries a MongoDB error code, and the two macros that
// propagate it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/error_code.h"

namespace mayfly::base {

// A failed status with a MongoDB code and a message for the client. `code` must not be kOk.
[[nodiscard]] absl::Status Error(ErrorCode code, std::string_view message);
// The same for a code that MongoDB uses in one place only and that has no constant: Error(40415,
// "...").
[[nodiscard]] absl::Status Error(int code, std::string_view message);

// kOk for an ok status; the code given to Error(); kInternalError for a status made elsewhere.
ErrorCode CodeOf(const absl::Status& status);

// The message as std::string_view, valid as long as `status`.
std::string_view MessageOf(const absl::Status& status);

// Attaches extra fields for the reply (keyPattern and keyValue of a duplicate key, errInfo of a
// validator ...): `document` is the bytes of one BSON document whose fields are appended to the
// error reply or write error.
absl::Status WithErrorFields(absl::Status status, std::string_view document);
// The bytes given to WithErrorFields, or empty.
std::string ErrorFieldsOf(const absl::Status& status);

// The same error with `prefix` and " :: caused by :: " or another joint put before its message.
absl::Status WithPrefix(const absl::Status& status, std::string_view prefix);

}  // namespace mayfly::base

#define MAYFLY_STATUS_CONCAT_INNER(a, b) a##b
#define MAYFLY_STATUS_CONCAT(a, b) MAYFLY_STATUS_CONCAT_INNER(a, b)

// Returns the status from the enclosing function if it is not ok.
#define MAYFLY_RETURN_IF_ERROR(expression)      \
  do {                                          \
    absl::Status mayfly_status_ = (expression); \
    if (!mayfly_status_.ok()) [[unlikely]]      \
      return mayfly_status_;                    \
  } while (false)

// MAYFLY_ASSIGN_OR_RETURN(auto x, F()): assigns the value, or returns the status from the enclosing
// function.
#define MAYFLY_ASSIGN_OR_RETURN(lhs, expression) \
  MAYFLY_ASSIGN_OR_RETURN_INNER(MAYFLY_STATUS_CONCAT(mayfly_statusor_, __LINE__), lhs, expression)
#define MAYFLY_ASSIGN_OR_RETURN_INNER(result, lhs, expression) \
  auto result = (expression);                                  \
  if (!result.ok()) [[unlikely]]                               \
    return std::move(result).status();                         \
  lhs = std::move(result).value()
