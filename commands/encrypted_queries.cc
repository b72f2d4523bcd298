#include "commands/encrypted_queries.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/compare.h"
#include "bson/number.h"
#include "commands/arguments.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Type;
using bson::ValueView;

constexpr std::array kQueryFields = {
    ArgSpec{"queryType", ArgType::kString, ArgUse::kRequired, "equality, range ..."},
    ArgSpec{"contention", ArgType::kNumber, ArgUse::kOptional, "counters for each value"},
    ArgSpec{"sparsity", ArgType::kNumber, ArgUse::kOptional, "of ranges"},
    ArgSpec{"min", ArgType::kAny, ArgUse::kOptional, "of ranges"},
    ArgSpec{"max", ArgType::kAny, ArgUse::kOptional, "of ranges"},
    ArgSpec{"trimFactor", ArgType::kNumber, ArgUse::kOptional, "of ranges"},
    ArgSpec{"precision", ArgType::kNumber, ArgUse::kOptional, "of ranges of fractions"},
    ArgSpec{"strMaxLength", ArgType::kNumber, ArgUse::kOptional, "of text"},
    ArgSpec{"strMinQueryLength", ArgType::kNumber, ArgUse::kOptional, "of text"},
    ArgSpec{"strMaxQueryLength", ArgType::kNumber, ArgUse::kOptional, "of text"},
    ArgSpec{"caseSensitive", ArgType::kBool, ArgUse::kOptional, "of text"},
    ArgSpec{"diacriticSensitive", ArgType::kBool, ArgUse::kOptional, "of text"},
};

consteval size_t Query(std::string_view name) { return ArgIndex(kQueryFields, name); }

enum class QueryKind : uint8_t { kEquality, kRange, kText };

struct QueryRow {
  std::string_view name;
  QueryKind kind;
};
constexpr QueryRow kQueryRows[] = {
    {"equality", QueryKind::kEquality},  {"range", QueryKind::kRange},
    {"rangePreview", QueryKind::kRange}, {"substringPreview", QueryKind::kText},
    {"suffixPreview", QueryKind::kText}, {"prefixPreview", QueryKind::kText},
};

// Whole numbers of a query with the least value of each.
struct WholeNumber {
  size_t index;
  int64_t least;
};
constexpr WholeNumber kWholeNumbers[] = {
    {Query("contention"), 0},        {Query("sparsity"), 1},     {Query("trimFactor"), 0},
    {Query("precision"), 0},         {Query("strMaxLength"), 1}, {Query("strMinQueryLength"), 1},
    {Query("strMaxQueryLength"), 1},
};

// What belongs to one kind of query only, with the error of having it in another.
struct Misplaced {
  size_t index;
  int code;
};
constexpr Misplaced kNotOfEquality[] = {
    {Query("sparsity"), 6775205},
    {Query("min"), 6775206},
    {Query("max"), 6775207},
    {Query("trimFactor"), 8574104},
    {Query("precision"), 10774900},
    {Query("strMaxLength"), 10774901},
    {Query("strMinQueryLength"), 10774902},
    {Query("strMaxQueryLength"), 10774903},
    {Query("caseSensitive"), 10774904},
    {Query("diacriticSensitive"), 10774905},
};
constexpr Misplaced kNotOfRange[] = {
    {Query("strMaxLength"), 10774906},       {Query("strMinQueryLength"), 10774907},
    {Query("strMaxQueryLength"), 10774908},  {Query("caseSensitive"), 10774909},
    {Query("diacriticSensitive"), 10774910},
};
constexpr Misplaced kNotOfText[] = {
    {Query("sparsity"), 10774911},   {Query("min"), 10774912},       {Query("max"), 10774913},
    {Query("trimFactor"), 10774914}, {Query("precision"), 10774915},
};
constexpr Misplaced kNeededByText[] = {
    {Query("strMinQueryLength"), 9783402},
    {Query("strMaxQueryLength"), 9783403},
    {Query("caseSensitive"), 9783404},
    {Query("diacriticSensitive"), 9783405},
};

constexpr int64_t kDefaultContention = 8;
constexpr int64_t kDefaultSparsity = 2;
constexpr int64_t kMaxSparsity = 8;

// One way to query a field.
struct FieldQuery {
  Arguments arguments;
  const QueryRow* row = nullptr;
};

absl::StatusOr<FieldQuery> ReadQuery(bson::View document) {
  FieldQuery query;
  MAYFLY_ASSIGN_OR_RETURN(
      query.arguments,
      Arguments::ParseFields(document, "create.encryptedFields.fields.queries", kQueryFields));
  const std::string_view name = query.arguments.String(Query("queryType"));
  for (const QueryRow& row : kQueryRows) {
    if (row.name == name) query.row = &row;
  }
  if (query.row == nullptr) {
    return Error(ErrorCode::kBadValue,
                 StrCat("Enumeration value '", name,
                        "' for field 'create.encryptedFields.fields.queries.queryType' is not a "
                        "valid value."));
  }
  for (const WholeNumber& number : kWholeNumbers) {
    if (!query.arguments.Has(number.index)) continue;
    const auto value = bson::ToInt64Exact(query.arguments[number.index]);
    const std::string_view field = kQueryFields[number.index].name;
    if (!value.has_value()) {
      return Error(ErrorCode::kFailedToParse, StrCat("Expected an integer for '", field, "'"));
    }
    if (*value < number.least) {
      return Error(ErrorCode::kBadValue, StrCat("BSON field '", field, "' value must be >= ",
                                                number.least, ", actual value '", *value, "'"));
    }
  }
  return query;
}

absl::Status CheckMisplaced(const FieldQuery& query, std::span<const Misplaced> fields) {
  for (const Misplaced& field : fields) {
    if (!query.arguments.Has(field.index)) continue;
    return Error(field.code, StrCat("The field '", kQueryFields[field.index].name,
                                    "' is not allowed for a query of the type ", query.row->name));
  }
  return absl::OkStatus();
}

bool IsOneOf(Type type, std::initializer_list<Type> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

absl::Status CheckEquality(Type type, const FieldQuery& query) {
  if (!IsEncryptableType(type) || IsOneOf(type, {Type::kArray, Type::kCodeWithScope, Type::kDouble,
                                                 Type::kDecimal128, Type::kDocument})) {
    return Error(6338405, StrCat("Type '", bson::TypeName(type),
                                 "' is not a supported equality indexed type"));
  }
  return CheckMisplaced(query, kNotOfEquality);
}

// The bounds of a range: given, or those of the type.
bson::Value LowestOf(Type type) {
  if (type == Type::kInt32) return bson::Value::Int32(std::numeric_limits<int32_t>::min());
  if (type == Type::kInt64) return bson::Value::Int64(std::numeric_limits<int64_t>::min());
  if (type == Type::kDate) return bson::Value::Date(std::numeric_limits<int64_t>::min());
  if (type == Type::kDouble) return bson::Value::Double(-DBL_MAX);
  return bson::Value::FromDecimal128(
      *bson::DecimalFromString("-9.999999999999999999999999999999999E6144"));
}

bson::Value HighestOf(Type type) {
  if (type == Type::kInt32) return bson::Value::Int32(std::numeric_limits<int32_t>::max());
  if (type == Type::kInt64) return bson::Value::Int64(std::numeric_limits<int64_t>::max());
  if (type == Type::kDate) return bson::Value::Date(std::numeric_limits<int64_t>::max());
  if (type == Type::kDouble) return bson::Value::Double(DBL_MAX);
  return bson::Value::FromDecimal128(
      *bson::DecimalFromString("9.999999999999999999999999999999999E6144"));
}

int64_t WholeOf(ValueView value) {
  return value.type() == Type::kDate ? value.AsDate() : bson::ToInt64Truncated(value);
}

// How many bits a value between the bounds takes.
int BitsOfDomain(Type type, const FieldQuery& query) {
  const ValueView min = query.arguments[Query("min")];
  const ValueView max = query.arguments[Query("max")];
  if (IsOneOf(type, {Type::kInt32, Type::kInt64, Type::kDate})) {
    const bson::Value lowest = LowestOf(type);
    const bson::Value highest = HighestOf(type);
    const uint64_t span =
        static_cast<uint64_t>(WholeOf(max.IsMissing() ? ValueView(highest) : max)) -
        static_cast<uint64_t>(WholeOf(min.IsMissing() ? ValueView(lowest) : min));
    return static_cast<int>(std::bit_width(span));
  }
  const int whole = type == Type::kDouble ? 64 : 128;
  if (!query.arguments.Has(Query("precision"))) return whole;
  const double steps = (bson::ToDouble(max) - bson::ToDouble(min)) *
                       std::pow(10.0, query.arguments.Integer(Query("precision"), 0));
  if (!(steps >= 1)) return 0;
  return std::min(whole, static_cast<int>(std::floor(std::log2(steps))) + 1);
}

// Whether `value` has at most `precision` digits after the point.
bool HasPrecision(ValueView value, int64_t precision) {
  if (value.type() == Type::kDouble) {
    const double scaled = value.AsDouble() * std::pow(10.0, static_cast<double>(precision));
    const double whole = std::trunc(scaled);
    return std::fabs(scaled - whole) <= std::fabs(DBL_EPSILON * whole);
  }
  const bson::Decimal128 decimal = value.AsDecimal128();
  if (bson::DecimalIsNaN(decimal) || bson::DecimalIsInfinite(decimal)) return false;
  const bson::Decimal128 cut =
      bson::DecimalQuantize(decimal, static_cast<int>(std::min<int64_t>(precision, 6176)),
                            bson::RoundingMode::kTowardZero);
  return bson::DecimalCompare(cut, decimal) == 0;
}

absl::Status CheckPrecision(Type type, const FieldQuery& query) {
  const bool has_min = query.arguments.Has(Query("min"));
  const bool has_precision = query.arguments.Has(Query("precision"));
  if (has_min != query.arguments.Has(Query("max")) || has_min != has_precision) {
    return Error(6967100,
                 "Precision, min, and max must all be specified together for floating point "
                 "fields");
  }
  if (!has_precision) return absl::OkStatus();
  const int64_t precision = query.arguments.Integer(Query("precision"), 0);
  const int first_code = type == Type::kDouble ? 6966805 : 6966807;
  for (const size_t bound : {Query("min"), Query("max")}) {
    if (HasPrecision(query.arguments[bound], precision)) continue;
    return Error(first_code + (bound == Query("max") ? 1 : 0),
                 StrCat("The number of decimal digits of '", kQueryFields[bound].name,
                        "' must be less than or equal to precision"));
  }
  return absl::OkStatus();
}

absl::Status CheckRange(Type type, const FieldQuery& query) {
  if (!IsOneOf(type, {Type::kInt32, Type::kInt64, Type::kDouble, Type::kDecimal128, Type::kDate})) {
    return Error(6775201,
                 StrCat("Type '", bson::TypeName(type), "' is not a supported range indexed type"));
  }
  MAYFLY_RETURN_IF_ERROR(CheckMisplaced(query, kNotOfRange));
  const Arguments& arguments = query.arguments;
  if (arguments.Integer(Query("sparsity"), kDefaultSparsity) > kMaxSparsity) {
    return Error(6775214, "The field 'sparsity' must be between 1 and 8");
  }
  for (const size_t bound : {Query("min"), Query("max")}) {
    if (!arguments.Has(bound) || arguments[bound].type() == type) continue;
    return Error(bound == Query("min") ? 7018200 : 7018201,
                 StrCat("Range field type '", bson::TypeName(type), "' does not match the ",
                        kQueryFields[bound].name, " value type '",
                        bson::TypeName(arguments[bound].type()), "'"));
  }
  if (arguments.Has(Query("min")) && arguments.Has(Query("max")) &&
      bson::Compare(arguments[Query("min")], arguments[Query("max")]) >= 0) {
    return Error(6720005, "Min must be less than max.");
  }
  if (IsOneOf(type, {Type::kDouble, Type::kDecimal128})) {
    MAYFLY_RETURN_IF_ERROR(CheckPrecision(type, query));
  }
  const int64_t trim = arguments.Integer(Query("trimFactor"), 0);
  const int bits = BitsOfDomain(type, query);
  if (trim == 0 || trim < bits) return absl::OkStatus();
  return Error(8574000, StrCat("The field 'trimFactor' must be >= 0 and less than the total number "
                               "of bits needed to represent elements in the domain (",
                               bits, ")"));
}

absl::Status CheckText(Type type, const FieldQuery& query) {
  if (type != Type::kString) {
    return Error(9783400, StrCat("Type '", bson::TypeName(type),
                                 "' is not a supported type for text search indexed fields"));
  }
  MAYFLY_RETURN_IF_ERROR(CheckMisplaced(query, kNotOfText));
  const Arguments& arguments = query.arguments;
  for (const Misplaced& field : kNeededByText) {
    if (arguments.Has(field.index)) continue;
    return Error(field.code, StrCat(kQueryFields[field.index].name, " parameter is required for ",
                                    query.row->name, " query type"));
  }
  const int64_t longest = arguments.Integer(Query("strMaxQueryLength"), 0);
  if (arguments.Integer(Query("strMinQueryLength"), 0) > longest) {
    return Error(9783406, "strMinQueryLength cannot be greater than strMaxQueryLength");
  }
  if (query.row->name != "substringPreview") return absl::OkStatus();
  if (!arguments.Has(Query("strMaxLength"))) {
    return Error(9783407, "strMaxLength parameter is required for substringPreview query type");
  }
  if (longest > arguments.Integer(Query("strMaxLength"), 0)) {
    return Error(9783408, "strMaxQueryLength cannot be greater than strMaxLength");
  }
  return absl::OkStatus();
}

// Two queries of one field: by prefix and by suffix, alike in all but the direction.
absl::Status CheckPair(Type type, const FieldQuery& first, const FieldQuery& second) {
  const bool pair = (first.row->name == "suffixPreview" && second.row->name == "prefixPreview") ||
                    (first.row->name == "prefixPreview" && second.row->name == "suffixPreview");
  if (!pair) {
    return Error(9783414,
                 "Multiple query types may only include the suffixPreview and prefixPreview query "
                 "types");
  }
  MAYFLY_RETURN_IF_ERROR(CheckText(type, first));
  MAYFLY_RETURN_IF_ERROR(CheckText(type, second));
  constexpr Misplaced kAlike[] = {{Query("caseSensitive"), 9783409},
                                  {Query("diacriticSensitive"), 9783410}};
  for (const Misplaced& field : kAlike) {
    if (first.arguments.Flag(field.index) == second.arguments.Flag(field.index)) continue;
    return Error(field.code, StrCat(kQueryFields[field.index].name,
                                    " parameter must be the same for all query types of a field"));
  }
  if (first.arguments.Integer(Query("contention"), kDefaultContention) !=
      second.arguments.Integer(Query("contention"), kDefaultContention)) {
    return Error(9783411, "contention parameter must be the same for all query types of a field");
  }
  return absl::OkStatus();
}

absl::Status CheckQueries(Type type, const std::vector<FieldQuery>& queries) {
  if (queries.size() > 2) {
    return Error(9783413, "The number of query types for an encrypted field cannot exceed two");
  }
  if (queries.size() == 2) return CheckPair(type, queries[0], queries[1]);
  switch (queries.front().row->kind) {
    case QueryKind::kEquality:
      return CheckEquality(type, queries.front());
    case QueryKind::kRange:
      return CheckRange(type, queries.front());
    case QueryKind::kText:
      return CheckText(type, queries.front());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<FieldQuery>> ReadQueries(ValueView given) {
  std::vector<FieldQuery> queries;
  const auto add = [&](bson::View document) -> absl::Status {
    MAYFLY_ASSIGN_OR_RETURN(FieldQuery query, ReadQuery(document));
    queries.push_back(std::move(query));
    return absl::OkStatus();
  };
  if (given.IsDocument()) {
    MAYFLY_RETURN_IF_ERROR(add(given.AsDocument()));
    return queries;
  }
  for (const bson::Element& element : given.AsDocument()) {
    if (element.value.IsNullish()) continue;
    if (!element.value.IsDocument()) {
      return WrongTypeError("create.encryptedFields.fields", StrCat("queries.", element.key),
                            element.value.type(), "object");
    }
    MAYFLY_RETURN_IF_ERROR(add(element.value.AsDocument()));
  }
  if (queries.empty()) {
    return Error(9783412, "At least one query type should be specified per field");
  }
  return queries;
}

void AppendQuery(Type type, const FieldQuery& query, bson::View given, bson::Builder* out) {
  out->AppendAll(given);
  if (!query.arguments.Has(Query("contention"))) out->Int64("contention", kDefaultContention);
  if (query.row->kind != QueryKind::kRange) return;
  if (!query.arguments.Has(Query("sparsity"))) out->Int64("sparsity", kDefaultSparsity);
  if (!query.arguments.Has(Query("min"))) out->Append("min", LowestOf(type));
  if (!query.arguments.Has(Query("max"))) out->Append("max", HighestOf(type));
}

}  // namespace

bool IsEncryptableType(Type type) {
  return !IsOneOf(type, {Type::kNull, Type::kUndefined, Type::kMinKey, Type::kMaxKey});
}

absl::Status AppendEncryptedQueries(ValueView given, std::optional<Type> type, bson::Builder* out) {
  MAYFLY_ASSIGN_OR_RETURN(const auto queries, ReadQueries(given));
  if (!type.has_value()) {
    return Error(6412601, "BSON type needs to be specified for an indexed field");
  }
  MAYFLY_RETURN_IF_ERROR(CheckQueries(*type, queries));
  if (given.IsDocument()) {
    out->OpenDocument("queries");
    AppendQuery(*type, queries.front(), given.AsDocument(), out);
    out->Close();
    return absl::OkStatus();
  }
  out->OpenArray("queries");
  size_t position = 0;
  for (const bson::Element& element : given.AsDocument()) {
    if (!element.value.IsDocument()) continue;
    out->PushOpenDocument();
    AppendQuery(*type, queries[position++], element.value.AsDocument(), out);
    out->Close();
  }
  out->Close();
  return absl::OkStatus();
}

}  // namespace mayfly::commands
