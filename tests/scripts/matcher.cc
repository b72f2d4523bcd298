#include "tests/scripts/matcher.h"

#include <vector>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/compare.h"
#include "bson/json.h"
#include "tests/support/shell_notation.h"

namespace mayfly::test {
namespace {

using bson::Element;
using bson::ValueView;
using bson::View;

std::string Text(ValueView value) {
  return value.IsMissing() ? std::string("nothing") : bson::ToShellText(value);
}

class Comparison {
 public:
  Comparison(bool exact, SavedValues* saved) : exact_(exact), saved_(saved) {}

  // Empty, or where and how they differ.
  std::string Value(const std::string& path, ValueView expected, ValueView actual) {
    if (expected.IsDocument()) {
      const Element first = expected.AsDocument().First();
      if (first.key == "$absent") return actual.IsMissing() ? "" : Differ(path, "no field", actual);
      if (actual.IsMissing()) return Differ(path, Text(expected), actual);
      if (first.key == "$any") return "";
      if (first.key == "$save") {
        saved_->insert_or_assign(std::string(first.value.AsString()), bson::Value(actual));
        return "";
      }
      if (first.key == "$saved") {
        const auto kept = saved_->find(std::string(first.value.AsString()));
        if (kept == saved_->end()) return Differ(path, "a value that was saved", actual);
        return Value(path, kept->second, actual);
      }
    }
    if (expected.IsContainer() && expected.type() == actual.type()) {
      return Fields(path, expected.AsDocument(), actual.AsDocument());
    }
    const bool same =
        exact_ ? bson::IdenticalBytes(expected, actual) : bson::Equal(expected, actual);
    return same && !actual.IsMissing() ? "" : Differ(path, Text(expected), actual);
  }

 private:
  // The same fields in the same order; after $etc there may be more, and order does not matter.
  std::string Fields(const std::string& path, View expected, View actual) {
    if (expected.Has("$etc")) return SomeFields(path, expected, actual);
    auto there = actual.begin();
    for (const Element& field : expected) {
      const std::string inner = base::StrCat(path, ".", field.key);
      if (there == actual.end()) return Differ(inner, Text(field.value), ValueView());
      if (there->key != field.key) {
        return base::StrCat(path, ": expected the field ", field.key, ", got ", there->key);
      }
      std::string difference = Value(inner, field.value, there->value);
      if (!difference.empty()) return difference;
      ++there;
    }
    if (there == actual.end()) return "";
    return base::StrCat(path, ".", there->key, ": not expected, got ", Text(there->value));
  }

  std::string SomeFields(const std::string& path, View expected, View actual) {
    for (const Element& field : expected) {
      if (field.key == "$etc") continue;
      std::string difference =
          Value(base::StrCat(path, ".", field.key), field.value, actual.Find(field.key));
      if (!difference.empty()) return difference;
    }
    return "";
  }

  static std::string Differ(const std::string& path, std::string_view expected, ValueView actual) {
    return base::StrCat(path, ": expected ", expected, ", got ", Text(actual));
  }

  bool exact_;
  SavedValues* saved_;
};

bool IsOk(View reply) {
  const ValueView ok = reply.Find("ok");
  return ok.IsNumber() && bson::Equal(ok, bson::Value::Int32(1));
}

std::string CompareFields(const Step& step, View expected, View reply, SavedValues* saved) {
  if (!expected.Has("ok") && !IsOk(reply)) {
    return base::StrCat("expected ok, got ", bson::ToShellText(reply));
  }
  Comparison comparison(step.reply_kind == ReplyKind::kExact, saved);
  for (const Element& field : expected) {
    std::string difference =
        comparison.Value(std::string(field.key), field.value, reply.Find(field.key));
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string CompareBatch(View expected, View reply, SavedValues* saved) {
  const ValueView cursor = reply.Find("cursor");
  if (!cursor.IsDocument()) {
    return base::StrCat("expected a cursor, got ", bson::ToShellText(reply));
  }
  const View fields = cursor.AsDocument();
  const bool first = fields.Has("firstBatch");
  return Comparison(false, saved)
      .Value("batch", expected.Find("batch"), fields.Find(first ? "firstBatch" : "nextBatch"));
}

std::string CompareError(const Step& step, View reply) {
  const std::string got = bson::ToShellText(reply);
  if (IsOk(reply) || !bson::Equal(reply.Find("code"), bson::Value::Int32(step.code))) {
    return base::StrCat("expected error ", step.code, ", got ", got);
  }
  const ValueView name = reply.Find("codeName");
  if (!step.code_name.empty() && !(name.IsString() && name.AsString() == step.code_name)) {
    return base::StrCat("expected codeName ", step.code_name, ", got ", got);
  }
  const ValueView text = reply.Find("errmsg");
  if (!text.IsString() || text.AsString().find(step.text) == std::string_view::npos) {
    return base::StrCat("expected a text with '", step.text, "', got ", got);
  }
  return "";
}

absl::Status SubstituteInto(View document, const SavedValues& saved, int depth,
                            bson::Builder* builder, bool in_array) {
  if (depth > base::kMaxNestingDepth) {
    return base::Error(base::ErrorCode::kOverflow, "nested too deep");
  }
  for (const auto& [key, value] : document) {
    if (!value.IsContainer()) {
      in_array ? builder->Push(value) : builder->Append(key, value);
      continue;
    }
    const Element first = value.AsDocument().First();
    if (first.key == "$saved") {
      const auto found = saved.find(first.value.AsString());
      if (found == saved.end()) {
        return base::Error(base::ErrorCode::kNoSuchKey, "nothing was saved under that name");
      }
      in_array ? builder->Push(found->second) : builder->Append(key, found->second);
      continue;
    }
    if (value.IsArray()) {
      in_array ? builder->PushOpenArray() : builder->OpenArray(key);
    } else {
      in_array ? builder->PushOpenDocument() : builder->OpenDocument(key);
    }
    MAYFLY_RETURN_IF_ERROR(
        SubstituteInto(value.AsDocument(), saved, depth + 1, builder, value.IsArray()));
    builder->Close();
  }
  return absl::OkStatus();
}

}  // namespace

std::string Mismatch(const Step& step, View reply, SavedValues* saved) {
  if (step.reply_kind == ReplyKind::kError) return CompareError(step, reply);
  const bool documents = step.reply_kind == ReplyKind::kDocuments;
  const absl::StatusOr<bson::Document> expected =
      ParseShell(documents ? base::StrCat("{batch: ", step.reply, "}") : step.reply);
  if (!expected.ok()) {
    return base::StrCat("the expected reply: ", base::MessageOf(expected.status()));
  }
  if (documents) return CompareBatch(*expected, reply, saved);
  return CompareFields(step, *expected, reply, saved);
}

absl::StatusOr<bson::Document> Substitute(View command, const SavedValues& saved) {
  bson::Builder builder;
  MAYFLY_RETURN_IF_ERROR(SubstituteInto(command, saved, 0, &builder, /*in_array=*/false));
  return builder.Finish();
}

}  // namespace mayfly::test
