// Collections of values: $push, $addToSet, $concatArrays, $setUnion, $mergeObjects.
#include "base/limits.h"
#include "base/strings.h"
#include "engine/aggregate/accumulator.h"
#include "engine/expression/object.h"
#include "engine/expression/value_set.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

// MongoDB's limit of what one $push or $addToSet may hold.
constexpr int64_t kMaxCollectedBytes = 100 * 1024 * 1024;

absl::Status CheckCollected(int64_t bytes, std::string_view name) {
  if (bytes <= kMaxCollectedBytes) return absl::OkStatus();
  return base::Error(
      146, base::StrCat(name, " used too much memory and cannot spill to disk. Used: ", bytes,
                        " bytes. Memory limit: ", kMaxCollectedBytes, " bytes"));
}

class PushState final : public Accumulator {
 public:
  absl::Status Add(ValueView value) override {
    if (value.IsMissing()) return absl::OkStatus();
    array_.Push(value);
    return CheckCollected(MemoryBytes(), "$push");
  }
  absl::StatusOr<Value> Result() override { return array_.Finish(); }
  int64_t MemoryBytes() const override { return static_cast<int64_t>(array_.size()); }

 private:
  ArrayBuilder array_;
};

class AddToSetState final : public Accumulator {
 public:
  explicit AddToSetState(const bson::StringComparator* strings) : set_(MakeValueSet(strings)) {}
  absl::Status Add(ValueView value) override {
    if (value.IsMissing() || set_.contains(value)) return absl::OkStatus();
    set_.insert(Value(value));
    order_.emplace_back(value);
    bytes_ += value.size() + 2 * sizeof(Value);
    return CheckCollected(bytes_, "$addToSet");
  }
  absl::StatusOr<Value> Result() override { return MakeArrayValue(order_); }
  int64_t MemoryBytes() const override { return bytes_; }

 private:
  ValueSet set_;
  std::vector<Value> order_;  // shares the bytes of `set_`'s values
  int64_t bytes_ = 0;
};

absl::Status NotArray(std::string_view name, ValueView value) {
  return base::Error(base::ErrorCode::kTypeMismatch,
                     base::StrCat(name, " requires array inputs, but input ", ValueText(value),
                                  " is of type ", bson::TypeName(value.type())));
}

class ConcatArraysState final : public Accumulator {
 public:
  absl::Status Add(ValueView value) override {
    if (value.IsMissing()) return absl::OkStatus();
    if (!value.IsArray()) return NotArray("$concatArrays", value);
    for (const bson::Element& element : value.AsDocument()) array_.Push(element.value);
    return CheckCollected(MemoryBytes(), "$concatArrays");
  }
  absl::StatusOr<Value> Result() override { return array_.Finish(); }
  int64_t MemoryBytes() const override { return static_cast<int64_t>(array_.size()); }

 private:
  ArrayBuilder array_;
};

class SetUnionState final : public Accumulator {
 public:
  explicit SetUnionState(const bson::StringComparator* strings) : set_(strings) {}
  absl::Status Add(ValueView value) override {
    if (value.IsMissing()) return absl::OkStatus();
    if (!value.IsArray()) return NotArray("$setUnion", value);
    for (const bson::Element& element : value.AsDocument())
      MAYFLY_RETURN_IF_ERROR(set_.Add(element.value));
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return set_.Result(); }
  int64_t MemoryBytes() const override { return set_.MemoryBytes(); }

 private:
  AddToSetState set_;
};

class MergeObjectsState final : public Accumulator {
 public:
  absl::Status Add(ValueView value) override {
    if (value.IsNullish()) return absl::OkStatus();
    if (!value.IsDocument()) {
      return base::Error(
          5911200, base::StrCat("$mergeObjects requires object inputs, but input ",
                                ValueText(value), " is of type ", bson::TypeName(value.type())));
    }
    for (const bson::Element& element : value.AsDocument()) merger_.Set(element.key, element.value);
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return merger_.Finish(); }

 private:
  FieldMerger merger_;
};

absl::StatusOr<AccumulatorSpecPtr> ParseScript(ValueView, const AccumulatorRow&,
                                               const ParseContext&) {
  return base::Error(31264,
                     "Cannot run server-side javascript without the javascript engine enabled");
}

constexpr AccumulatorRow kRows[] = {
    {"$accumulator", ParseScript, "JavaScript functions", base::Support::kRefused},
    {"$addToSet", ParseUnary<AddToSetState>, "the distinct values"},
    {"$concatArrays", ParseUnary<ConcatArraysState>, "the elements of all arrays"},
    {"$mergeObjects", ParseUnary<MergeObjectsState>, "one document with the fields of all"},
    {"$push", ParseUnary<PushState>, "all values, in order"},
    {"$setUnion", ParseUnary<SetUnionState>, "the distinct elements of all arrays"},
};

}  // namespace

absl::Span<const AccumulatorRow> ArrayAccumulators() { return kRows; }

}  // namespace mayfly::engine
