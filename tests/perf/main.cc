// Runs the fixed requests against a server in this process: the bytes of a message through the
// protocol, the dispatcher, the engine and SQLite to the bytes of the answer, everything but the
// sockets. Under callgrind the instructions of each kind of request are dumped by its name;
// README.md.
#include <valgrind/callgrind.h>

#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>

#include "bson/number.h"
#include "server/service.h"
#include "tests/perf/requests.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_server.h"
#include "wire/message.h"
#include "wire/network_thread.h"

namespace mayfly::perf {
namespace {

// Run before the counted ones, so that statements are prepared and pages are in memory.
constexpr int kWarmUp = 5;

// Takes one reply, which may come on another thread.
class Answer : public wire::ReplySink {
 public:
  void Deliver(std::optional<wire::ReplyMessage> message) override {
    const std::lock_guard lock(mutex_);
    message_ = std::move(message);
    delivered_ = true;
    changed_.notify_all();
  }

  std::optional<wire::ReplyMessage> Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return delivered_; });
    return std::move(message_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<wire::ReplyMessage> message_;
  bool delivered_ = false;
};

class Driver {
 public:
  explicit Driver(std::string folder)
      : server_({.replica_set = true, .test_commands = false, .data_folder = std::move(folder)}),
        network_(server_.clock(), 0),
        service_(server_.dispatcher(), server_.services().metrics, network_, server_.workers()) {
    connection_.id = 1;
    connection_.remote = "127.0.0.1:50000";
    service_.OnConnect(connection_);
  }

  // False, with the reply on stderr, if the command failed.
  bool Run(std::string message) {
    auto request = std::make_shared<wire::Request>();
    wire::ReplyFormat format;
    if (!wire::ParseRequest(std::move(message), request.get(), &format).ok()) return false;
    auto answer = std::make_shared<Answer>();
    service_.Handle(connection_, std::move(request), wire::Reply(answer));
    std::optional<wire::ReplyMessage> reply = answer->Wait();
    if (!reply.has_value()) return false;
    const wire::EncodedReply encoded =
        wire::EncodeReply(format, 1, false, std::move(reply->document));
    const bson::View document(encoded.parts()[1]);
    const bool ok = bson::IsNonZero(document.Find("ok")) && !document.Has("writeErrors");
    if (!ok) {
      const bson::ValueView text = document.Find("errmsg");
      std::fprintf(stderr, "%s\n",
                   text.IsString() ? std::string(text.AsString()).c_str() : "write errors");
    }
    return ok;
  }

 private:
  test::TestServer server_;
  wire::NetworkThread network_;
  server::Service service_;
  wire::Connection connection_;
};

int RunAll() {
  const test::TempDir folder;
  Driver driver(folder.path());
  for (std::string& message : PreparationMessages()) {
    if (!driver.Run(std::move(message))) return 1;
  }
  CALLGRIND_START_INSTRUMENTATION;
  for (const RequestRow& row : RequestRows()) {
    // Made before, so that making them is not counted.
    std::vector<std::string> messages;
    for (int i = 0; i < kWarmUp + row.repetitions; ++i) messages.push_back(row.make(i + 1));
    for (int i = 0; i < kWarmUp; ++i) {
      if (!driver.Run(std::move(messages[i]))) return 1;
    }
    // A dump begins anew for all threads, unlike CALLGRIND_ZERO_STATS.
    CALLGRIND_DUMP_STATS_AT("warm-up");
    bool ok = true;
    for (int i = 0; i < row.repetitions; ++i) ok &= driver.Run(std::move(messages[kWarmUp + i]));
    CALLGRIND_DUMP_STATS_AT(row.name);
    if (!ok) return 1;
    std::printf("%s %d\n", row.name, row.repetitions);
  }
  CALLGRIND_STOP_INSTRUMENTATION;
  return 0;
}

}  // namespace
}  // namespace mayfly::perf

int main() { return mayfly::perf::RunAll(); }
