// A listener with a handler that answers without a database, for tests of the network alone.
#pragma once

#include <asio/post.hpp>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "bson/builder.h"
#include "wire/listener.h"
#include "wire/network_thread.h"

namespace mayfly::wire::test {

// Answers by the name of the body's first field:
//   later    from another thread          stream   `stream` replies by exhaust, with a changed body
//   each time drop     never, the Reply is dropped  close    and closes the connection hold when
//   Release() is called     big      with a document of `big` bytes other    { ok: 1, documents:
//   <in all sequences>, local: <address>, legacy: <database> }
class EchoHandler : public Handler {
 public:
  void OnConnect(Connection& connection) override {
    connection.state = std::make_shared<int>(0);
    ++connected;
  }
  void OnDisconnect(Connection& connection) override {
    if (connection.state != nullptr) ++disconnected;
  }
  bool RunElsewhere(absl::AnyInvocable<void()> work) override {
    ++elsewhere;
    std::thread(std::move(work)).detach();
    return true;
  }
  std::string ErrorDocument(const absl::Status& status) override {
    bson::Builder b;
    b.Double("ok", 0).String("errmsg", base::MessageOf(status));
    b.Int32("code", static_cast<int32_t>(base::CodeOf(status)));
    return b.Finish().TakeBytes();
  }

  void Handle(Connection& connection, std::shared_ptr<const Request> request,
              Reply reply) override {
    ++handled;
    const bson::Element first = request->body.First();
    if (first.key == "later") {
      std::thread([request, answer = Answer(connection, *request),
                   reply = std::move(reply)]() mutable {
        reply(std::move(answer));
      }).detach();
    } else if (first.key == "drop") {
      Reply dropped = std::move(reply);
    } else if (first.key == "hold") {
      held_answer_ = Answer(connection, *request);
      held_ = std::move(reply);
      ++holding;
    } else if (first.key == "stream") {
      const int left = first.value.AsInt32();
      bson::Builder next;
      next.Int32("stream", left - 1);
      reply(ReplyMessage{.document = std::string(request->body.bytes()),
                         .more_to_come = left > 1,
                         .next_body = next.Finish().TakeBytes()});
    } else {
      reply(ReplyMessage{.document = Answer(connection, *request),
                         .close_connection = first.key == "close"});
    }
  }

  // Any thread.
  void Release() { held_(std::move(held_answer_)); }

  std::atomic<int> connected{0};
  std::atomic<int> disconnected{0};
  std::atomic<int> handled{0};
  std::atomic<int> elsewhere{0};
  std::atomic<int> holding{0};

 private:
  static std::string Answer(const Connection& connection, const Request& request) {
    int documents = 0;
    for (const DocumentSequence& sequence : request.sequences)
      documents += static_cast<int>(sequence.documents.size());
    bson::Builder b;
    b.Double("ok", 1).Int32("documents", documents).String("local", connection.local);
    b.String("legacy", request.legacy_database);
    const bson::ValueView big = request.body.Find("big");
    if (big.IsInteger()) b.String("payload", std::string(big.AsInt32(), 'x'));
    return b.Finish().TakeBytes();
  }

  Reply held_;
  std::string held_answer_;
};

class EchoServer {
 public:
  explicit EchoServer(ListenerOptions options = {.port = 0, .unix_socket = false}, int spin_us = 0)
      : network_(clock_, spin_us), listener_(network_, handler_, std::move(options)) {
    status_ = listener_.Open();
    thread_ = std::thread([this] { network_.Run(); });
  }
  ~EchoServer() { Stop(); }

  // Orderly: running requests finish first.
  void Stop() {
    if (!thread_.joinable()) return;
    asio::post(network_.io(), [this] { listener_.Close([this] { network_.Stop(); }); });
    thread_.join();
  }

  const absl::Status& status() const { return status_; }
  uint16_t port() const { return listener_.port(); }
  Listener& listener() { return listener_; }
  EchoHandler& handler() { return handler_; }
  NetworkThread& network() { return network_; }

 private:
  base::SystemClock clock_;
  NetworkThread network_;
  EchoHandler handler_;
  Listener listener_;
  absl::Status status_;
  std::thread thread_;
};

}  // namespace mayfly::wire::test
