// Limits with names. Values are MongoDB's unless a comment says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mayfly::base {

inline constexpr int32_t kMaxBsonObjectSize = 16 * 1024 * 1024;  // bytes of a stored document
inline constexpr int32_t kMaxInternalBsonSize =
    kMaxBsonObjectSize + 16 * 1024;  // bytes of a command or reply document
// Bytes of what $lookup puts into one document, which must shrink before it is returned or stored.
inline constexpr size_t kMaxIntermediateDocumentSize = 100 * 1024 * 1024;
inline constexpr int32_t kMaxMessageSize = 48'000'000;  // bytes of a wire message
inline constexpr int32_t kMaxWriteBatchSize = 100'000;  // statements of one write command
inline constexpr int kMaxNestingDepth = 200;            // levels of a document that arrives
inline constexpr int kMaxCommandNestingDepth =
    kMaxNestingDepth + 1;                           // of a command: documents are inside it
inline constexpr int kMaxStoredNestingDepth = 180;  // levels of a document that is stored
inline constexpr size_t kMaxDatabaseNameLength = 63;
inline constexpr size_t kMaxNamespaceLength = 255;
inline constexpr int kMaxIndexesPerCollection = 64;
inline constexpr int kMaxIndexFields = 32;

}  // namespace mayfly::base
