// One command as it arrived, and the connection it came by, free of network and frames.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "bson/value.h"
#include "bson/view.h"

namespace mayfly::commands {

// What the server knows about a connection. Touched by the command of that connection that runs,
// one at a time.
struct ClientState {
  int64_t connection_id = 0;
  std::string remote;       // "127.0.0.1:51112"
  std::string local;        // the address by which the client came, for `me` and `hosts` of hello
  bson::Document metadata;  // `client` of the first hello; empty before
  std::string app_name;
  bool said_hello = false;
};

// Documents of a message that stand outside the body and are read as its array field `identifier`.
struct Sequence {
  std::string_view identifier;
  std::vector<bson::View> documents;
};

struct Invocation {
  // Keeps the bytes below the views alive.
  std::shared_ptr<const void> owner;
  bson::View body;
  std::vector<Sequence> sequences;
  // From `$db`, or from the namespace of an old query message.
  std::string_view database;
  bool is_legacy_query = false;
  bool exhaust_allowed = false;
  std::shared_ptr<ClientState> client;
};

struct Outcome {
  std::string document;                  // bytes of the reply
  bool more_to_come = false;             // a stream of replies goes on (exhaust)
  std::optional<std::string> next_body;  // what to run for the next reply of the stream
  bool close_connection = false;
  // The reply is to be held back so long, or until the server shuts down.
  int64_t delay_ms = 0;
};

using Done = absl::AnyInvocable<void(Outcome)>;

}  // namespace mayfly::commands
