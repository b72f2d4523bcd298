#include "tools/bench/runner.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tools/bench/process_stats.h"

namespace mayfly::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct DestroyConnection {
  void operator()(mongoc_client_t* connection) const { mongoc_client_destroy(connection); }
};
using Connection = std::unique_ptr<mongoc_client_t, DestroyConnection>;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The length of a repetition is real time by its nature.
void WaitFor(double seconds) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock<std::mutex> lock(mutex);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  while (never.wait_until(lock, end) != std::cv_status::timeout) {
  }
}

// One target's clients for one workload, and what they have done so far.
class Lane {
 public:
  Lane(const Workload& workload, int clients, const Plan& plan, Target& target)
      : workload_(workload), plan_(plan), target_(target) {
    result_.workload = workload.name;
    result_.target = target.name;
    result_.clients = clients;
    // The raw tables have one thread, which does the work of all clients.
    const int threads = target.raw ? 1 : clients;
    for (int number = 0; number < threads; ++number) {
      ClientArguments arguments{
          .raw = target.raw.get(), .scale = plan.scale, .number = number, .clients = clients};
      if (!target.raw) {
        connections_.emplace_back(mongoc_client_new(target.uri.c_str()));
        arguments.connection = connections_.back().get();
        if (arguments.connection == nullptr) {
          result_.error = "not a URI: " + target.uri;
          return;
        }
        mongoc_client_set_error_api(arguments.connection, MONGOC_ERROR_API_VERSION_2);
      }
      arguments_.push_back(arguments);
    }
  }

  bool ok() const { return result_.error.empty(); }

  void Prepare() {
    const bool ready = !workload_.dataset.empty() && target_.dataset == workload_.dataset;
    if (!ready) {
      target_.dataset.clear();
      const auto& prepare = target_.raw ? workload_.raw_prepare : workload_.prepare;
      Note(prepare(arguments_.front()));
      if (!ok()) return;
      target_.dataset = workload_.dataset;
    }
    if (!clients_.empty()) return;
    const auto& start = target_.raw ? workload_.raw_start : workload_.start;
    for (const ClientArguments& arguments : arguments_) clients_.push_back(start(arguments));
  }

  void WarmUp() {
    if (!workload_.once) Run(plan_.warmup_seconds, /*measured=*/false);
  }

  void Repeat() {
    if (workload_.once) {
      Prepare();
      if (ok()) Run(0, /*measured=*/true);
    } else {
      Run(plan_.seconds, /*measured=*/true);
    }
  }

  Result Finish() {
    const ProcessStats stats = ReadProcess(target_.pid);
    std::sort(result_.rates.begin(), result_.rates.end());
    result_.documents_per_second = seconds_ > 0 ? static_cast<double>(documents_) / seconds_ : 0;
    result_.p50 = Microseconds(0.5);
    result_.p95 = Microseconds(0.95);
    result_.p99 = Microseconds(0.99);
    result_.p999 = Microseconds(0.999);
    result_.max = static_cast<double>(latencies_.max()) / 1000;
    if (latencies_.count() > 0)
      result_.cpu_us = static_cast<double>(cpu_us_) / static_cast<double>(latencies_.count());
    if (seconds_ > 0) result_.cpu_share = static_cast<double>(cpu_us_) / seconds_ / 1e6;
    if (workload_.stored_bytes && ok() && !arguments_.empty()) {
      const absl::StatusOr<int64_t> bytes = workload_.stored_bytes(arguments_.front());
      Note(bytes.status());
      if (bytes.ok()) result_.stored_bytes = *bytes;
    }
    result_.rss_bytes = stats.rss_bytes;
    result_.rss_anon_bytes = stats.rss_anon_bytes;
    result_.disk_bytes = target_.folder.empty() ? 0 : FolderBytes(target_.folder);
    return result_;
  }

 private:
  struct Part {
    Histogram latencies;
    int64_t documents = 0;
    absl::Status status;
  };

  double Microseconds(double quantile) const {
    return static_cast<double>(latencies_.Quantile(quantile)) / 1000;
  }

  void Note(const absl::Status& status) {
    if (!status.ok() && result_.error.empty()) result_.error = std::string(base::MessageOf(status));
  }

  // One client's loop; with no seconds, a single operation.
  static void Loop(Client& client, std::barrier<>& start, const std::atomic<bool>& stop,
                   bool single, Part& part) {
    start.arrive_and_wait();
    do {
      const Clock::time_point begin = Clock::now();
      const absl::StatusOr<int64_t> documents = client.Operate();
      if (!documents.ok()) {
        part.status = documents.status();
        return;
      }
      part.latencies.Record(
          std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
      part.documents += *documents;
    } while (!single && !stop.load(std::memory_order_relaxed));
  }

  void Run(double seconds, bool measured) {
    if (!ok()) return;
    std::atomic<bool> stop{false};
    std::barrier<> start(static_cast<std::ptrdiff_t>(clients_.size()) + 1);
    std::vector<Part> parts(clients_.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < clients_.size(); ++i) {
      threads.emplace_back([&, i] { Loop(*clients_[i], start, stop, seconds == 0, parts[i]); });
    }
    const int64_t cpu_before = ReadProcess(target_.pid).cpu_us;
    const Clock::time_point begin = Clock::now();
    start.arrive_and_wait();
    if (seconds > 0) WaitFor(seconds);
    stop = true;
    for (std::thread& thread : threads) thread.join();
    const double elapsed = SecondsSince(begin);
    Histogram latencies;
    for (const Part& part : parts) {
      Note(part.status);
      latencies.Merge(part.latencies);
      if (measured) documents_ += part.documents;
    }
    if (!measured) return;
    cpu_us_ += ReadProcess(target_.pid).cpu_us - cpu_before;
    latencies_.Merge(latencies);
    seconds_ += elapsed;
    result_.rates.push_back(static_cast<double>(latencies.count()) / elapsed);
  }

  const Workload& workload_;
  const Plan& plan_;
  Target& target_;
  std::vector<Connection> connections_;
  std::vector<ClientArguments> arguments_;
  std::vector<std::unique_ptr<Client>> clients_;
  Histogram latencies_;
  int64_t documents_ = 0;
  int64_t cpu_us_ = 0;
  double seconds_ = 0;
  Result result_;
};

}  // namespace

std::vector<Result> RunWorkload(const Workload& workload, int clients, const Plan& plan,
                                std::vector<Target>& targets) {
  std::vector<std::unique_ptr<Lane>> lanes;
  for (Target& target : targets) {
    if (target.raw && !workload.raw_start) continue;
    lanes.push_back(std::make_unique<Lane>(workload, clients, plan, target));
  }
  for (const auto& lane : lanes) {
    if (lane->ok() && !workload.once) lane->Prepare();
    if (lane->ok()) lane->WarmUp();
  }
  for (int repetition = 0; repetition < plan.repetitions; ++repetition) {
    for (const auto& lane : lanes) {
      if (lane->ok()) lane->Repeat();
    }
  }
  std::vector<Result> results;
  for (const auto& lane : lanes) results.push_back(lane->Finish());
  return results;
}

}  // namespace mayfly::bench
