#include "commands/arguments.h"

#include <algorithm>
#include <iterator>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"

namespace mayfly::commands {
namespace {

using base::ErrorCode;
using base::StrCat;
using bson::Type;
using bson::ValueView;

struct CommonRow {
  std::string_view name;
  ValueView CommonArguments::*member;  // null: accepted and ignored
  ArgType type;
};

constexpr CommonRow kCommonRows[] = {
    {"$db", nullptr, ArgType::kString},
    {"lsid", &CommonArguments::lsid, ArgType::kDocument},
    {"txnNumber", &CommonArguments::txn_number, ArgType::kLong},
    {"autocommit", &CommonArguments::autocommit, ArgType::kBool},
    {"startTransaction", &CommonArguments::start_transaction, ArgType::kBool},
    {"readConcern", &CommonArguments::read_concern, ArgType::kDocument},
    {"writeConcern", &CommonArguments::write_concern, ArgType::kDocument},
    {"maxTimeMS", &CommonArguments::max_time_ms, ArgType::kAny},
    {"comment", &CommonArguments::comment, ArgType::kAny},
    {"$readPreference", &CommonArguments::read_preference, ArgType::kDocument},
    {"$clusterTime", &CommonArguments::cluster_time, ArgType::kDocument},
    {"apiVersion", &CommonArguments::api_version, ArgType::kString},
    {"apiStrict", &CommonArguments::api_strict, ArgType::kBool},
    {"apiDeprecationErrors", &CommonArguments::api_deprecation_errors, ArgType::kBool},
    {"$queryOptions", nullptr, ArgType::kDocument},
    {"$configTime", nullptr, ArgType::kAny},
    {"$topologyTime", nullptr, ArgType::kAny},
    {"$audit", nullptr, ArgType::kAny},
    {"$client", nullptr, ArgType::kAny},
    {"$configServerState", nullptr, ArgType::kAny},
    {"$replData", nullptr, ArgType::kAny},
    {"$oplogQueryData", nullptr, ArgType::kAny},
    {"mayBypassWriteBlocking", nullptr, ArgType::kFlag},
    {"maxTimeMSOpOnly", nullptr, ArgType::kAny},
    {"databaseVersion", nullptr, ArgType::kAny},
    {"shardVersion", nullptr, ArgType::kAny},
    {"rawData", nullptr, ArgType::kAny},
    {"help", nullptr, ArgType::kAny},
};

bool Fits(ArgType type, ValueView value) {
  switch (type) {
    case ArgType::kAny:
      return true;
    case ArgType::kString:
      return value.IsString();
    case ArgType::kBool:
      return value.IsBool();
    case ArgType::kFlag:
      return value.IsBool() || value.IsNumber();
    case ArgType::kLong:
      return value.type() == Type::kInt64;
    case ArgType::kNumber:
      return value.IsNumber();
    case ArgType::kDocument:
      return value.IsDocument();
    case ArgType::kArray:
      return value.IsArray();
    case ArgType::kBinary:
      return value.type() == Type::kBinary;
    case ArgType::kDocumentOrArray:
      return value.IsContainer();
    case ArgType::kHint:
      return value.IsDocument() || value.IsString();
  }
  return false;
}

std::string_view Expected(ArgType type) {
  switch (type) {
    case ArgType::kAny:
      return "any";
    case ArgType::kString:
      return "string";
    case ArgType::kBool:
      return "bool";
    case ArgType::kFlag:
      return "[bool, long, int, decimal, double]";
    case ArgType::kLong:
      return "long";
    case ArgType::kNumber:
      return "[long, int, decimal, double]";
    case ArgType::kDocument:
      return "object";
    case ArgType::kArray:
      return "array";
    case ArgType::kBinary:
      return "binData";
    case ArgType::kDocumentOrArray:
      return "[array, object]";
    case ArgType::kHint:
      return "[object, string]";
  }
  return "any";
}

// Names are short, and mostly differ in length or at once.
bool IsName(std::string_view name, std::string_view key) {
  return name.size() == key.size() && !key.empty() && name.front() == key.front() && name == key;
}

// Missing and null mean the same to a command's argument, unless it takes anything.
bool IsAbsent(ArgType type, ValueView value) {
  return type != ArgType::kAny && type != ArgType::kHint && value.IsNullish();
}

}  // namespace

bool IsCommonField(std::string_view name) {
  return std::any_of(std::begin(kCommonRows), std::end(kCommonRows),
                     [&](const CommonRow& row) { return row.name == name; });
}

absl::Status WrongTypeError(std::string_view command, std::string_view field, Type actual,
                            std::string_view expected) {
  const bool several = expected.starts_with("[");
  return base::Error(
      ErrorCode::kTypeMismatch,
      StrCat("BSON field '", command, ".", field, "' is the wrong type '", bson::TypeName(actual),
             "', expected type", several ? "s '" : " '", expected, "'"));
}

absl::StatusOr<Arguments> Arguments::Parse(const Invocation& invocation, std::string_view command,
                                           std::span<const ArgSpec> specs, bool any_fields) {
  Arguments arguments;
  arguments.any_fields_ = any_fields;
  arguments.command_ = command;
  arguments.specs_ = specs;
  arguments.values_.resize(specs.size());
  arguments.sequence_.resize(specs.size(), nullptr);
  MAYFLY_RETURN_IF_ERROR(arguments.Read(invocation));
  return arguments;
}

absl::Status Arguments::Read(const Invocation& invocation) {
  bool first = true;
  for (const bson::Element& element : invocation.body) {
    if (first) {
      target_ = element.value;
      first = false;
      continue;
    }
    MAYFLY_RETURN_IF_ERROR(ReadElement(element));
  }
  for (const Sequence& sequence : invocation.sequences) {
    const auto spec = std::find_if(specs_.begin(), specs_.end(),
                                   [&](const ArgSpec& s) { return s.name == sequence.identifier; });
    if (spec == specs_.end() || spec->type != ArgType::kArray) {
      return base::Error(
          ErrorCode::kIDLUnknownField,
          StrCat("BSON field '", command_, ".", sequence.identifier, "' is an unknown field."));
    }
    const size_t index = spec - specs_.begin();
    if (Has(index)) {
      return base::Error(40413,
                         StrCat("BSON field '", sequence.identifier, "' is a duplicate field"));
    }
    sequence_[index] = &sequence;
  }
  return CheckRequired();
}

absl::Status Arguments::CheckRequired() const {
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].use == ArgUse::kRequired && !Has(i)) {
      return base::Error(ErrorCode::kIDLFailedToParse,
                         StrCat("BSON field '", command_, ".", specs_[i].name,
                                "' is missing but a required field"));
    }
  }
  return absl::OkStatus();
}

absl::Status Arguments::CheckType(const ArgSpec& spec, ValueView value) const {
  if (Fits(spec.type, value)) return absl::OkStatus();
  if (spec.type == ArgType::kHint) {
    return base::Error(ErrorCode::kFailedToParse, "Hint must be a string or an object");
  }
  return WrongTypeError(command_, spec.name, value.type(), Expected(spec.type));
}

absl::StatusOr<Arguments> Arguments::ParseFields(bson::View document, std::string_view where,
                                                 std::span<const ArgSpec> specs) {
  Arguments arguments;
  arguments.command_ = where;
  arguments.specs_ = specs;
  arguments.values_.resize(specs.size());
  arguments.sequence_.resize(specs.size(), nullptr);
  for (const bson::Element& element : document) {
    MAYFLY_ASSIGN_OR_RETURN(const bool known, arguments.ReadOwn(element));
    if (!known) {
      return base::Error(ErrorCode::kIDLUnknownField,
                         StrCat("BSON field '", where, ".", element.key, "' is an unknown field."));
    }
  }
  MAYFLY_RETURN_IF_ERROR(arguments.CheckRequired());
  return arguments;
}

absl::StatusOr<bool> Arguments::ReadOwn(const bson::Element& element) {
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (!IsName(specs_[i].name, element.key)) continue;
    if (!values_[i].IsMissing()) {
      return base::Error(
          40413, StrCat("BSON field '", command_, ".", element.key, "' is a duplicate field"));
    }
    if (specs_[i].use != ArgUse::kNotNull && IsAbsent(specs_[i].type, element.value)) return true;
    MAYFLY_RETURN_IF_ERROR(CheckType(specs_[i], element.value));
    values_[i] = element.value;
    return true;
  }
  return false;
}

absl::Status Arguments::ReadElement(const bson::Element& element) {
  MAYFLY_ASSIGN_OR_RETURN(const bool known, ReadOwn(element));
  if (known) return absl::OkStatus();
  for (const CommonRow& row : kCommonRows) {
    if (!IsName(row.name, element.key)) continue;
    if (IsAbsent(row.type, element.value)) return absl::OkStatus();
    MAYFLY_RETURN_IF_ERROR(CheckType({.name = row.name, .type = row.type}, element.value));
    if (row.member != nullptr) common_.*row.member = element.value;
    return absl::OkStatus();
  }
  if (any_fields_) return absl::OkStatus();
  return base::Error(ErrorCode::kIDLUnknownField,
                     StrCat("BSON field '", command_, ".", element.key, "' is an unknown field."));
}

bool Arguments::Flag(size_t index, bool otherwise) const {
  const ValueView value = values_[index];
  if (value.IsBool()) return value.AsBool();
  return value.IsNumber() ? bson::IsNonZero(value) : otherwise;
}

int64_t Arguments::Integer(size_t index, int64_t otherwise) const {
  const ValueView value = values_[index];
  return value.IsNumber() ? bson::ToInt64Rounded(value) : otherwise;
}

std::string_view Arguments::String(size_t index, std::string_view otherwise) const {
  const ValueView value = values_[index];
  return value.IsString() ? value.AsString() : otherwise;
}

bson::View Arguments::Document(size_t index) const {
  const ValueView value = values_[index];
  return value.IsContainer() ? value.AsDocument() : bson::View();
}

absl::StatusOr<std::vector<bson::View>> Arguments::Documents(size_t index) const {
  if (sequence_[index] != nullptr) return sequence_[index]->documents;
  std::vector<bson::View> documents;
  if (!values_[index].IsArray()) return documents;
  for (const bson::Element& element : values_[index].AsDocument()) {
    if (!element.value.IsDocument()) {
      return WrongTypeError(command_, StrCat(specs_[index].name, ".", element.key),
                            element.value.type(), "object");
    }
    documents.push_back(element.value.AsDocument());
  }
  return documents;
}

}  // namespace mayfly::commands
