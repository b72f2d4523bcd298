// OP_MSG and OP_QUERY from arbitrary bytes: what is accepted can be read to its last element.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bson/validate.h"
#include "wire/crc32c.h"
#include "wire/frame.h"
#include "wire/message.h"
#include "wire/op_msg.h"

namespace {

// A byte of choices, then the bytes after the message's header.
std::string MakeMessage(const uint8_t* data, size_t size) {
  const bool is_query = (data[0] & 1) != 0;
  std::string message(mayfly::wire::kHeaderSize, '\0');
  message.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  // A right checksum, or the sections of messages with one are never reached.
  const bool seal =
      (data[0] & 2) != 0 && !is_query && message.size() >= mayfly::wire::kHeaderSize + 4;
  if (seal) {
    message[mayfly::wire::kHeaderSize] |= 1;
    message.append(4, '\0');
  }
  mayfly::wire::StoreFrameHeader(
      {.length = static_cast<int32_t>(message.size()),
       .request_id = 1,
       .response_to = 0,
       .opcode = is_query ? mayfly::wire::Opcode::kQuery : mayfly::wire::Opcode::kMsg},
      message.data());
  if (seal) {
    const std::string_view checked = std::string_view(message).substr(0, message.size() - 4);
    mayfly::wire::StoreInt32(message.data() + checked.size(),
                             static_cast<int32_t>(mayfly::wire::Crc32c(checked)));
  }
  return message;
}

void CheckDocument(mayfly::bson::View view) {
  if (!mayfly::bson::ValidateDocument(view.bytes()).ok()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  mayfly::wire::Request request;
  mayfly::wire::ReplyFormat format;
  const absl::Status status =
      mayfly::wire::ParseRequest(MakeMessage(data, size), &request, &format);
  if (!status.ok()) return 0;
  CheckDocument(request.body);
  for (const auto& sequence : request.sequences) {
    if (request.body.Has(sequence.identifier)) std::abort();
    for (const mayfly::bson::View document : sequence.documents) CheckDocument(document);
  }
  return 0;
}
