// Writes BSON into one growing buffer, lengths patched in afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "bson/value.h"
#include "bson/view.h"

namespace mayfly::bson {

// One document under construction, with nested documents and arrays opened and closed in order:
//
//   Builder b;
//   b.Int32("a", 1).OpenArray("xs").Push(v).Push(w).Close().String("s", "text");
//   Document d = b.Finish();
//
// Inside an array the keys "0", "1" ... are made by Push...(); inside a document every call takes
// the key. Keys must not contain NUL. Not thread-safe.
class Builder {
 public:
  Builder();
  // Appends to `*out`, which must outlive the builder; Finish() then must not be called, End()
  // must.
  explicit Builder(std::string* out);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  // A missing value is skipped.
  Builder& Append(std::string_view key, ValueView value);
  Builder& Append(const Element& element) { return Append(element.key, element.value); }
  // All elements of `document`, in order.
  Builder& AppendAll(View document);
  Builder& Double(std::string_view key, double v);
  Builder& String(std::string_view key, std::string_view v);
  Builder& Document(std::string_view key, View v);
  Builder& Array(std::string_view key, View v);
  Builder& Binary(std::string_view key, uint8_t subtype, std::string_view bytes);
  Builder& ObjectId(std::string_view key, const bson::ObjectId& v);
  Builder& Bool(std::string_view key, bool v);
  Builder& Date(std::string_view key, int64_t ms);
  Builder& Null(std::string_view key);
  Builder& Int32(std::string_view key, int32_t v);
  Builder& Int64(std::string_view key, int64_t v);
  Builder& Timestamp(std::string_view key, bson::Timestamp v);

  Builder& OpenDocument(std::string_view key);
  Builder& OpenArray(std::string_view key);
  // Ends the innermost open document or array.
  Builder& Close();

  // Into the innermost array. A missing value is stored as null.
  Builder& Push(ValueView value);
  Builder& PushInt32(int32_t v);
  Builder& PushInt64(int64_t v);
  Builder& PushString(std::string_view v);
  Builder& PushDocument(View v);
  Builder& PushOpenDocument();
  Builder& PushOpenArray();

  // Makes room for `bytes` in all, so that growing to that size copies nothing.
  void Reserve(size_t bytes) { out_->reserve(start_ + bytes); }

  // Bytes of the document so far, the end bytes of open levels not counted.
  size_t size() const { return out_->size() - start_; }

  // Ends the outermost document. All opened levels must be closed.
  void End();
  // Ends it and hands out the bytes; the builder is then empty and may be used again.
  bson::Document Finish();

 private:
  struct Level {
    size_t start;
    int32_t next_index;  // -1 in a document
  };

  // Adds an element with `size` bytes for its value and returns where they are.
  char* Room(Type type, std::string_view key, size_t size);
  // The same with the next key of the innermost array.
  char* IndexRoom(Type type, size_t size);
  Builder& Copy(Type type, std::string_view key, std::string_view bytes);
  template <typename T>
  Builder& Fixed(Type type, std::string_view key, const T& v);
  Builder& Open(Type type, std::string_view key);
  void Begin(bool is_array);

  std::string own_;
  std::string* out_;
  size_t start_;
  absl::InlinedVector<Level, 8> levels_;
};

// The BSON array of `values`, as bytes.
Document MakeArray(const std::vector<Value>& values);

}  // namespace mayfly::bson
