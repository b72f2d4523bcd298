// Sizes, randomness and metadata: $binarySize, $bsonSize, $rand, $meta.
#include "base/strings.h"
#include "engine/expression/hashed_key.h"
#include "engine/expression/operator.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

absl::StatusOr<Value> BinarySize(Arguments a, const Call&) {
  if (a[0].IsNullish()) return Value::Null();
  if (a[0].IsString()) return Value::Int32(static_cast<int32_t>(a[0].AsString().size()));
  if (a[0].type() == bson::Type::kBinary)
    return Value::Int32(static_cast<int32_t>(a[0].AsBinary().bytes.size()));
  return base::Error(51276,
                     base::StrCat("$binarySize requires a string or BinData argument, found: ",
                                  bson::TypeName(a[0].type())));
}

absl::StatusOr<Value> BsonSize(Arguments a, const Call&) {
  if (a[0].IsNullish()) return Value::Null();
  if (a[0].IsDocument()) return Value::Int32(static_cast<int32_t>(a[0].size()));
  return base::Error(31393, base::StrCat("$bsonSize requires a document input, found: ",
                                         bson::TypeName(a[0].type())));
}

absl::StatusOr<Value> Rand(Arguments, const Call& call) {
  return Value::Double(call.context.random->NextDouble());
}

absl::StatusOr<ExpressionPtr> ParseRand(ValueView operand, const OperatorRow&,
                                        const ParseContext& context) {
  static constexpr OperatorRow kFunction = {
      "$rand", 0, 0, Rand, nullptr, "", Expression::Operator::kOther, /*pure=*/false};
  if (!operand.IsContainer())
    return base::Error(10065, "invalid parameter: expected an object ($rand)");
  if (!operand.AsDocument().empty()) {
    return base::Error(3040501, "$rand does not currently accept arguments");
  }
  return MakeFunction(kFunction, {}, context);
}

absl::StatusOr<Value> ToHashedIndexKey(Arguments a, const Call&) {
  return Value::Int64(HashedKey(a[0]));
}

class MetaExpression final : public Expression {
 public:
  enum class What {
    kTextScore,
    kSortKey,
    kNearDistance,
    kNearPoint,
    kIndexKey,
    kRecordId,
    kNothing
  };
  explicit MetaExpression(What what) : what_(what) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    if (!frame.row) return Value();
    switch (what_) {
      case What::kTextScore:
        return frame.row->text_score ? Value::Double(*frame.row->text_score) : Value();
      case What::kSortKey:
        return frame.row->sort_key;
      case What::kNearDistance:
        return frame.row->near_distance ? Value::Double(*frame.row->near_distance) : Value();
      case What::kNearPoint:
        return frame.row->near_point;
      case What::kIndexKey:
        return frame.row->index_key;
      case What::kRecordId:
        if (frame.row->record_id == kNoRecord) return Value();
        return Value::Int64(static_cast<int64_t>(frame.row->record_id));
      case What::kNothing:
        return Value();
    }
    return Value();
  }
  void AddDependencies(Dependencies* out) const override { out->metadata = true; }

 private:
  const What what_;
};

absl::StatusOr<ExpressionPtr> ParseMeta(ValueView operand, const OperatorRow&,
                                        const ParseContext&) {
  using What = MetaExpression::What;
  if (!operand.IsString()) return base::Error(17307, "$meta only supports string arguments");
  std::string_view name = operand.AsString();
  if (name == "textScore") return ExpressionPtr(new MetaExpression(What::kTextScore));
  if (name == "sortKey") return ExpressionPtr(new MetaExpression(What::kSortKey));
  if (name == "geoNearDistance") return ExpressionPtr(new MetaExpression(What::kNearDistance));
  if (name == "geoNearPoint") return ExpressionPtr(new MetaExpression(What::kNearPoint));
  if (name == "indexKey") return ExpressionPtr(new MetaExpression(What::kIndexKey));
  if (name == "recordId") return ExpressionPtr(new MetaExpression(What::kRecordId));
  for (std::string_view known :
       {"randVal", "searchScore", "searchHighlights", "searchScoreDetails", "vectorSearchScore",
        "score", "scoreDetails", "timeseriesBucketMinTime", "timeseriesBucketMaxTime"}) {
    if (name == known) return ExpressionPtr(new MetaExpression(What::kNothing));
  }
  return base::Error(17308, base::StrCat("Unsupported argument to $meta: ", name));
}

constexpr OperatorRow kRows[] = {
    {"$binarySize", 1, 1, BinarySize, nullptr, "the bytes of a string or of binary data"},
    {"$bsonSize", 1, 1, BsonSize, nullptr, "the bytes of a document"},
    {"$meta", 1, 1, nullptr, ParseMeta, "metadata of the document, such as its text score"},
    {"$rand", 0, 0, nullptr, ParseRand, "a random number from 0 up to 1",
     Expression::Operator::kOther, /*pure=*/false},
    {"$toHashedIndexKey", 1, 1, ToHashedIndexKey, nullptr,
     "the hash that a hashed index keeps of a value"},
};

}  // namespace

absl::Span<const OperatorRow> MiscOperators() { return kRows; }

}  // namespace mayfly::engine
