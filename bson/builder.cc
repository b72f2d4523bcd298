#include "bson/builder.h"

#include <charconv>

namespace mayfly::bson {

namespace {

// What most documents need, so that they grow without copying.
constexpr size_t kInitialCapacity = 120;

}  // namespace

Builder::Builder() : out_(&own_), start_(0) {
  own_.reserve(kInitialCapacity);
  Begin(false);
}

Builder::Builder(std::string* out) : out_(out), start_(out->size()) { Begin(false); }

void Builder::Begin(bool is_array) {
  levels_.push_back({out_->size(), is_array ? 0 : -1});
  out_->append(4, '\0');
}

char* Builder::Room(Type type, std::string_view key, size_t size) {
  const size_t at = out_->size();
  out_->resize(at + key.size() + 2 + size);
  char* p = out_->data() + at;
  *p++ = static_cast<char>(type);
  if (!key.empty()) std::memcpy(p, key.data(), key.size());
  p += key.size();
  *p++ = '\0';
  return p;
}

char* Builder::IndexRoom(Type type, size_t size) {
  char digits[12];
  const auto end = std::to_chars(digits, digits + sizeof digits, levels_.back().next_index++).ptr;
  return Room(type, std::string_view(digits, end - digits), size);
}

template <typename T>
Builder& Builder::Fixed(Type type, std::string_view key, const T& v) {
  std::memcpy(Room(type, key, sizeof v), &v, sizeof v);
  return *this;
}

Builder& Builder::Copy(Type type, std::string_view key, std::string_view bytes) {
  char* p = Room(type, key, bytes.size());
  if (!bytes.empty()) std::memcpy(p, bytes.data(), bytes.size());
  return *this;
}

Builder& Builder::Append(std::string_view key, ValueView value) {
  return value.IsMissing() ? *this : Copy(value.type(), key, value.bytes());
}

Builder& Builder::AppendAll(View document) {
  const std::string_view bytes = document.bytes();
  out_->append(bytes.substr(4, bytes.size() - 5));
  return *this;
}

Builder& Builder::Double(std::string_view key, double v) { return Fixed(Type::kDouble, key, v); }

Builder& Builder::String(std::string_view key, std::string_view v) {
  char* p = Room(Type::kString, key, v.size() + 5);
  const auto size = static_cast<int32_t>(v.size() + 1);
  std::memcpy(p, &size, 4);
  if (!v.empty()) std::memcpy(p + 4, v.data(), v.size());
  return *this;
}

Builder& Builder::Document(std::string_view key, View v) {
  return Copy(Type::kDocument, key, v.bytes());
}

Builder& Builder::Array(std::string_view key, View v) { return Copy(Type::kArray, key, v.bytes()); }

Builder& Builder::Binary(std::string_view key, uint8_t subtype, std::string_view bytes) {
  return Append(key, Value::FromBinary(subtype, bytes));
}

Builder& Builder::ObjectId(std::string_view key, const bson::ObjectId& v) {
  return Fixed(Type::kObjectId, key, v.bytes);
}

Builder& Builder::Bool(std::string_view key, bool v) {
  return Fixed(Type::kBool, key, static_cast<uint8_t>(v));
}

Builder& Builder::Date(std::string_view key, int64_t ms) { return Fixed(Type::kDate, key, ms); }

Builder& Builder::Null(std::string_view key) { return Copy(Type::kNull, key, {}); }

Builder& Builder::Int32(std::string_view key, int32_t v) { return Fixed(Type::kInt32, key, v); }

Builder& Builder::Int64(std::string_view key, int64_t v) { return Fixed(Type::kInt64, key, v); }

Builder& Builder::Timestamp(std::string_view key, bson::Timestamp v) {
  return Fixed(Type::kTimestamp, key, (static_cast<uint64_t>(v.seconds) << 32) | v.increment);
}

Builder& Builder::Open(Type type, std::string_view key) {
  Room(type, key, 0);
  Begin(type == Type::kArray);
  return *this;
}

Builder& Builder::OpenDocument(std::string_view key) { return Open(Type::kDocument, key); }
Builder& Builder::OpenArray(std::string_view key) { return Open(Type::kArray, key); }

Builder& Builder::Close() {
  out_->push_back('\0');
  const Level level = levels_.back();
  levels_.pop_back();
  const auto size = static_cast<int32_t>(out_->size() - level.start);
  std::memcpy(out_->data() + level.start, &size, 4);
  return *this;
}

Builder& Builder::Push(ValueView value) {
  char* p = IndexRoom(value.IsMissing() ? Type::kNull : value.type(), value.size());
  if (value.size() > 0) std::memcpy(p, value.data(), value.size());
  return *this;
}

Builder& Builder::PushInt32(int32_t v) {
  std::memcpy(IndexRoom(Type::kInt32, sizeof v), &v, sizeof v);
  return *this;
}

Builder& Builder::PushInt64(int64_t v) {
  std::memcpy(IndexRoom(Type::kInt64, sizeof v), &v, sizeof v);
  return *this;
}

Builder& Builder::PushString(std::string_view v) { return Push(Value::String(v)); }

Builder& Builder::PushDocument(View v) {
  return Push(ValueView(Type::kDocument, v.data(), v.size()));
}

Builder& Builder::PushOpenDocument() {
  IndexRoom(Type::kDocument, 0);
  Begin(false);
  return *this;
}

Builder& Builder::PushOpenArray() {
  IndexRoom(Type::kArray, 0);
  Begin(true);
  return *this;
}

void Builder::End() { Close(); }

bson::Document Builder::Finish() {
  End();
  bson::Document result(std::move(own_));
  own_.clear();
  Begin(false);
  return result;
}

Document MakeArray(const std::vector<Value>& values) {
  Builder builder;
  builder.OpenArray("a");
  for (const Value& value : values) builder.Push(value);
  builder.Close();
  const Document holder = builder.Finish();
  return Document(holder.Find("a").AsDocument());
}

}  // namespace mayfly::bson
