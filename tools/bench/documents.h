// The documents of the workloads, in their public sizes, made from a number so that every target
// gets the same ones.
#pragma once

#include <bson/bson.h>

#include <cstdint>
#include <random>
#include <string>

namespace mayfly::bench {

// Owns one BSON document.
class Document {
 public:
  Document() : bson_(bson_new()) {}
  // Takes over a document of the library's.
  explicit Document(bson_t* owned) : bson_(owned) {}
  ~Document() { bson_destroy(bson_); }
  Document(Document&& other) noexcept : bson_(other.bson_) { other.bson_ = nullptr; }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  Document& operator=(Document&&) = delete;

  bson_t* get() { return bson_; }
  const bson_t* get() const { return bson_; }

 private:
  bson_t* bson_;
};

// A text of `size` letters and digits.
std::string RandomText(std::mt19937_64& random, size_t size);

// 275 bytes, with `id` as an int64 _id when it is not negative: the drivers' benchmark's small
// document.
Document SmallDocument(std::mt19937_64& random, int64_t id);
// 1.6 KB with nested documents and arrays, shaped like a message of a social network.
Document TweetDocument(std::mt19937_64& random, int64_t id);
// 300 bytes with the fields that queries look at: user and score (random), kind (id modulo 100),
// createdAt (grows).
Document ItemDocument(std::mt19937_64& random, int64_t id);
// 1 KB: ten fields of 100 bytes, as YCSB has them.
Document YcsbDocument(std::mt19937_64& random, int64_t id);

}  // namespace mayfly::bench
