// What a command is: a row in the registry, and what its handler gets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "base/status.h"
#include "bson/builder.h"
#include "commands/arguments.h"
#include "commands/invocation.h"
#include "commands/services.h"
#include "engine/engine.h"
#include "engine/expression/context.h"

namespace mayfly::commands {

struct ServerState;

// Everything a handler may use while it runs. Lives as long as the command.
class CommandContext {
 public:
  CommandContext(Services& services_in, const Invocation& invocation_in)
      : services(services_in), invocation(invocation_in) {}

  Services& services;
  const Invocation& invocation;
  // The command's one `now`, and the evaluation context made of it.
  int64_t now_ms = 0;
  engine::EvaluationContext evaluation;
  engine::Interrupt* interrupt = nullptr;
  // What other commands have left behind: state.h.
  ServerState* state = nullptr;
  // Of commands that run in an operation: null where the database does not exist.
  engine::DatabaseHandle* database = nullptr;
  engine::Transaction* transaction = nullptr;
  engine::Catalog* catalog = nullptr;
  // Set by a handler that returns ok: the command fails with this, but its operation is committed.
  absl::Status failure;
  // Identity of the operation in currentOp and killOp.
  int64_t operation_id = 0;
  // Of getMore: the comment of the command that opened the cursor, unless it has one of its own.
  bson::Value inherited_comment;
  // Set by a handler that streams its replies or ends the connection.
  Outcome* outcome = nullptr;

  std::string_view database_name() const { return invocation.database; }
  ClientState& client() const { return *invocation.client; }
  // The collection or view of that name, or null. Inside operations only.
  std::shared_ptr<engine::Collection> FindCollection(std::string_view name) const {
    return catalog == nullptr ? nullptr : catalog->Find(name);
  }
};

// Where a command runs.
enum class Place : uint8_t {
  kConnection,     // at once, on the network thread; touches no database; under 200 us
  kRead,           // an operation of the command's database; the database may not exist
  kWrite,          // the same, writing
  kWorker,         // a worker thread; may run several operations one after the other
  kWritingWorker,  // the same, and some of them write: fsync's lock holds it back
};

using Handler = absl::Status (*)(CommandContext& context, const Arguments& arguments,
                                 bson::Builder& reply);

enum CommandFlags : uint32_t {
  kNoFlags = 0,
  kAdminOnly = 1,        // 13 Unauthorized unless run against `admin`
  kTestOnly = 2,         // 59 CommandNotFound without --enableTestCommands
  kCreatesDatabase = 4,  // a kWrite command that makes the database if it is missing
  kHandshake = 8,        // may come as an old query message
  kAnyFields = 16,       // unknown fields are not refused, as MongoDB does not for it
  kNoApiVersion = 32,    // not in the Stable API: 323 APIStrictError under apiStrict
  kUnsupported = 64,     // known by name only: the handler answers MongoDB's error for it
  // Commands that touch no data take neither a write concern nor a read concern but "local": those
  // at a connection, and those with kNoConcerns. kTakesWriteConcern: though at a connection.
  kTakesWriteConcern = 128,
  kNoConcerns = 256,
  // Commands that write, to which setUserWriteBlockMode does not apply, or which look at it
  // themselves: for every statement, or for databases that they name.
  kOwnWriteBlock = 1024,
  // Of what only reads, under cluster parameter defaultMaxTimeMS.
  kDefaultTimeLimit = 2048,
  // 263 OperationNotSupportedInTransaction for all others that come as part of a transaction.
  kInTransaction = 4096,
  kEndsTransaction = 8192,
  kSilentUnacknowledged = 512,  // with {w: 0} the reply says nothing but ok
};

// What using a command comes to that is known by name only.
struct Refusal {
  base::ErrorCode code;
  std::string_view text;  // "{}" stands for the command's name
};

struct CommandRow {
  std::string_view name;
  std::string_view alias;  // empty: none
  Place place = Place::kConnection;
  uint32_t flags = kNoFlags;
  Handler run = nullptr;
  std::span<const ArgSpec> arguments;
  std::string_view help;
  // For kRead and kWrite: true if this one is surely short (a point look-up), so that it may run on
  // the network thread when the database is idle. Null: never.
  bool (*is_short)(const Invocation&) = nullptr;
  // For kWorker commands that only sometimes need a worker: where this one runs. Null: always
  // `place`.
  Place (*place_of)(const Invocation&) = nullptr;
  // Set exactly if `flags` has kUnsupported.
  const Refusal* refusal = nullptr;
};

}  // namespace mayfly::commands
