// A client on a bare socket, for what no driver sends, and the pieces to build messages from.
// Blocking, for tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bson/builder.h"
#include "bson/value.h"
#include "wire/crc32c.h"
#include "wire/frame.h"
#include "wire/op_compressed.h"
#include "wire/op_msg.h"

namespace mayfly::wire::test {

inline std::string Int32Bytes(int32_t v) { return {reinterpret_cast<const char*>(&v), sizeof v}; }
inline std::string Byte(uint8_t v) { return std::string(1, static_cast<char>(v)); }

// Any message, with the right length in its header.
inline std::string Frame(int32_t opcode, std::string_view payload, int32_t id = 7) {
  return Int32Bytes(static_cast<int32_t>(kHeaderSize + payload.size())) + Int32Bytes(id) +
         Int32Bytes(0) + Int32Bytes(opcode) + std::string(payload);
}

inline std::string BodySection(std::string_view document) {
  return Byte(0) + std::string(document);
}

inline std::string SequenceSection(std::string_view identifier, std::string_view documents) {
  std::string content = std::string(identifier) + '\0' + std::string(documents);
  return Byte(1) + Int32Bytes(static_cast<int32_t>(content.size()) + 4) + content;
}

// OP_MSG with flags and sections as given; no checksum is added.
inline std::string Msg(std::string_view sections, uint32_t flags = 0, int32_t id = 7) {
  return Frame(2013, Int32Bytes(static_cast<int32_t>(flags)) + std::string(sections), id);
}

// OP_MSG with the checksum flag and a checksum of which `damage` bits are flipped.
inline std::string MsgWithChecksum(std::string_view sections, uint32_t damage = 0) {
  std::string message = Msg(sections, kMsgChecksumPresent);
  StoreInt32(message.data(), static_cast<int32_t>(message.size() + 4));
  return message + Int32Bytes(static_cast<int32_t>(Crc32c(message) ^ damage));
}

inline std::string Query(std::string_view ns, std::string_view document,
                         int32_t number_to_return = -1) {
  return Frame(2004, Int32Bytes(0) + std::string(ns) + '\0' + Int32Bytes(0) +
                         Int32Bytes(number_to_return) + std::string(document));
}

// OP_COMPRESSED with every field free.
inline std::string Compressed(uint8_t compressor, int32_t claimed_size, std::string_view payload,
                              int32_t opcode = 2013) {
  return Frame(2012, Int32Bytes(opcode) + Int32Bytes(claimed_size) + Byte(compressor) +
                         std::string(payload));
}

// { <name>: 1, $db: "admin" }
inline std::string Command(std::string_view name) {
  bson::Builder b;
  b.Int32(name, 1).String("$db", "admin");
  return b.Finish().bytes();
}

// A document nested `depth` levels deep, itself included.
inline std::string Nested(int depth) {
  std::string bytes;
  for (int inner = depth - 1; inner > 0; --inner) {
    bytes += Int32Bytes(5 + 8 * inner) + "\x03" + "a" + '\0';
  }
  return bytes + std::string("\x05\0\0\0\0", 5) + std::string(depth - 1, '\0');
}

struct ReceivedReply {
  FrameHeader header;
  uint32_t flags = 0;
  bool compressed = false;
  bson::Document document;
};

class RawClient {
 public:
  explicit RawClient(int fd) : fd_(fd) {
    // A test that would wait for ever fails instead.
    const timeval limit{.tv_sec = 30, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  RawClient(RawClient&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() { Close(); }

  static RawClient Tcp(uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return RawClient(fd);
  }

  static RawClient Unix(const std::string& path) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
    connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    return RawClient(fd);
  }

  // False once the other side has closed.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(n);
    }
    return true;
  }

  // One message; nothing if the connection has ended.
  std::optional<std::string> Receive() {
    std::string frame;
    if (!ReceiveExactly(kHeaderSize, &frame)) return std::nullopt;
    const int32_t length = LoadInt32(frame.data());
    if (!ReceiveExactly(length - kHeaderSize, &frame)) return std::nullopt;
    return frame;
  }

  // One OP_MSG or OP_REPLY, decompressed if need be.
  std::optional<ReceivedReply> ReceiveReply() {
    std::optional<std::string> frame = Receive();
    if (!frame.has_value()) return std::nullopt;
    ReceivedReply reply;
    if (LoadInt32(frame->data() + 12) == 2012) {
      // A reply opcode inside is refused by our own parser, so the header is rebuilt here.
      const Compressor* compressor =
          FindCompressor(static_cast<uint8_t>((*frame)[kHeaderSize + 8]));
      std::string inner = frame->substr(0, 12) + frame->substr(kHeaderSize, 4);
      const int32_t size = LoadInt32(frame->data() + kHeaderSize + 4);
      if (!compressor->decompress(std::string_view(*frame).substr(kHeaderSize + 9), size, &inner)
               .ok()) {
        return std::nullopt;
      }
      reply.compressed = true;
      frame = inner;
    }
    reply.header = {.length = LoadInt32(frame->data()),
                    .request_id = LoadInt32(frame->data() + 4),
                    .response_to = LoadInt32(frame->data() + 8),
                    .opcode = static_cast<Opcode>(LoadInt32(frame->data() + 12))};
    reply.flags = static_cast<uint32_t>(LoadInt32(frame->data() + kHeaderSize));
    const size_t start = kHeaderSize + (reply.header.opcode == Opcode::kReply ? 20 : 5);
    reply.document = bson::Document(bson::View(std::string_view(*frame).substr(start)));
    return reply;
  }

  std::optional<ReceivedReply> Call(std::string_view message) {
    if (!Send(message)) return std::nullopt;
    return ReceiveReply();
  }

  // True if the server closes without sending anything more.
  bool IsClosedByServer() {
    char byte;
    return recv(fd_, &byte, 1, 0) <= 0 && errno != EAGAIN;
  }

  std::string ReceiveUntilClosed() {
    std::string all;
    char chunk[4096];
    for (ssize_t n; (n = recv(fd_, chunk, sizeof chunk, 0)) > 0;) all.append(chunk, n);
    return all;
  }

  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  bool is_open() const { return fd_ >= 0; }

 private:
  bool ReceiveExactly(size_t count, std::string* out) {
    const size_t start = out->size();
    out->resize(start + count);
    for (size_t got = 0; got < count;) {
      const ssize_t n = recv(fd_, out->data() + start + got, count - got, 0);
      if (n <= 0) return false;
      got += n;
    }
    return true;
  }

  int fd_;
};

}  // namespace mayfly::wire::test
