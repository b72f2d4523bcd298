#include "server/service.h"

#include <asio/post.hpp>
#include <chrono>
#include <utility>

#include "commands/invocation.h"

namespace mayfly::server {
namespace {

wire::ReplyMessage ToMessage(commands::Outcome outcome) {
  return wire::ReplyMessage{.document = std::move(outcome.document),
                            .more_to_come = outcome.more_to_come,
                            .next_body = std::move(outcome.next_body),
                            .close_connection = outcome.close_connection};
}

commands::Invocation ToInvocation(const wire::Connection& connection,
                                  std::shared_ptr<const wire::Request> request) {
  commands::Invocation invocation;
  invocation.body = request->body;
  invocation.is_legacy_query = request->is_legacy_query;
  invocation.exhaust_allowed = request->exhaust_allowed;
  invocation.client = std::static_pointer_cast<commands::ClientState>(connection.state);
  invocation.sequences.reserve(request->sequences.size());
  for (const wire::DocumentSequence& sequence : request->sequences) {
    invocation.sequences.push_back(
        {.identifier = sequence.identifier, .documents = sequence.documents});
  }
  if (request->is_legacy_query) {
    invocation.database = request->legacy_database;
  } else {
    const bson::ValueView database = request->body.Find("$db");
    if (database.IsString()) invocation.database = database.AsString();
  }
  invocation.owner = std::move(request);
  return invocation;
}

}  // namespace

void Service::OnConnect(wire::Connection& connection) {
  auto client = std::make_shared<commands::ClientState>();
  client->connection_id = connection.id;
  client->remote = connection.remote;
  client->local = connection.is_unix_socket ? local_address_ : connection.local;
  connection.state = std::move(client);
  metrics_.CountConnection();
}

void Service::OnDisconnect(wire::Connection& connection) { metrics_.CountDisconnection(); }

std::string Service::ErrorDocument(const absl::Status& status) {
  return commands::ErrorReply(status);
}

void Service::Handle(wire::Connection& connection, std::shared_ptr<const wire::Request> request,
                     wire::Reply reply) {
  const auto bytes_in = static_cast<int64_t>(request->wire_bytes);
  commands::Invocation invocation = ToInvocation(connection, std::move(request));
  dispatcher_.Dispatch(std::move(invocation), [this, bytes_in, reply = std::move(reply)](
                                                  commands::Outcome outcome) mutable {
    metrics_.CountRequestBytes(bytes_in, static_cast<int64_t>(outcome.document.size()));
    Finish(std::move(reply), std::move(outcome));
  });
}

// Any thread.
void Service::Finish(wire::Reply reply, commands::Outcome outcome) {
  const int64_t delay_ms = outcome.delay_ms;
  wire::ReplyMessage message = ToMessage(std::move(outcome));
  if (delay_ms <= 0) {
    reply(std::move(message));
    return;
  }
  asio::post(network_.io(),
             [this, delay_ms, reply = std::move(reply), message = std::move(message)]() mutable {
               Hold(std::move(reply), std::move(message), delay_ms);
             });
}

void Service::Hold(wire::Reply reply, wire::ReplyMessage message, int64_t delay_ms) {
  if (releasing_) {
    reply(std::move(message));
    return;
  }
  const int64_t id = ++next_held_;
  auto held = std::make_unique<Held>(network_.io());
  held->reply = std::move(reply);
  held->message = std::move(message);
  held->timer.expires_after(std::chrono::milliseconds(delay_ms));
  held->timer.async_wait([this, id](const asio::error_code& error) {
    if (!error) ReleaseHeld(id);
  });
  held_.emplace(id, std::move(held));
}

void Service::ReleaseHeld(int64_t id) {
  auto node = held_.extract(id);
  if (!node.empty()) node.mapped()->reply(std::move(node.mapped()->message));
}

void Service::ReleaseHeldReplies() {
  releasing_ = true;
  for (auto& [id, held] : std::exchange(held_, {})) held->reply(std::move(held->message));
}

}  // namespace mayfly::server
