// A named workload: what is prepared, what one client does over and over, and the same work done on
// SQLite without a server. Workloads are rows at the end of their family's file; workloads.cc lists
// the families.
#pragma once

#include <mongoc/mongoc.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "tools/bench/raw_store.h"

namespace mayfly::bench {

// Sizes that the command line sets for all workloads.
struct Scale {
  // Documents in the collections which queries look at.
  int64_t documents = 100'000;
  // Documents in the collections of point reads and updates, and of YCSB.
  int64_t records = 10'000;
};

// One client, used by one thread at a time.
class Client {
 public:
  virtual ~Client() = default;
  // One operation; the number of documents that it handled, for rates that compare batches.
  virtual absl::StatusOr<int64_t> Operate() = 0;
};

struct ClientArguments {
  // A connection of this client's own; null for raw clients.
  mongoc_client_t* connection = nullptr;
  // The tables of the raw target; null for clients of a server.
  RawStore* raw = nullptr;
  Scale scale;
  // 0 for the first client, up to `clients` - 1.
  int number = 0;
  int clients = 1;
};

struct Workload {
  std::string name;
  std::string help;
  // The numbers of clients it is run with.
  std::vector<int> clients;
  // Prepared again before each repetition, which is one operation of one client.
  bool once = false;
  std::function<absl::Status(const ClientArguments&)> prepare = {};
  // Names what `prepare` makes when the operations leave it as it is: the next workload with the
  // same name does not prepare again.
  std::string dataset = {};
  std::function<std::unique_ptr<Client>(const ClientArguments&)> start = {};
  // Bytes that the collection and its indexes take in the store; may be empty.
  std::function<absl::StatusOr<int64_t>(const ClientArguments&)> stored_bytes = {};
  // The same for the raw target; empty when there is no such thing. One raw client does the work of
  // all clients: a single-document write is a transaction of `clients` rows.
  std::function<absl::Status(const ClientArguments&)> raw_prepare = {};
  std::function<std::unique_ptr<Client>(const ClientArguments&)> raw_start = {};
};

// Every workload, in the order of the report.
std::vector<Workload> AllWorkloads();

std::vector<Workload> SingleWorkloads();
std::vector<Workload> BulkWorkloads();
std::vector<Workload> QueryWorkloads();
std::vector<Workload> YcsbWorkloads();
std::vector<Workload> LargeWorkloads();
std::vector<Workload> ConnectionWorkloads();

}  // namespace mayfly::bench
