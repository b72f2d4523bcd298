// OP_QUERY, which old drivers and current handshakes send, and its answer OP_REPLY.
//
//   OP_QUERY: header, int32 flags, C string namespace, int32 numberToSkip, int32 numberToReturn,
//   document query,
//             optional document returnFieldsSelector
//   OP_REPLY: header, int32 responseFlags, int64 cursorID, int32 startingFrom, int32
//   numberReturned, documents
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "base/error_code.h"
#include "wire/handler.h"

namespace mayfly::wire {

inline constexpr int32_t kQuerySecondaryOk = 1 << 2;
inline constexpr int32_t kReplyQueryFailure = 1 << 1;
inline constexpr int32_t kReplyAwaitCapable = 1 << 3;

// The code MongoDB gives to an OP_QUERY on a collection.
inline constexpr base::ErrorCode kNotACommand{5739101};

// Fills `request` from `request->storage`, one whole OP_QUERY with its header. Errors as
// ParseOpMsg; a query that is no command (its namespace does not end in ".$cmd") is the error
// kNotACommand.
absl::Status ParseOpQuery(Request* request);

// The `$err` document that OP_REPLY with kReplyQueryFailure carries.
std::string QueryFailureDocument(const absl::Status& status);

}  // namespace mayfly::wire
