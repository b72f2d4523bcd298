#include "tests/support/shell_notation.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"

namespace mayfly::test {
namespace {

constexpr int kMaxDepth = 400;

constexpr std::string_view kWrappers[] = {
    "$oid",           "$numberInt",
    "$numberLong",    "$numberDouble",
    "$numberDecimal", "$date",
    "$timestamp",     "$binary",
    "$uuid",          "$minKey",
    "$maxKey",        "$undefined",
    "$symbol",        "$regularExpression",
    "$code",          "$dbPointer",
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<bson::Document> Whole() {
    MAYFLY_ASSIGN_OR_RETURN(const bson::Value value, Any(0));
    SkipSpace();
    if (at_ != text_.size() || !value.view().IsDocument()) return Fail("expected one document");
    return bson::Document(value.view().AsDocument());
  }

 private:
  absl::Status Fail(std::string_view what) const {
    return base::Error(
        base::ErrorCode::kFailedToParse,
        base::StrCat(what, " at '", text_.substr(at_, 30), "' in ", text_.substr(0, 200)));
  }

  void SkipSpace() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool Take(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  char Peek() {
    SkipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  absl::StatusOr<bson::Value> Any(int depth) {
    if (depth > kMaxDepth) return Fail("nested too deeply");
    switch (Peek()) {
      case '{':
        return Object(depth);
      case '[':
        return Array(depth);
      case '"':
      case '\'': {
        MAYFLY_ASSIGN_OR_RETURN(const std::string text, String());
        return bson::Value::String(text);
      }
      default:
        return Word();
    }
  }

  absl::StatusOr<bson::Value> Object(int depth) {
    Take('{');
    bson::Builder builder;
    bool is_wrapper = false;
    for (bool first = true; !Take('}'); first = false) {
      if (!first && !Take(',')) return Fail("expected , or }");
      MAYFLY_ASSIGN_OR_RETURN(const std::string key, Key());
      if (!Take(':')) return Fail("expected :");
      if (first)
        is_wrapper =
            std::find(std::begin(kWrappers), std::end(kWrappers), key) != std::end(kWrappers);
      MAYFLY_ASSIGN_OR_RETURN(const bson::Value value, Any(depth + 1));
      builder.Append(key, value);
    }
    const bson::Document object = builder.Finish();
    if (!is_wrapper) return bson::Value::FromDocument(object);
    MAYFLY_ASSIGN_OR_RETURN(
        const bson::Document unwrapped,
        bson::ParseJson(base::StrCat("{\"v\": ", bson::ToRelaxedJson(object), "}")));
    return bson::Value(unwrapped.Find("v"));
  }

  absl::StatusOr<bson::Value> Array(int depth) {
    Take('[');
    bson::Builder builder;
    builder.OpenArray("a");
    for (bool first = true; !Take(']'); first = false) {
      if (!first && !Take(',')) return Fail("expected , or ]");
      MAYFLY_ASSIGN_OR_RETURN(const bson::Value value, Any(depth + 1));
      builder.Push(value);
    }
    builder.Close();
    return bson::Value(builder.Finish().Find("a"));
  }

  absl::StatusOr<std::string> Key() {
    if (Peek() == '"' || Peek() == '\'') return String();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '.' || text_[at_] == '$')) {
      ++at_;
    }
    if (at_ == start) return Fail("expected a key");
    return std::string(text_.substr(start, at_ - start));
  }

  // A string with escapes goes to the JSON parser, which knows them.
  absl::StatusOr<std::string> String() {
    const char quote = text_[at_];
    const size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return Fail("string without end");
    const std::string_view inner = text_.substr(start, at_++ - start);
    if (inner.find('\\') == std::string_view::npos) return std::string(inner);
    std::string json = "{\"v\": \"";
    for (size_t i = 0; i < inner.size(); ++i) {
      if (inner[i] == '\\' && inner[i + 1] == '\'') continue;
      if (inner[i] == '"' && (i == 0 || inner[i - 1] != '\\')) json += '\\';
      json += inner[i];
    }
    MAYFLY_ASSIGN_OR_RETURN(const bson::Document holder, bson::ParseJson(json + "\"}"));
    return std::string(holder.Find("v").AsString());
  }

  absl::StatusOr<bson::Value> Word() {
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.')) {
      ++at_;
    }
    const std::string_view word = text_.substr(start, at_ - start);
    if (word == "true" || word == "false") return bson::Value::Bool(word == "true");
    if (word == "null") return bson::Value::Null();
    const char* end = word.data() + word.size();
    if (word.find_first_of(".eE") == std::string_view::npos) {
      int64_t integer = 0;
      const auto [stop, error] = std::from_chars(word.data(), end, integer);
      if (error == std::errc() && stop == end && !word.empty())
        return bson::Value::IntFitting(integer);
    }
    double number = 0;
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    if (error != std::errc() || stop != end || word.empty()) return Fail("expected a value");
    return bson::Value::Double(number);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<bson::Document> ParseShell(std::string_view text) { return Parser(text).Whole(); }

}  // namespace mayfly::test
