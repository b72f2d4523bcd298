#include "tools/bench/purge/foreground.h"

#include <chrono>
#include <random>

#include "tools/bench/documents.h"
#include "tools/bench/mongo.h"

namespace mayfly::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kCollection[] = "foreground";
constexpr int64_t kRecords = 100'000;

// Of ten requests: six finds, two inserts, two updates.
Kind KindOf(uint64_t number) {
  if (number < 6) return Kind::kFind;
  return number < 8 ? Kind::kInsert : Kind::kUpdate;
}

class Requests {
 public:
  Requests(const std::string& uri, int number)
      : connection_(mongoc_client_new(uri.c_str())),
        collection_(GetCollection(connection_, kCollection)),
        random_(static_cast<uint64_t>(number) + 1),
        next_id_((static_cast<int64_t>(number) + 1) << 40 |
                 (Clock::now().time_since_epoch().count() & 0xFF'FFFF'FFFF)) {}
  ~Requests() {
    collection_.reset();
    mongoc_client_destroy(connection_);
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  Kind Choose() { return KindOf(random_() % 10); }

  absl::Status Run(Kind kind) {
    switch (kind) {
      case Kind::kFind:
        return Find();
      case Kind::kInsert:
        return Insert();
      case Kind::kUpdate:
        return Update();
    }
    return absl::OkStatus();
  }

 private:
  Document AnyId() {
    Document filter;
    bson_append_int64(filter.get(), "_id", -1, static_cast<int64_t>(random_() % kRecords));
    return filter;
  }

  absl::Status Find() {
    const Document filter = AnyId();
    return Drain(
               mongoc_collection_find_with_opts(collection_.get(), filter.get(), nullptr, nullptr))
        .status();
  }

  absl::Status Insert() {
    const Document document = ItemDocument(random_, next_id_++);
    bson_error_t error;
    return mongoc_collection_insert_one(collection_.get(), document.get(), nullptr, nullptr, &error)
               ? absl::OkStatus()
               : FromError(error, "insert");
  }

  absl::Status Update() {
    const Document filter = AnyId();
    const Document change = Json("{'$inc': {'kind': 1}}");
    bson_error_t error;
    return mongoc_collection_update_one(collection_.get(), filter.get(), change.get(), nullptr,
                                        nullptr, &error)
               ? absl::OkStatus()
               : FromError(error, "update");
  }

  mongoc_client_t* connection_;
  Collection collection_;
  std::mt19937_64 random_;
  int64_t next_id_;
};

}  // namespace

struct Foreground::Part {
  int number = 0;
  ForegroundResult result;
  absl::Status status;
};

void ForegroundResult::Merge(const ForegroundResult& other) {
  for (size_t i = 0; i < latencies.size(); ++i) latencies[i].Merge(other.latencies[i]);
  requests += other.requests;
  seconds += other.seconds;
}

absl::Status PrepareForeground(const std::string& uri) {
  mongoc_client_t* connection = mongoc_client_new(uri.c_str());
  const absl::Status status = Fill(connection, kCollection, "", kRecords, ItemDocument);
  mongoc_client_destroy(connection);
  return status;
}

Foreground::Foreground(const ForegroundPlan& plan) : plan_(plan) {
  for (int i = 0; i < plan_.clients; ++i) {
    parts_.push_back(std::make_unique<Part>(Part{.number = i}));
    threads_.emplace_back([this, i] { Loop(*parts_[i]); });
  }
}

Foreground::~Foreground() {
  stop_ = true;
  pacer_.End();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void Foreground::Record(bool on) { recording_ = on; }

void Foreground::Loop(Part& part) {
  Requests requests(plan_.uri, part.number);
  const bool paced = plan_.rate > 0;
  const auto gap =
      std::chrono::nanoseconds(paced ? static_cast<int64_t>(1e9 * plan_.clients / plan_.rate) : 0);
  Clock::time_point due = Clock::now() + gap * part.number / plan_.clients;
  while (!stop_) {
    if (paced) {
      if (!pacer_.WaitUntil(due)) break;
    } else {
      due = Clock::now();
    }
    const bool counts = recording_;
    const Kind kind = requests.Choose();
    part.status = requests.Run(kind);
    if (!part.status.ok()) return;
    if (counts) {
      part.result.latencies[static_cast<size_t>(kind)].Record(
          std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - due).count());
      ++part.result.requests;
    }
    due += gap;
  }
}

absl::StatusOr<ForegroundResult> Foreground::Stop() {
  stop_ = true;
  pacer_.End();
  for (std::thread& thread : threads_) thread.join();
  ForegroundResult result;
  for (const auto& part : parts_) {
    MAYFLY_RETURN_IF_ERROR(part->status);
    result.Merge(part->result);
  }
  return result;
}

absl::StatusOr<double> MeasurePeak(const std::string& uri, int clients, double seconds) {
  Foreground foreground({.uri = uri, .clients = clients});
  Pacer pacer;
  pacer.WaitFor(std::chrono::duration<double>(seconds / 4));
  foreground.Record(true);
  pacer.WaitFor(std::chrono::duration<double>(seconds));
  foreground.Record(false);
  MAYFLY_ASSIGN_OR_RETURN(const ForegroundResult result, foreground.Stop());
  return static_cast<double>(result.requests) / seconds;
}

}  // namespace mayfly::bench
