#include "bson/builder.h"

#include <charconv>

namespace mayfly::bson {

Builder::Builder() : out_(&own_), start_(0) { Begin(false); }

Builder::Builder(std::string* out) : out_(out), start_(out->size()) { Begin(false); }

void Builder::Begin(bool is_array) {
  levels_.push_back({out_->size(), is_array ? 0 : -1});
  out_->append(4, '\0');
}

template <typename T>
void Builder::Raw(const T& v) {
  out_->append(reinterpret_cast<const char*>(&v), sizeof v);
}

void Builder::Key(Type type, std::string_view key) {
  out_->push_back(static_cast<char>(type));
  out_->append(key);
  out_->push_back('\0');
}

void Builder::IndexKey(Type type) {
  char digits[12];
  const auto end = std::to_chars(digits, digits + sizeof digits, levels_.back().next_index++).ptr;
  Key(type, std::string_view(digits, end - digits));
}

Builder& Builder::Append(std::string_view key, ValueView value) {
  if (value.IsMissing()) return *this;
  Key(value.type(), key);
  out_->append(value.bytes());
  return *this;
}

Builder& Builder::AppendAll(View document) {
  const std::string_view bytes = document.bytes();
  out_->append(bytes.substr(4, bytes.size() - 5));
  return *this;
}

Builder& Builder::Double(std::string_view key, double v) {
  Key(Type::kDouble, key);
  Raw(v);
  return *this;
}

Builder& Builder::String(std::string_view key, std::string_view v) {
  Key(Type::kString, key);
  Raw(static_cast<int32_t>(v.size() + 1));
  out_->append(v);
  out_->push_back('\0');
  return *this;
}

Builder& Builder::Document(std::string_view key, View v) {
  Key(Type::kDocument, key);
  out_->append(v.bytes());
  return *this;
}

Builder& Builder::Array(std::string_view key, View v) {
  Key(Type::kArray, key);
  out_->append(v.bytes());
  return *this;
}

Builder& Builder::Binary(std::string_view key, uint8_t subtype, std::string_view bytes) {
  return Append(key, Value::FromBinary(subtype, bytes));
}

Builder& Builder::ObjectId(std::string_view key, const bson::ObjectId& v) {
  Key(Type::kObjectId, key);
  Raw(v.bytes);
  return *this;
}

Builder& Builder::Bool(std::string_view key, bool v) {
  Key(Type::kBool, key);
  out_->push_back(v ? 1 : 0);
  return *this;
}

Builder& Builder::Date(std::string_view key, int64_t ms) {
  Key(Type::kDate, key);
  Raw(ms);
  return *this;
}

Builder& Builder::Null(std::string_view key) {
  Key(Type::kNull, key);
  return *this;
}

Builder& Builder::Int32(std::string_view key, int32_t v) {
  Key(Type::kInt32, key);
  Raw(v);
  return *this;
}

Builder& Builder::Int64(std::string_view key, int64_t v) {
  Key(Type::kInt64, key);
  Raw(v);
  return *this;
}

Builder& Builder::Timestamp(std::string_view key, bson::Timestamp v) {
  return Append(key, Value::FromTimestamp(v));
}

Builder& Builder::Open(Type type, std::string_view key) {
  Key(type, key);
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
  IndexKey(value.IsMissing() ? Type::kNull : value.type());
  out_->append(value.bytes());
  return *this;
}

Builder& Builder::PushInt32(int32_t v) {
  IndexKey(Type::kInt32);
  Raw(v);
  return *this;
}

Builder& Builder::PushInt64(int64_t v) {
  IndexKey(Type::kInt64);
  Raw(v);
  return *this;
}

Builder& Builder::PushString(std::string_view v) { return Push(Value::String(v)); }

Builder& Builder::PushDocument(View v) {
  IndexKey(Type::kDocument);
  out_->append(v.bytes());
  return *this;
}

Builder& Builder::PushOpenDocument() {
  IndexKey(Type::kDocument);
  Begin(false);
  return *this;
}

Builder& Builder::PushOpenArray() {
  IndexKey(Type::kArray);
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
