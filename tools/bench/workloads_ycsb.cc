// YCSB's core workloads A to F: 1 KB records, keys by a scrambled Zipf distribution (D: the latest
// are the likeliest).
#include <algorithm>
#include <cmath>

#include "tools/bench/mongo.h"

namespace mayfly::bench {
namespace {

constexpr int kScanMax = 100;
constexpr double kSkew = 0.99;

// Ranks 0 ... n-1 with YCSB's skew, by the method of Gray and others, "Quickly generating
// billion-record synthetic databases".
class Zipf {
 public:
  explicit Zipf(int64_t n) : n_(n) {
    for (int64_t i = 1; i <= n; ++i) zeta_ += std::pow(1.0 / static_cast<double>(i), kSkew);
    const double zeta_two = 1 + std::pow(0.5, kSkew);
    eta_ = (1 - std::pow(2.0 / static_cast<double>(n), 1 - kSkew)) / (1 - zeta_two / zeta_);
  }

  int64_t Next(std::mt19937_64& random) const {
    const double u = std::uniform_real_distribution<double>()(random);
    const double scaled = u * zeta_;
    if (scaled < 1) return 0;
    if (scaled < 1 + std::pow(0.5, kSkew)) return 1;
    const double rank = static_cast<double>(n_) * std::pow(eta_ * u - eta_ + 1, 1 / (1 - kSkew));
    return std::min(static_cast<int64_t>(rank), n_ - 1);
  }

 private:
  int64_t n_;
  double zeta_ = 0;
  double eta_ = 0;
};

// Shares of the operations in percent; what is left is reads.
struct Mix {
  int update = 0;
  int insert = 0;
  int scan = 0;
  int modify = 0;
  bool latest = false;
};

struct State {
  mongoc_client_t* connection;
  Collection collection;
  std::mt19937_64 random;
  std::shared_ptr<Zipf> zipf;
  int64_t records;
  int64_t next_id;
  Mix mix;
};

int64_t Key(State& state) {
  const int64_t rank = state.zipf->Next(state.random);
  if (state.mix.latest) return std::max<int64_t>(state.records - 1 - rank, 0);
  // Scrambled, so that likely keys are not neighbours.
  const uint64_t scrambled = static_cast<uint64_t>(rank) * 0x9E3779B97F4A7C15ULL;
  return static_cast<int64_t>((scrambled >> 20) % static_cast<uint64_t>(state.records));
}

absl::StatusOr<int64_t> Find(State& state, bool scan) {
  Document filter;
  Document options;
  const int64_t limit = scan ? 1 + static_cast<int64_t>(state.random() % kScanMax) : 1;
  if (scan) {
    bson_t from;
    bson_append_document_begin(filter.get(), "_id", 3, &from);
    bson_append_int64(&from, "$gte", 4, Key(state));
    bson_append_document_end(filter.get(), &from);
    Document sort = Json("{'_id': 1}");
    bson_append_document(options.get(), "sort", 4, sort.get());
  } else {
    bson_append_int64(filter.get(), "_id", 3, Key(state));
  }
  bson_append_int64(options.get(), "limit", 5, limit);
  bson_append_bool(options.get(), "singleBatch", 11, true);
  return Drain(mongoc_collection_find_with_opts(state.collection.get(), filter.get(), options.get(),
                                                nullptr));
}

absl::StatusOr<int64_t> Update(State& state) {
  Document filter;
  bson_append_int64(filter.get(), "_id", 3, Key(state));
  Document change;
  bson_t set;
  const std::string text = RandomText(state.random, 100);
  const std::string field = "field" + std::to_string(state.random() % 10);
  bson_append_document_begin(change.get(), "$set", 4, &set);
  bson_append_utf8(&set, field.c_str(), -1, text.data(), static_cast<int>(text.size()));
  bson_append_document_end(change.get(), &set);
  bson_error_t error;
  if (!mongoc_collection_update_one(state.collection.get(), filter.get(), change.get(), nullptr,
                                    nullptr, &error)) {
    return FromError(error, "update");
  }
  return 1;
}

absl::StatusOr<int64_t> Insert(State& state) {
  Document document = YcsbDocument(state.random, state.next_id);
  ++state.next_id;
  bson_error_t error;
  if (!mongoc_collection_insert_one(state.collection.get(), document.get(), nullptr, nullptr,
                                    &error)) {
    return FromError(error, "insert");
  }
  return 1;
}

absl::StatusOr<int64_t> Operate(State& state) {
  int choice = static_cast<int>(state.random() % 100);
  if ((choice -= state.mix.update) < 0) return Update(state);
  if ((choice -= state.mix.insert) < 0) return Insert(state);
  if ((choice -= state.mix.scan) < 0) return Find(state, true);
  if ((choice -= state.mix.modify) < 0) {
    MAYFLY_RETURN_IF_ERROR(Find(state, false).status());
    return Update(state);
  }
  return Find(state, false);
}

absl::Status Prepare(const ClientArguments& arguments) {
  return Fill(arguments.connection, "ycsb", "", arguments.scale.records, YcsbDocument);
}

std::function<std::unique_ptr<Client>(const ClientArguments&)> Start(Mix mix) {
  return [mix](const ClientArguments& arguments) {
    return MakeClient(State{.connection = arguments.connection,
                            .collection = GetCollection(arguments.connection, "ycsb"),
                            .random = std::mt19937_64(static_cast<uint64_t>(arguments.number) + 1),
                            .zipf = std::make_shared<Zipf>(arguments.scale.records),
                            .records = arguments.scale.records,
                            .next_id = (arguments.number + 1) * 1'000'000'000LL,
                            .mix = mix},
                      Operate);
  };
}

Workload Row(const char* name, const char* help, Mix mix) {
  return {
      .name = name, .help = help, .clients = {1, 8, 64}, .prepare = Prepare, .start = Start(mix)};
}

}  // namespace

std::vector<Workload> YcsbWorkloads() {
  return {
      Row("ycsb_a", "half reads, half updates", {.update = 50}),
      Row("ycsb_b", "95 % reads, 5 % updates", {.update = 5}),
      Row("ycsb_c", "reads only", {}),
      Row("ycsb_d", "95 % reads of the latest, 5 % inserts", {.insert = 5, .latest = true}),
      Row("ycsb_e", "95 % short scans by _id, 5 % inserts", {.insert = 5, .scan = 95}),
      Row("ycsb_f", "half reads, half reads followed by an update", {.modify = 50}),
  };
}

}  // namespace mayfly::bench
