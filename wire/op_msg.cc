#include "wire/op_msg.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/validate.h"
#include "wire/crc32c.h"
#include "wire/frame.h"

namespace mayfly::wire {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr size_t kChecksumSize = 4;
constexpr int32_t kMinDocumentSize = 5;
// Codes that MongoDB gives to these places only.
constexpr int kTwoBodies = 40430;
constexpr int kDuplicateSequence = 40431;
constexpr int kUnknownSectionKind = 40432;
constexpr int kSequenceAlsoInBody = 40433;
constexpr int kNoBody = 40587;

// Takes one validated document from the front of `*bytes`.
absl::StatusOr<bson::View> TakeDocument(std::string_view* bytes, int max_depth) {
  if (bytes->size() < kMinDocumentSize) {
    return Error(ErrorCode::kInvalidBSON, "a document in the message is cut off");
  }
  const int32_t size = LoadInt32(bytes->data());
  if (size < kMinDocumentSize || static_cast<size_t>(size) > bytes->size()) {
    return Error(ErrorCode::kInvalidBSON, StrCat("a document of the message claims ", size,
                                                 " bytes, but ", bytes->size(), " follow"));
  }
  const std::string_view document = bytes->substr(0, size);
  MAYFLY_RETURN_IF_ERROR(bson::ValidateDocument(document, max_depth));
  bytes->remove_prefix(size);
  return bson::View(document);
}

absl::Status ParseSequence(std::string_view* sections, Request* request) {
  if (sections->size() < 4) return Error(ErrorCode::kInvalidBSON, "a document sequence is cut off");
  const int32_t size = LoadInt32(sections->data());
  if (size < 4 || static_cast<size_t>(size) > sections->size()) {
    return Error(ErrorCode::kInvalidBSON, StrCat("a document sequence claims ", size,
                                                 " bytes, but ", sections->size(), " follow"));
  }
  std::string_view bytes = sections->substr(4, size - 4);
  sections->remove_prefix(size);
  const size_t end = bytes.find('\0');
  if (end == std::string_view::npos) {
    return Error(ErrorCode::kInvalidBSON, "the identifier of a document sequence has no end");
  }
  DocumentSequence sequence{.identifier = bytes.substr(0, end), .documents = {}};
  bytes.remove_prefix(end + 1);
  for (const DocumentSequence& other : request->sequences) {
    if (other.identifier == sequence.identifier) {
      return Error(kDuplicateSequence,
                   StrCat("Duplicate document sequence: ", sequence.identifier));
    }
  }
  while (!bytes.empty()) {
    MAYFLY_ASSIGN_OR_RETURN(const bson::View document,
                            TakeDocument(&bytes, base::kMaxNestingDepth));
    sequence.documents.push_back(document);
  }
  request->sequences.push_back(std::move(sequence));
  return absl::OkStatus();
}

absl::Status ParseSections(std::string_view sections, Request* request) {
  bool has_body = false;
  while (!sections.empty()) {
    const auto kind = static_cast<uint8_t>(sections.front());
    sections.remove_prefix(1);
    if (kind == 0) {
      if (has_body) return Error(kTwoBodies, "Multiple body sections in message");
      MAYFLY_ASSIGN_OR_RETURN(request->body,
                              TakeDocument(&sections, base::kMaxCommandNestingDepth));
      has_body = true;
    } else if (kind == 1) {
      MAYFLY_RETURN_IF_ERROR(ParseSequence(&sections, request));
    } else {
      return Error(kUnknownSectionKind, StrCat("Unknown section kind ", static_cast<int>(kind)));
    }
  }
  if (!has_body) return Error(kNoBody, "OP_MSG messages must have a body");
  for (const DocumentSequence& sequence : request->sequences) {
    if (request->body.Has(sequence.identifier)) {
      return Error(
          kSequenceAlsoInBody,
          StrCat("Duplicate field between body and document sequence ", sequence.identifier));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseOpMsg(Request* request, bool* checksum) {
  std::string_view bytes = request->storage;
  if (bytes.size() < kHeaderSize + 4) return FatalError("OP_MSG is cut off before its flags");
  const auto flags = static_cast<uint32_t>(LoadInt32(bytes.data() + kHeaderSize));
  constexpr uint32_t kKnown = kMsgChecksumPresent | kMsgMoreToCome;
  if ((flags & kMsgRequiredBits & ~kKnown) != 0) {
    return FatalError(StrCat("OP_MSG has unknown required flags: ", flags));
  }
  *checksum = (flags & kMsgChecksumPresent) != 0;
  request->more_to_come = (flags & kMsgMoreToCome) != 0;
  request->exhaust_allowed = (flags & kMsgExhaustAllowed) != 0;
  if (*checksum) {
    if (bytes.size() < kHeaderSize + 4 + kChecksumSize)
      return FatalError("OP_MSG is cut off before its checksum");
    const auto claimed =
        static_cast<uint32_t>(LoadInt32(bytes.data() + bytes.size() - kChecksumSize));
    bytes.remove_suffix(kChecksumSize);
    if (Crc32c(bytes) != claimed)
      return FatalError("the checksum of OP_MSG does not match its contents");
  }
  return ParseSections(bytes.substr(kHeaderSize + 4), request);
}

}  // namespace mayfly::wire
