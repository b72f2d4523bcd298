#include "tests/perf/requests.h"

#include <array>
#include <cstring>
#include <string_view>

#include "bson/builder.h"

namespace mayfly::perf {
namespace {

// Documents in `items`: about 300 bytes, an index on `score`, which spreads them evenly.
constexpr int kItems = 2000;
// Documents in `tweets`, of 1.6 KB: all of them are one batch.
constexpr int kTweets = 500;
constexpr int kBulk = 100;

void AppendInt32(std::string& out, int32_t v) {
  char bytes[4];
  std::memcpy(bytes, &v, sizeof v);
  out.append(bytes, sizeof bytes);
}

enum class Kind { kRead, kWrite };

// A command in the making.
struct Draft {
  Draft(Kind kind_in, const char* command, const char* collection, int number_in)
      : kind(kind_in), name(command), number(number_in) {
    body.String(command, collection);
  }

  Kind kind;
  // With `number`, its number among those of its name, the transaction number of a write: each name
  // has a session of its own.
  std::string name;
  int number;
  bson::Builder body;
  // A document sequence, if there are any.
  std::string_view identifier = {};
  std::vector<bson::Document> documents = {};
};

// What a driver of a replica set adds to a command.
void AppendCommon(Draft& draft) {
  bson::Builder& body = draft.body;
  std::string session = draft.name;
  session.resize(16, '-');
  body.String("$db", "perf").OpenDocument("lsid").Binary("id", 4, session).Close();
  if (draft.kind == Kind::kWrite) body.Int64("txnNumber", draft.number);
  body.OpenDocument("$clusterTime").Timestamp("clusterTime", {1'700'000'000, 1});
  body.OpenDocument("signature").Binary("hash", 0, std::string(20, '\0'));
  body.Int64("keyId", 0).Close().Close();
  if (draft.kind == Kind::kRead)
    body.OpenDocument("$readPreference").String("mode", "primaryPreferred").Close();
}

std::string Message(Draft& draft) {
  AppendCommon(draft);
  std::string out(16, '\0');
  AppendInt32(out, 0);
  out.push_back(0);
  out += draft.body.Finish().bytes();
  if (!draft.documents.empty()) {
    out.push_back(1);
    const size_t start = out.size();
    AppendInt32(out, 0);
    out.append(draft.identifier).push_back('\0');
    for (const bson::Document& document : draft.documents) out += document.bytes();
    const auto size = static_cast<int32_t>(out.size() - start);
    std::memcpy(out.data() + start, &size, sizeof size);
  }
  const std::array<int32_t, 4> header = {static_cast<int32_t>(out.size()), draft.number, 0, 2013};
  std::memcpy(out.data(), header.data(), sizeof header);
  return out;
}

// A number that looks random and is the same in every run.
int64_t Mixed(int64_t i) {
  uint64_t v = static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15u;
  v ^= v >> 29;
  v *= 0xBF58476D1CE4E5B9u;
  return static_cast<int64_t>(v >> 2);
}

bson::ObjectId IdOf(int i) {
  bson::ObjectId id;
  for (int byte = 0; byte < 4; ++byte)
    id.bytes[11 - byte] = static_cast<uint8_t>(static_cast<uint32_t>(i) >> (8 * byte));
  return id;
}

// 275 bytes, as the small document of the drivers' benchmark.
bson::Document SmallDocument(int i) {
  bson::Builder b;
  b.ObjectId("_id", IdOf(i));
  for (const char* field : {"field1", "field2", "field3", "field4", "field5", "field6", "field7"}) {
    b.String(field, std::string_view("abcdefghijklmnopqrstuv").substr(0, 20));
  }
  b.String("field8", "miFjxcpE").Int32("number", i);
  return b.Finish();
}

bson::Document ItemDocument(int i) {
  bson::Builder b;
  b.Int64("_id", i).Int64("user", Mixed(i) & 0xFFFFF).Int32("score", i).Int32("n", 0);
  b.String("kind", std::string("kind") + static_cast<char>('a' + i % 16));
  b.String("name", std::string(40, static_cast<char>('a' + i % 26))).Bool("active", i % 2 == 0);
  b.Date("createdAt", 1'600'000'000'000 + i).String("text", std::string(120, 'x'));
  return b.Finish();
}

bson::Document TweetDocument(int i) {
  bson::Builder b;
  b.Int64("_id", i).String("text", std::string(140, 't'));
  b.OpenDocument("user").Int64("id", Mixed(i)).String("name", "somebody");
  b.String("description", std::string(160, 'd')).Int32("followers", i).Close();
  b.OpenArray("urls");
  for (int url = 0; url < 4; ++url) b.PushString(std::string(60, 'u'));
  b.Close().String("source", std::string(800, 's')).Bool("retweeted", false);
  return b.Finish();
}

// `number` is that of the message, `first` of its first document.
template <typename Make>
std::string Insert(const char* collection, int number, int first, int count, Make make) {
  Draft draft(Kind::kWrite, "insert", collection, number);
  draft.body.Bool("ordered", true);
  draft.identifier = "documents";
  for (int i = first; i < first + count; ++i) draft.documents.push_back(make(i));
  return Message(draft);
}

std::string Ping(int i) {
  Draft draft(Kind::kRead, "ping", "", i);
  return Message(draft);
}

std::string FindById(int i) {
  Draft draft(Kind::kRead, "find", "items", i);
  draft.body.OpenDocument("filter").Int64("_id", Mixed(i) % kItems).Close();
  draft.body.Int64("limit", 1).Bool("singleBatch", true);
  return Message(draft);
}

std::string InsertOne(int i) { return Insert("inserts", 1000 + i, i, 1, SmallDocument); }

std::string InsertMany(int i) {
  return Insert("inserts", 2000 + i, 1'000'000 + i * kBulk, kBulk, SmallDocument);
}

std::string InsertManyWithRule(int i) {
  return Insert("expiring", 3000 + i, i * kBulk, kBulk, SmallDocument);
}

std::string UpdateById(int i) {
  bson::Builder statement;
  statement.OpenDocument("q").Int64("_id", Mixed(i) % kItems).Close();
  statement.OpenDocument("u").OpenDocument("$inc").Int32("n", 1).Close().Close();
  Draft draft(Kind::kWrite, "update", "items", i);
  draft.body.Bool("ordered", true);
  draft.identifier = "updates";
  draft.documents.push_back(statement.Finish());
  return Message(draft);
}

std::string DeleteById(int i) {
  bson::Builder statement;
  statement.OpenDocument("q").ObjectId("_id", IdOf(i)).Close().Int32("limit", 1);
  Draft draft(Kind::kWrite, "delete", "inserts", i);
  draft.body.Bool("ordered", true);
  draft.identifier = "deletes";
  draft.documents.push_back(statement.Finish());
  return Message(draft);
}

void AppendScoreRange(bson::Builder& body, const char* field, int64_t from, int64_t count) {
  body.OpenDocument(field).OpenDocument("score").Int64("$gte", from).Int64("$lt", from + count);
  body.Close().Close();
}

std::string Range(int i) {
  Draft draft(Kind::kRead, "find", "items", i);
  AppendScoreRange(draft.body, "filter", Mixed(i) % (kItems - 100), 100);
  draft.body.OpenDocument("sort").Int32("score", 1).Close().Int64("limit", 100);
  return Message(draft);
}

std::string CountRange(int i) {
  Draft draft(Kind::kRead, "count", "items", i);
  AppendScoreRange(draft.body, "query", Mixed(i) % (kItems - 1000), 1000);
  return Message(draft);
}

std::string Group(int i) {
  Draft draft(Kind::kRead, "aggregate", "items", i);
  draft.body.OpenArray("pipeline").PushOpenDocument().OpenDocument("$group");
  draft.body.String("_id", "$kind").OpenDocument("total").String("$sum", "$user").Close();
  draft.body.Close().Close().Close().OpenDocument("cursor").Close();
  return Message(draft);
}

std::string FindMany(int i) {
  Draft draft(Kind::kRead, "find", "tweets", i);
  draft.body.OpenDocument("filter").Close().Int32("batchSize", kTweets + 1);
  return Message(draft);
}

}  // namespace

std::vector<std::string> PreparationMessages() {
  Draft index(Kind::kRead, "createIndexes", "items", 0);
  index.body.OpenArray("indexes").PushOpenDocument().OpenDocument("key").Int32("score", 1).Close();
  index.body.String("name", "score_1").Close().Close();
  Draft rule(Kind::kRead, "createIndexes", "expiring", 0);
  rule.body.OpenArray("indexes").PushOpenDocument().OpenDocument("key").Int32("_ts", 1).Close();
  rule.body.String("name", "rule").Int32("expireAfterSeconds", 3600).Close().Close();
  std::vector<std::string> messages = {Message(index), Message(rule)};
  int number = 0;
  for (int i = 0; i < kItems; i += kBulk)
    messages.push_back(Insert("items", ++number, i, kBulk, ItemDocument));
  for (int i = 0; i < kTweets; i += kBulk)
    messages.push_back(Insert("tweets", ++number, i, kBulk, TweetDocument));
  return messages;
}

std::vector<RequestRow> RequestRows() {
  return {{.name = "ping", .repetitions = 200, .make = Ping},
          {.name = "find_by_id", .repetitions = 200, .make = FindById},
          {.name = "insert_one", .repetitions = 200, .make = InsertOne},
          {.name = "insert_many_100", .repetitions = 5, .make = InsertMany},
          {.name = "insert_many_100_rule", .repetitions = 5, .make = InsertManyWithRule},
          {.name = "update_inc_by_id", .repetitions = 200, .make = UpdateById},
          {.name = "range_100", .repetitions = 20, .make = Range},
          {.name = "count_range_1000", .repetitions = 10, .make = CountRange},
          {.name = "group_2000", .repetitions = 5, .make = Group},
          {.name = "delete_by_id", .repetitions = 200, .make = DeleteById},
          {.name = "find_many_500", .repetitions = 5, .make = FindMany}};
}

}  // namespace mayfly::perf
