// The border between the network and the rest: one request in, one reply document out. Whoever
// answers requests implements Handler; nothing behind it sees a socket or a frame, and wire/ never
// looks into a command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "bson/view.h"

namespace mayfly::wire {

// One client's connection, from accept to close. Touched on the network thread only.
struct Connection {
  int64_t id = 0;      // 1, 2, 3 ... in the order of acceptance
  std::string remote;  // "127.0.0.1:51112"; "anonymous unix socket" as mongod says
  std::string
      local;  // the address by which this client came: "127.0.0.1:27017", or the socket's path
  bool is_unix_socket = false;
  std::shared_ptr<void> state;  // the handler's own: set in OnConnect, destroyed after OnDisconnect
};

// The documents of one kind-1 section, to be read as the array field `identifier` of the body.
struct DocumentSequence {
  std::string_view identifier;
  std::vector<bson::View> documents;
};

// One request. Owns the bytes its views point to; every document in it has passed
// bson::ValidateDocument. May be kept and read on any thread for as long as the shared_ptr is held.
struct Request {
  int32_t request_id = 0;
  bson::View body;
  std::vector<DocumentSequence> sequences;
  // The client wants no answer: what is given to Reply is dropped.
  bool more_to_come = false;
  // The client accepts a stream of replies: ReplyMessage::more_to_come may be used.
  bool exhaust_allowed = false;
  // Came as OP_QUERY on "<database>.$cmd" (only handshake commands may, see MongoDB's error 352);
  // `$query` is unwrapped.
  bool is_legacy_query = false;
  std::string_view legacy_database;
  bool legacy_secondary_ok = false;
  // Bytes on the network, header included.
  size_t wire_bytes = 0;

  // The memory below the views. For wire/ and tests.
  std::string storage;
};

struct ReplyMessage {
  // The bytes of one BSON document.
  std::string document = {};
  // Only if the request allows exhaust: after this reply is written, Handle() is called again, with
  // the same request or, if `next_body` is set, with that document as its body (and no sequences).
  bool more_to_come = false;
  std::optional<std::string> next_body = std::nullopt;
  // Close the connection once this is written.
  bool close_connection = false;
};

// Where a reply goes. Implemented by the session.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  // Any thread. An absent message: the handler gave up without answering, the connection is closed.
  virtual void Deliver(std::optional<ReplyMessage> message) = 0;
};

// The right to answer one request, exactly once, on any thread, inside Handle() or later; it may
// outlive the connection. Destroyed unused, it closes the connection. Answering inside Handle() is
// cheapest; answers from other threads are handed to the network thread in batches.
class Reply {
 public:
  Reply() = default;
  explicit Reply(std::shared_ptr<ReplySink> sink) : sink_(std::move(sink)) {}
  Reply(Reply&& other) noexcept = default;
  Reply& operator=(Reply&& other) noexcept {
    Abandon();
    sink_ = std::move(other.sink_);
    return *this;
  }
  ~Reply() { Abandon(); }

  void operator()(ReplyMessage message) {
    if (auto sink = std::exchange(sink_, nullptr)) sink->Deliver(std::move(message));
  }
  void operator()(std::string document) { (*this)(ReplyMessage{.document = std::move(document)}); }

 private:
  void Abandon() {
    if (auto sink = std::exchange(sink_, nullptr)) sink->Deliver(std::nullopt);
  }

  std::shared_ptr<ReplySink> sink_;
};

// All functions are called on the network thread and must not block: no longer than about 200 us.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void OnConnect(Connection& connection) = 0;
  // Called once; a request may still be running then (the client went away), its reply is dropped.
  virtual void OnDisconnect(Connection& connection) = 0;
  // Answers one request. Requests of one connection come one at a time and in order: the next one
  // comes after the reply to this one was written.
  virtual void Handle(Connection& connection, std::shared_ptr<const Request> request,
                      Reply reply) = 0;
  // Runs `work` on a thread that may be busy for long, which takes what would keep the network
  // thread: the compression of a large reply. False: there is no such thread, or it has enough to
  // do.
  virtual bool RunElsewhere(absl::AnyInvocable<void()> work) { return false; }
  // The reply document for an error found before there is a request (InvalidBSON, Overflow, a
  // malformed section): { ok: 0, errmsg, code, codeName }.
  virtual std::string ErrorDocument(const absl::Status& status) = 0;
};

}  // namespace mayfly::wire
