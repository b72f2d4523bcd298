#include "tools/bench/documents.h"

namespace mayfly::bench {
namespace {

void AppendId(bson_t* document, int64_t id) {
  if (id >= 0) bson_append_int64(document, "_id", 3, id);
}

void AppendText(bson_t* document, const char* name, const std::string& text) {
  bson_append_utf8(document, name, -1, text.data(), static_cast<int>(text.size()));
}

}  // namespace

std::string RandomText(std::mt19937_64& random, size_t size) {
  static constexpr char kLetters[] =
      "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ+-";
  std::string text(size, ' ');
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i) {
    if (i % 10 == 0) bits = random();
    text[i] = kLetters[bits & 63];
    bits >>= 6;
  }
  return text;
}

Document SmallDocument(std::mt19937_64& random, int64_t id) {
  Document document;
  AppendId(document.get(), id);
  // 13 fields of 7 or 8 letters each.
  for (int i = 0; i < 13; ++i) {
    AppendText(document.get(), RandomText(random, 5).c_str(),
               RandomText(random, i == 0  ? 11
                                  : i % 2 ? 7
                                          : 8));
  }
  return document;
}

Document TweetDocument(std::mt19937_64& random, int64_t id) {
  Document document;
  AppendId(document.get(), id);
  AppendText(document.get(), "text", RandomText(random, 140));
  bson_append_date_time(document.get(), "created_at", -1, 1'700'000'000'000 + id);
  bson_append_int32(document.get(), "retweet_count", -1, static_cast<int32_t>(random() % 1000));
  bson_append_bool(document.get(), "favorited", -1, (random() & 1) != 0);
  bson_t user;
  bson_append_document_begin(document.get(), "user", -1, &user);
  for (const char* name : {"name", "screen_name", "location", "url", "time_zone", "lang"}) {
    AppendText(&user, name, RandomText(random, 24));
  }
  AppendText(&user, "description", RandomText(random, 160));
  AppendText(&user, "profile_image_url", RandomText(random, 96));
  bson_append_int32(&user, "followers_count", -1, static_cast<int32_t>(random() % 100'000));
  bson_append_document_end(document.get(), &user);
  bson_t mentions;
  bson_append_array_begin(document.get(), "mentions", -1, &mentions);
  for (int i = 0; i < 5; ++i) {
    const std::string key = std::to_string(i);
    bson_t mention;
    bson_append_document_begin(&mentions, key.c_str(), -1, &mention);
    AppendText(&mention, "name", RandomText(random, 60));
    AppendText(&mention, "id_str", RandomText(random, 40));
    bson_append_int64(&mention, "id", -1, static_cast<int64_t>(random() >> 1));
    bson_append_document_end(&mentions, &mention);
  }
  bson_append_array_end(document.get(), &mentions);
  AppendText(document.get(), "source", RandomText(random, 88));
  return document;
}

Document ItemDocument(std::mt19937_64& random, int64_t id) {
  Document document;
  AppendId(document.get(), id);
  bson_append_int64(document.get(), "user", -1, static_cast<int64_t>(random() % 1'000'000));
  bson_append_int64(document.get(), "score", -1, static_cast<int64_t>(random() >> 2));
  bson_append_int32(document.get(), "kind", -1, static_cast<int32_t>(id % 100));
  bson_append_int32(document.get(), "n", -1, 0);
  bson_append_date_time(document.get(), "createdAt", -1, 1'700'000'000'000 + id);
  AppendText(document.get(), "name", RandomText(random, 20));
  AppendText(document.get(), "text", RandomText(random, 175));
  return document;
}

Document YcsbDocument(std::mt19937_64& random, int64_t id) {
  Document document;
  AppendId(document.get(), id);
  for (int i = 0; i < 10; ++i) {
    AppendText(document.get(), ("field" + std::to_string(i)).c_str(), RandomText(random, 100));
  }
  return document;
}

}  // namespace mayfly::bench
