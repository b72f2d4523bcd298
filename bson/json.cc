#include "bson/json.h"

#include <bson/bson.h>

#include <cstdio>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"

namespace mayfly::bson {
namespace {

// Where MongoDB cuts what it prints into an error text.
constexpr int kMaxTextDepth = 100;
constexpr size_t kMaxStringSize = 159;
constexpr size_t kCutStringSize = 150;
constexpr size_t kMaxCodeSize = 79;
constexpr size_t kMaxBinarySize = 80;
constexpr size_t kCutSize = 70;

std::string Hex(std::string_view bytes, const char* digits) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    text.push_back(digits[byte >> 4]);
    text.push_back(digits[byte & 15]);
  }
  return text;
}

constexpr char kLower[] = "0123456789abcdef";
constexpr char kUpper[] = "0123456789ABCDEF";

void PrintDocument(View document, bool is_array, int depth, std::string* out);

// Sixteen significant digits, and ".0" after what has neither a point nor a capital exponent.
void PrintDouble(double v, std::string* out) {
  char text[40];
  std::snprintf(text, sizeof text, "%.16g", v);
  const std::string_view view(text);
  out->append(view);
  if (view.find_first_of(".EN") == std::string_view::npos) out->append(".0");
}

void PrintCut(std::string_view text, size_t max, size_t cut, std::string* out) {
  const bool whole = text.size() <= max;
  out->append(whole ? text : text.substr(0, cut));
  if (!whole) out->append("...");
}

void PrintBinary(Binary binary, std::string* out) {
  if (binary.subtype == kBinaryUuid && binary.bytes.size() == 16) {
    std::string hex = Hex(binary.bytes, kLower);
    for (const size_t at : {20, 16, 12, 8}) hex.insert(at, "-");
    out->append("UUID(\"").append(hex).append("\")");
    return;
  }
  const bool whole = binary.bytes.size() <= kMaxBinarySize;
  out->append(base::StrCat("BinData(", static_cast<int>(binary.subtype), ", "));
  out->append(Hex(whole ? binary.bytes : binary.bytes.substr(0, kCutSize), kUpper));
  out->append(whole ? ")" : "...)");
}

void PrintObjectId(const ObjectId& id, std::string* out) { out->append(ToHex(id)); }

void PrintTimestamp(Timestamp t, std::string* out) {
  out->append(base::StrCat("Timestamp(", t.seconds, ", ", t.increment, ")"));
}

void PrintRegex(Regex regex, std::string* out) {
  out->append("/").append(regex.pattern).append("/").append(regex.options);
}

void PrintDbPointer(const DbPointer& pointer, std::string* out) {
  out->append("DBRef('").append(pointer.ns).append("',");
  PrintObjectId(pointer.id, out);
  out->append(")");
}

void PrintCodeWithScope(ValueView v, int depth, std::string* out) {
  out->append("CodeWScope( ").append(v.AsCodeWithScopeCode()).append(", ");
  PrintDocument(v.AsCodeWithScopeScope(), false, depth + 1, out);
  out->append(")");
}

void PrintString(std::string_view text, std::string* out) {
  out->push_back('"');
  PrintCut(text, kMaxStringSize, kCutStringSize, out);
  out->push_back('"');
}

void Print(ValueView v, int depth, std::string* out) {
  switch (v.type()) {
    case Type::kMissing:
      return void(out->append("EOO"));
    case Type::kDouble:
      return PrintDouble(v.AsDouble(), out);
    case Type::kString:
    case Type::kSymbol:
      return PrintString(v.AsString(), out);
    case Type::kDocument:
      return PrintDocument(v.AsDocument(), false, depth + 1, out);
    case Type::kArray:
      return PrintDocument(v.AsDocument(), true, depth + 1, out);
    case Type::kBinary:
      return PrintBinary(v.AsBinary(), out);
    case Type::kUndefined:
      return void(out->append("undefined"));
    case Type::kObjectId:
      out->append("ObjectId('");
      PrintObjectId(v.AsObjectId(), out);
      return void(out->append("')"));
    case Type::kBool:
      return void(out->append(v.AsBool() ? "true" : "false"));
    case Type::kDate:
      return void(out->append(base::StrCat("new Date(", v.AsDate(), ")")));
    case Type::kNull:
      return void(out->append("null"));
    case Type::kRegex:
      return PrintRegex(v.AsRegex(), out);
    case Type::kDbPointer:
      return PrintDbPointer(v.AsDbPointer(), out);
    case Type::kCode:
      return PrintCut(v.AsString(), kMaxCodeSize, kCutSize, out);
    case Type::kCodeWithScope:
      return PrintCodeWithScope(v, depth, out);
    case Type::kInt32:
      return void(out->append(std::to_string(v.AsInt32())));
    case Type::kTimestamp:
      return PrintTimestamp(v.AsTimestamp(), out);
    case Type::kInt64:
      return void(out->append(std::to_string(v.AsInt64())));
    case Type::kDecimal128:
      return void(out->append(DecimalToString(v.AsDecimal128())));
    case Type::kMaxKey:
      return void(out->append("MaxKey"));
    case Type::kMinKey:
      return void(out->append("MinKey"));
  }
}

void PrintDocument(View document, bool is_array, int depth, std::string* out) {
  if (depth > kMaxTextDepth) return void(out->append("..."));
  if (document.empty()) return void(out->append(is_array ? "[]" : "{}"));
  out->append(is_array ? "[ " : "{ ");
  bool first = true;
  for (const Element& e : document) {
    if (!first) out->append(", ");
    first = false;
    if (!is_array) out->append(e.key).append(": ");
    Print(e.value, depth, out);
  }
  out->append(is_array ? " ]" : " }");
}

using JsonFunction = char*(const bson_t*, size_t*);

// Falls back to shell notation for what has no JSON, which is text that is not UTF-8.
std::string ToJson(View document, JsonFunction* function) {
  bson_t holder;
  if (!bson_init_static(&holder, document.data(), document.size())) return ToShellText(document);
  size_t size = 0;
  char* text = function(&holder, &size);
  if (text == nullptr) return ToShellText(document);
  std::string result(text, size);
  bson_free(text);
  return result;
}

}  // namespace

absl::StatusOr<Document> ParseJson(std::string_view json) {
  bson_error_t error;
  bson_t* parsed = bson_new_from_json(reinterpret_cast<const uint8_t*>(json.data()),
                                      static_cast<ssize_t>(json.size()), &error);
  if (parsed == nullptr) return base::Error(base::ErrorCode::kFailedToParse, error.message);
  Document result(std::string(reinterpret_cast<const char*>(bson_get_data(parsed)), parsed->len));
  bson_destroy(parsed);
  return result;
}

std::string ToCanonicalJson(View document) {
  return ToJson(document, bson_as_canonical_extended_json);
}

std::string ToRelaxedJson(View document) { return ToJson(document, bson_as_relaxed_extended_json); }

std::string ToShellText(View document) {
  std::string text;
  PrintDocument(document, false, 0, &text);
  return text;
}

std::string ToShellText(ValueView value) {
  std::string text;
  Print(value, 0, &text);
  return text;
}

std::string ToHex(const ObjectId& id) {
  return Hex({reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}, kLower);
}

}  // namespace mayfly::bson
