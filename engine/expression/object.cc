// Documents: $mergeObjects, $objectToArray, $arrayToObject.
#include "engine/expression/object.h"

#include <map>

#include "absl/container/flat_hash_map.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {

void FieldMerger::Set(std::string_view name, bson::ValueView value) {
  auto [found, inserted] = index_.emplace(base::ToAbsl(name), fields_.size());
  if (inserted) {
    fields_.emplace_back(std::string(name), bson::Value(value));
  } else {
    fields_[found->second].second = bson::Value(value);
  }
}

bson::Value FieldMerger::Finish() const {
  bson::Builder out;
  for (const auto& [name, value] : fields_) out.Append(name, value);
  return bson::Value::FromDocument(out.Finish());
}

namespace {

using bson::Value;
using bson::ValueView;

absl::StatusOr<Value> MergeObjects(Arguments a, const Call&) {
  FieldMerger merger;
  // With one operand that is an array its elements are the inputs.
  const bool one_array = a.size() == 1 && a[0].IsArray();
  const std::vector<ValueView> inputs =
      one_array ? Elements(a[0]) : std::vector<ValueView>(a.begin(), a.end());
  for (ValueView document : inputs) {
    if (document.IsNullish()) continue;
    if (!document.IsDocument()) {
      return base::Error(40400, base::StrCat("$mergeObjects requires object inputs, but input ",
                                             ValueText(document), " is of type ",
                                             bson::TypeName(document.type())));
    }
    for (const bson::Element& element : document.AsDocument())
      merger.Set(element.key, element.value);
  }
  return merger.Finish();
}

absl::StatusOr<Value> ObjectToArray(Arguments a, const Call&) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsDocument()) {
    return base::Error(40390, base::StrCat("$objectToArray requires an object input, found: ",
                                           bson::TypeName(a[0].type())));
  }
  ArrayBuilder out;
  for (const bson::Element& element : a[0].AsDocument()) {
    out.builder().PushOpenDocument().String("k", element.key).Append("v", element.value).Close();
  }
  return out.Finish();
}

absl::Status CheckKey(ValueView key, int type_code, int nul_code) {
  if (!key.IsString()) {
    return base::Error(type_code,
                       base::StrCat("$arrayToObject requires keys of type string, found type: ",
                                    bson::TypeName(key.type())));
  }
  if (key.AsString().find('\0') != std::string_view::npos) {
    return base::Error(nul_code, "Key field cannot contain an embedded null byte");
  }
  return absl::OkStatus();
}

// [key, value].
absl::Status MergePair(ValueView pair, FieldMerger* out) {
  if (!pair.IsArray()) {
    return base::Error(
        40396,
        base::StrCat("$arrayToObject requires a consistent input format. Elements must all be "
                     "arrays or all be objects. Array was detected, now found: ",
                     bson::TypeName(pair.type())));
  }
  std::vector<ValueView> parts = Elements(pair);
  if (parts.size() != 2) {
    return base::Error(
        40397,
        base::StrCat("$arrayToObject requires an array of size 2 arrays,found array of size: ",
                     parts.size()));
  }
  MAYFLY_RETURN_IF_ERROR(CheckKey(parts[0], 40395, 4940400));
  out->Set(parts[0].AsString(), parts[1]);
  return absl::OkStatus();
}

// {k: key, v: value}.
absl::Status MergeKeyValue(ValueView item, FieldMerger* out) {
  if (!item.IsDocument()) {
    return base::Error(
        40391,
        base::StrCat("$arrayToObject requires a consistent input format. Elements must all be "
                     "arrays or all be objects. Object was detected, now found: ",
                     bson::TypeName(item.type())));
  }
  const int count = item.AsDocument().Count();
  if (count != 2) {
    return base::Error(
        40392,
        base::StrCat("$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect "
                     "number of keys:",
                     count));
  }
  ValueView key = item.AsDocument().Find("k"), value = item.AsDocument().Find("v");
  if (key.IsMissing() || value.IsMissing()) {
    return base::Error(40393, "$arrayToObject requires an object with keys 'k' and 'v'.");
  }
  MAYFLY_RETURN_IF_ERROR(CheckKey(key, 40394, 4940401));
  out->Set(key.AsString(), value);
  return absl::OkStatus();
}

absl::StatusOr<Value> ArrayToObject(Arguments a, const Call&) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsArray()) {
    return base::Error(40386, base::StrCat("$arrayToObject requires an array input, found: ",
                                           bson::TypeName(a[0].type())));
  }
  FieldMerger merger;
  const ValueView first = a[0].AsDocument().First().value;
  for (const bson::Element& element : a[0].AsDocument()) {
    if (first.IsArray()) {
      MAYFLY_RETURN_IF_ERROR(MergePair(element.value, &merger));
    } else if (first.IsDocument()) {
      MAYFLY_RETURN_IF_ERROR(MergeKeyValue(element.value, &merger));
    } else {
      return base::Error(40398, base::StrCat("Unrecognised input type format for $arrayToObject: ",
                                             bson::TypeName(first.type())));
    }
  }
  return merger.Finish();
}

constexpr OperatorRow kRows[] = {
    {"$arrayToObject", 1, 1, ArrayToObject, nullptr,
     "a document from [key, value] or {k, v} pairs"},
    {"$mergeObjects", 0, kAnyNumber, MergeObjects, nullptr,
     "one document with the fields of several, later ones win"},
    {"$objectToArray", 1, 1, ObjectToArray, nullptr, "the fields of a document as {k, v} pairs"},
};

}  // namespace

absl::Span<const OperatorRow> ObjectOperators() { return kRows; }

}  // namespace mayfly::engine
