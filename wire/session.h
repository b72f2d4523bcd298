// One connection as a coroutine: read a message, have it answered, write the answer, again.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "wire/counters.h"
#include "wire/frame.h"
#include "wire/frame_reader.h"
#include "wire/handler.h"
#include "wire/message.h"
#include "wire/network_thread.h"
#include "wire/stream.h"

namespace mayfly::wire {

// What all sessions of a listener share. Everything must outlive the network thread's Run().
struct SessionContext {
  NetworkThread& network;
  Handler& handler;
  Counters& counters;
  int32_t next_message_id = 1;
};

// Network thread only, Deliver() excepted.
class Session : public ReplySink, public Wakeable, public std::enable_shared_from_this<Session> {
 public:
  Session(SessionContext& context, std::unique_ptr<Stream> stream, Connection connection);

  // Runs until the connection ends; `on_end` is called then. Keeps itself alive.
  void Start(absl::AnyInvocable<void()> on_end);
  // Orderly: a running request is still answered; then, or at once if there is none, the connection
  // closes.
  void FinishAndClose();
  // At once; the answer to a running request is dropped.
  void Abort();
  // If the client went away while its request runs: tells the handler and ends.
  void CheckPeer();

  const Connection& connection() const { return connection_; }

  void Deliver(std::optional<ReplyMessage> message) override;
  void OnWake() override;

 private:
  enum class Input { kFrame, kNeedMore, kBroken };

  asio::awaitable<void> Run();
  asio::awaitable<bool> Serve(std::string frame);
  asio::awaitable<void> WaitForReply();
  // Runs `work` on another thread if the handler has one, and goes on when it is done.
  asio::awaitable<void> RunElsewhere(std::shared_ptr<absl::AnyInvocable<void()>> work);
  asio::awaitable<absl::Status> ParseElsewhere(std::string frame,
                                               const std::shared_ptr<Request>& request,
                                               ReplyFormat* format);
  asio::awaitable<bool> Answer(const ReplyFormat& format, int32_t id, bool more_to_come,
                               std::string document);
  asio::awaitable<bool> AnswerElsewhere(const ReplyFormat& format, int32_t id, bool more_to_come,
                                        std::string document);
  asio::awaitable<bool> Write(EncodedReply reply);
  Input TakeFrame(std::string* frame);
  void Dispatch(const std::shared_ptr<const Request>& request);
  void Disconnect();
  int32_t NextMessageId() { return context_.next_message_id++; }
  void RefuseForeign(ForeignProtocol protocol);
  void LogEnd(std::string_view reason) const;

  SessionContext& context_;
  std::unique_ptr<Stream> stream_;
  Connection connection_;
  FrameReader reader_;
  absl::AnyInvocable<void()> on_end_;
  absl::AnyInvocable<void()> resume_;  // set while the coroutine waits for a reply
  std::optional<ReplyMessage> reply_;  // written by whoever owns the Reply, read after `delivered_`
  bool first_message_ = true;
  bool in_handler_ = false;
  bool delivered_ = false;
  bool serving_ = false;
  bool closing_ = false;
  bool disconnected_ = false;
};

}  // namespace mayfly::wire
