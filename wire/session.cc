#include "wire/session.h"

#include <array>
#include <asio/async_result.hpp>
#include <asio/co_spawn.hpp>
#include <asio/error.hpp>
#include <asio/use_awaitable.hpp>
#include <exception>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "wire/frame.h"
#include "wire/op_query.h"

namespace mayfly::wire {
namespace {

constexpr std::string_view kHttpRefusal =
    "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    "This port speaks the MongoDB protocol, not HTTP. Connect with a MongoDB driver or shell.\r\n";

// Messages up to these sizes are parsed, and replies compressed, at once: it takes less than 200
// us.
constexpr size_t kParseAtOnceBytes = 512 * 1024;
constexpr size_t kDecompressAtOnceBytes = 16 * 1024;
constexpr size_t kCompressAtOnceBytes = 16 * 1024;

bool IsCompressedMuch(const std::string& frame) {
  return frame.size() > kDecompressAtOnceBytes &&
         static_cast<Opcode>(LoadInt32(frame.data() + 12)) == Opcode::kCompressed;
}

// The request after `previous` in an exhaust stream.
std::shared_ptr<const Request> FollowUp(const Request& previous, std::string body) {
  auto next = std::make_shared<Request>();
  next->storage = std::move(body);
  next->body = bson::View(std::string_view(next->storage));
  next->exhaust_allowed = true;
  next->wire_bytes = previous.wire_bytes;
  next->request_id = previous.request_id;
  return next;
}

}  // namespace

Session::Session(SessionContext& context, std::unique_ptr<Stream> stream, Connection connection)
    : context_(context), stream_(std::move(stream)), connection_(std::move(connection)) {}

void Session::Start(absl::AnyInvocable<void()> on_end) {
  on_end_ = std::move(on_end);
  context_.handler.OnConnect(connection_);
  // The coroutine's frame holds a reference: the session lives until Run() has returned.
  asio::co_spawn(
      context_.network.io(), [self = shared_from_this()] { return self->Run(); },
      [self = shared_from_this()](std::exception_ptr failure) {
        if (failure != nullptr) self->LogEnd("an unexpected exception");
        self->Disconnect();
        if (self->on_end_) std::exchange(self->on_end_, nullptr)();
      });
}

void Session::FinishAndClose() {
  closing_ = true;
  if (!serving_) stream_->Close();
}

void Session::Abort() {
  closing_ = true;
  Disconnect();
  if (resume_) std::exchange(resume_, nullptr)();
}

void Session::CheckPeer() {
  if (serving_ && resume_ && stream_->PeerGone()) Abort();
}

void Session::Disconnect() {
  stream_->Close();
  if (std::exchange(disconnected_, true)) return;
  context_.handler.OnDisconnect(connection_);
  connection_.state.reset();
}

asio::awaitable<void> Session::Run() {
  std::string frame;
  while (!disconnected_) {
    const Input input = TakeFrame(&frame);
    if (input == Input::kBroken) break;
    if (input == Input::kFrame) {
      serving_ = true;
      const bool go_on = co_await Serve(std::move(frame));
      serving_ = false;
      if (!go_on) break;
    }
    if (closing_) break;
    if (input == Input::kFrame) continue;
    const auto [error, count] = co_await stream_->Read(reader_.Space());
    if (error) {
      if (!closing_ && reader_.pending() > 0)
        LogEnd("the client closed in the middle of a message");
      if (!closing_ && reader_.pending() == 0 && first_message_)
        LogEnd("the client closed without sending a message");
      break;
    }
    reader_.Advance(count);
    context_.counters.bytes_in.fetch_add(static_cast<int64_t>(count), std::memory_order_relaxed);
  }
}

Session::Input Session::TakeFrame(std::string* frame) {
  if (first_message_ && reader_.Peek().size() >= kHeaderSize) {
    const ForeignProtocol protocol = SniffForeignProtocol(reader_.Peek());
    if (protocol != ForeignProtocol::kNone) {
      RefuseForeign(protocol);
      return Input::kBroken;
    }
    first_message_ = false;
  }
  const absl::StatusOr<bool> complete = reader_.Next(frame);
  if (!complete.ok()) {
    LogEnd(base::MessageOf(complete.status()));
    return Input::kBroken;
  }
  return *complete ? Input::kFrame : Input::kNeedMore;
}

// Answers one message, with exhaust by several replies. False: the connection must end.
asio::awaitable<bool> Session::Serve(std::string frame) {
  auto request = std::make_shared<Request>();
  ReplyFormat format;
  absl::Status status;
  if (frame.size() <= kParseAtOnceBytes && !IsCompressedMuch(frame)) [[likely]] {
    status = ParseRequest(std::move(frame), request.get(), &format);
  } else {
    status = co_await ParseElsewhere(std::move(frame), request, &format);
    if (disconnected_) co_return false;
  }
  if (IsFatal(status)) {
    LogEnd(base::MessageOf(status));
    co_return false;
  }
  context_.network.NoteRequest();
  context_.counters.requests.fetch_add(1, std::memory_order_relaxed);
  const bool wants_reply = !request->more_to_come;
  if (!status.ok()) {
    if (!wants_reply) co_return true;
    std::string document = format.query_failure ? QueryFailureDocument(status)
                                                : context_.handler.ErrorDocument(status);
    co_return co_await Answer(format, NextMessageId(), false, std::move(document));
  }
  std::shared_ptr<const Request> current = std::move(request);
  while (true) {
    Dispatch(current);
    if (!delivered_) co_await WaitForReply();
    if (!delivered_ || disconnected_ || !reply_.has_value()) co_return false;
    ReplyMessage message = *std::exchange(reply_, std::nullopt);
    const bool again = message.more_to_come && current->exhaust_allowed && wants_reply && !closing_;
    if (wants_reply) {
      const int32_t id = NextMessageId();
      if (!co_await Answer(format, id, again, std::move(message.document))) co_return false;
      format.response_to = id;
    }
    if (message.close_connection) co_return false;
    if (!again) co_return true;
    if (message.next_body.has_value()) current = FollowUp(*current, *std::move(message.next_body));
  }
}

void Session::Dispatch(const std::shared_ptr<const Request>& request) {
  delivered_ = false;
  reply_.reset();
  in_handler_ = true;
  context_.handler.Handle(connection_, request, Reply(shared_from_this()));
  in_handler_ = false;
}

void Session::Deliver(std::optional<ReplyMessage> message) {
  reply_ = std::move(message);
  if (context_.network.IsCurrent() && in_handler_) {
    delivered_ = true;
  } else {
    context_.network.Wake(shared_from_this());
  }
}

void Session::OnWake() {
  delivered_ = true;
  if (resume_) std::exchange(resume_, nullptr)();
}

asio::awaitable<void> Session::WaitForReply() {
  context_.counters.running_requests.fetch_add(1, std::memory_order_relaxed);
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
      [this](auto handler) { resume_ = std::move(handler); }, asio::use_awaitable);
  context_.counters.running_requests.fetch_sub(1, std::memory_order_relaxed);
}

asio::awaitable<void> Session::RunElsewhere(std::shared_ptr<absl::AnyInvocable<void()>> work) {
  delivered_ = false;
  const bool taken = context_.handler.RunElsewhere([self = shared_from_this(), work] {
    (*work)();
    self->context_.network.Wake(self);
  });
  if (!taken) {
    (*work)();
    co_return;
  }
  co_await WaitForReply();
}

asio::awaitable<absl::Status> Session::ParseElsewhere(std::string frame,
                                                      const std::shared_ptr<Request>& request,
                                                      ReplyFormat* format) {
  // What the other thread writes to is its own until it is done, should the connection end
  // meanwhile.
  struct Job {
    std::string frame;
    std::shared_ptr<Request> request;
    ReplyFormat format;
    absl::Status status;
  };
  auto job = std::make_shared<Job>(Job{std::move(frame), request, *format, absl::OkStatus()});
  // Named: GCC 12 destroys a temporary of such an expression twice.
  const auto work = std::make_shared<absl::AnyInvocable<void()>>([job] {
    job->status = ParseRequest(std::move(job->frame), job->request.get(), &job->format);
  });
  co_await RunElsewhere(work);
  if (disconnected_) co_return absl::OkStatus();
  *format = job->format;
  co_return std::move(job->status);
}

asio::awaitable<bool> Session::Answer(const ReplyFormat& format, int32_t id, bool more_to_come,
                                      std::string document) {
  if (format.compressor == nullptr || document.size() <= kCompressAtOnceBytes) {
    return Write(EncodeReply(format, id, more_to_come, std::move(document)));
  }
  return AnswerElsewhere(format, id, more_to_come, std::move(document));
}

asio::awaitable<bool> Session::AnswerElsewhere(const ReplyFormat& format, int32_t id,
                                               bool more_to_come, std::string document) {
  struct Job {
    ReplyFormat format;
    std::string document;
    EncodedReply reply;
  };
  auto job = std::make_shared<Job>(Job{format, std::move(document), EncodedReply()});
  const auto work = std::make_shared<absl::AnyInvocable<void()>>([job, id, more_to_come] {
    job->reply = EncodeReply(job->format, id, more_to_come, std::move(job->document));
  });
  co_await RunElsewhere(work);
  if (disconnected_) co_return false;
  co_return co_await Write(std::move(job->reply));
}

asio::awaitable<bool> Session::Write(EncodedReply reply) {
  std::array<asio::const_buffer, 3> buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    buffers[i] = asio::const_buffer(reply.parts()[i].data(), reply.parts()[i].size());
  }
  context_.counters.bytes_out.fetch_add(static_cast<int64_t>(reply.size()),
                                        std::memory_order_relaxed);
  size_t sent = stream_->TryWrite(buffers);
  if (sent == reply.size()) co_return true;
  for (asio::const_buffer& buffer : buffers) {
    const size_t skip = std::min(sent, buffer.size());
    buffer += skip;
    sent -= skip;
  }
  const auto [error, count] = co_await stream_->Write(buffers);
  co_return !error;
}

void Session::RefuseForeign(ForeignProtocol protocol) {
  switch (protocol) {
    case ForeignProtocol::kNone:
      return;
    case ForeignProtocol::kHttp: {
      const std::array<asio::const_buffer, 1> refusal = {
          asio::const_buffer(kHttpRefusal.data(), kHttpRefusal.size())};
      stream_->TryWrite(refusal);
      LogEnd("the client sent an HTTP request to a MongoDB port");
      return;
    }
    case ForeignProtocol::kTls:
      LogEnd("the client began a TLS handshake, but this port does not use TLS");
      return;
  }
}

void Session::LogEnd(std::string_view reason) const {
  MAYFLY_LOG(info, "network", "connection {} from {} closed: {}", connection_.id,
             connection_.remote, reason);
}

}  // namespace mayfly::wire
