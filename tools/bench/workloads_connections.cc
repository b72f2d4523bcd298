// Many connections that each do little: what they cost the server is processor time and memory, not
// throughput. They speak the protocol themselves, as a driver's client each would be the larger
// load.
#include <arpa/inet.h>
#include <netdb.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "tools/bench/mongo.h"

namespace mayfly::bench {
namespace {

constexpr int kConnections = 2000;
// A request's reply is read when so many later ones have been sent, 10 ms after it.
constexpr int kInFlight = 20;
constexpr auto kRound = std::chrono::seconds(1);

using Clock = std::chrono::steady_clock;

absl::Status Failed(const char* what) {
  return base::Error(base::ErrorCode::kInternalError,
                     std::string(what) + ": " + std::strerror(errno));
}

// Waits without using the processor; what is measured is real time by its nature.
void WaitUntil(Clock::time_point moment) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock<std::mutex> lock(mutex);
  while (never.wait_until(lock, moment) != std::cv_status::timeout) {
  }
}

// {find: "single", filter: {_id: n}} as OP_MSG.
std::string FindMessage(int64_t id) {
  Document command = Json("{'find': 'single', '$db': 'bench', 'limit': 1, 'singleBatch': true}");
  Document filter;
  bson_append_int64(filter.get(), "_id", 3, id);
  bson_append_document(command.get(), "filter", -1, filter.get());
  const int32_t length = static_cast<int32_t>(21 + command.get()->len);
  const int32_t header[] = {length, static_cast<int32_t>(id), 0, 2013, 0};
  std::string message(reinterpret_cast<const char*>(header), sizeof header);
  message.push_back(0);
  message.append(reinterpret_cast<const char*>(bson_get_data(command.get())), command.get()->len);
  return message;
}

class ManyConnections : public Client {
 public:
  explicit ManyConnections(const ClientArguments& arguments) : records_(arguments.scale.records) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
      limit.rlim_cur = limit.rlim_max;
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    status_ = Connect(arguments.connection);
  }
  ~ManyConnections() override {
    for (const int socket : sockets_) close(socket);
  }

  // One round of a second, every connection's request at its own moment in it.
  absl::StatusOr<int64_t> Operate() override {
    MAYFLY_RETURN_IF_ERROR(status_);
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < kConnections + kInFlight; ++i) {
      if (i < kConnections) {
        WaitUntil(begin + i * (std::chrono::duration_cast<Clock::duration>(kRound) / kConnections));
        const std::string message = FindMessage(i % records_);
        if (send(sockets_[i], message.data(), message.size(), MSG_NOSIGNAL) < 0)
          return Failed("send");
      }
      if (i >= kInFlight) MAYFLY_RETURN_IF_ERROR(ReadReply(sockets_[i - kInFlight]));
    }
    WaitUntil(begin + kRound);
    return kConnections;
  }

 private:
  absl::Status Connect(mongoc_client_t* connection) {
    const mongoc_host_list_t* host = mongoc_uri_get_hosts(mongoc_client_get_uri(connection));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(host->port);
    if (inet_pton(AF_INET, host->host, &address.sin_addr) != 1) {
      return base::Error(base::ErrorCode::kInternalError, "an IPv4 address is needed");
    }
    for (int i = 0; i < kConnections; ++i) {
      sockets_.push_back(socket(AF_INET, SOCK_STREAM, 0));
      if (connect(sockets_.back(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        return Failed("connect");
    }
    return absl::OkStatus();
  }

  static absl::Status ReadReply(int socket) {
    char buffer[4096];
    int32_t length = 0;
    if (recv(socket, &length, sizeof length, MSG_WAITALL) != sizeof length) return Failed("reply");
    for (int32_t left = length - 4; left > 0;) {
      const ssize_t count =
          recv(socket, buffer, std::min<size_t>(static_cast<size_t>(left), sizeof buffer), 0);
      if (count <= 0) return Failed("reply");
      left -= static_cast<int32_t>(count);
    }
    return absl::OkStatus();
  }

  std::vector<int> sockets_;
  int64_t records_;
  absl::Status status_;
};

absl::Status Prepare(const ClientArguments& arguments) {
  return Fill(arguments.connection, "single", "", arguments.scale.records, ItemDocument);
}

}  // namespace

std::vector<Workload> ConnectionWorkloads() {
  return {
      {.name = "connections_2000",
       .help = "2,000 connections, each a find by _id a second; one operation is a second of it",
       .clients = {1},
       .prepare = Prepare,
       .dataset = "single",
       .start = [](const ClientArguments& arguments) -> std::unique_ptr<Client> {
         return std::make_unique<ManyConnections>(arguments);
       }}};
}

}  // namespace mayfly::bench
