#include "commands/parameters.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "commands/arguments.h"
#include "commands/log_verbosity.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Value;
using bson::ValueView;

constexpr std::string_view kSortMemory = "internalQueryMaxBlockingSortMemoryUsageBytes";
constexpr std::string_view kOldSortMemory = "internalQueryExecMaxBlockingSortBytes";

Value DefaultOf(const ParameterRow& row) {
  return std::visit(
      [](const auto& v) -> Value {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) {
          return Value::Bool(v);
        } else if constexpr (std::is_same_v<T, int32_t>) {
          return Value::Int32(v);
        } else if constexpr (std::is_same_v<T, int64_t>) {
          return Value::Int64(v);
        } else if constexpr (std::is_same_v<T, double>) {
          return Value::Double(v);
        } else if constexpr (std::is_same_v<T, std::string_view>) {
          return Value::String(v);
        } else {
          const auto document = bson::ParseJson(v.text);
          return document.ok() ? Value(document->Find("v")) : Value::Null();
        }
      },
      row.by_default);
}

absl::Status Invalid(const ParameterRow& row, std::string_view why) {
  return Error(ErrorCode::kBadValue, StrCat("Invalid value for parameter ", row.name, ": ", why));
}

// As MongoDB sees a truth value in any type.
bool Truth(ValueView value) {
  if (value.IsBool()) return value.AsBool();
  if (value.IsNumber()) return bson::IsNonZero(value);
  return !value.IsNullish();
}

absl::StatusOr<double> ToNumber(const ParameterRow& row, ValueView value) {
  if (value.IsBool()) return value.AsBool() ? 1.0 : 0.0;
  if (!value.IsNumber()) {
    return Invalid(row, StrCat("a number was expected, not a ", bson::TypeName(value.type())));
  }
  if (bson::IsNaN(value)) return Invalid(row, "NaN is not a number in range");
  const double number = bson::ToDouble(value);
  if (number < row.min)
    return Invalid(row, StrCat(number, " is not greater than or equal to ", row.min));
  if (number > row.max)
    return Invalid(row, StrCat(number, " is not less than or equal to ", row.max));
  return number;
}

absl::StatusOr<Value> ToText(const ParameterRow& row, ValueView value) {
  if (!value.IsString()) {
    return Error(ErrorCode::kTypeMismatch,
                 StrCat("Invalid type for parameter ", row.name, ": expected a string, got ",
                        bson::TypeName(value.type())));
  }
  if (value.AsString().size() > row.max_bytes) {
    return Error(ErrorCode::kOverflow, StrCat("Value for parameter ", row.name,
                                              " must be no more than ", row.max_bytes, " bytes"));
  }
  return Value(value);
}

absl::StatusOr<Value> ConvertByType(const ParameterRow& row, ValueView value) {
  if (std::holds_alternative<bool>(row.by_default)) return Value::Bool(Truth(value));
  if (std::holds_alternative<std::string_view>(row.by_default)) return ToText(row, value);
  if (std::holds_alternative<JsonText>(row.by_default)) {
    return Error(ErrorCode::kTypeMismatch, StrCat("Invalid type for parameter ", row.name));
  }
  MAYFLY_ASSIGN_OR_RETURN(const double number, ToNumber(row, value));
  if (std::holds_alternative<double>(row.by_default)) return Value::Double(number);
  if (std::holds_alternative<int32_t>(row.by_default)) {
    return Value::Int32(static_cast<int32_t>(number));
  }
  return Value::Int64(value.IsNumber() ? bson::ToInt64Truncated(value)
                                       : static_cast<int64_t>(number));
}

absl::Status Unknown(std::string_view name) {
  return Error(ErrorCode::kInvalidOptions, StrCat("Attempted to set unrecognized parameter [", name,
                                                  "], use help:true to see options "));
}

}  // namespace

const ParameterRow* ParameterStore::FindRow(std::string_view name) {
  const auto rows = ParameterRows();
  const auto it = std::find_if(rows.begin(), rows.end(),
                               [&](const ParameterRow& row) { return row.name == name; });
  return it == rows.end() ? nullptr : &*it;
}

ParameterStore::ParameterStore() {
  for (const ParameterRow& row : ParameterRows()) values_.emplace(row.name, DefaultOf(row));
  values_["logComponentVerbosity"] = Value::FromDocument(DefaultLogVerbosity());
}

Value ParameterStore::Get(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto it = values_.find(name);
  return it == values_.end() ? Value::Missing() : it->second;
}

bool ParameterStore::GetBool(std::string_view name) const { return Truth(Get(name)); }

int64_t ParameterStore::GetInteger(std::string_view name) const {
  const Value value = Get(name);
  return value.IsNumber() ? bson::ToInt64Truncated(value) : 0;
}

absl::StatusOr<Value> ParameterStore::Convert(const ParameterRow& row, ValueView value) const {
  return row.convert != nullptr ? row.convert(row, value, Get(row.name))
                                : ConvertByType(row, value);
}

absl::StatusOr<std::vector<Value>> ParameterStore::Set(std::span<const Change> changes) {
  // All are checked before any is changed.
  for (const Change& change : changes) {
    const ParameterRow* row = FindRow(change.name);
    if (row == nullptr) return Unknown(change.name);
    if ((row->settable & kAtRuntime) == 0) {
      return Error(ErrorCode::kInvalidOptions,
                   StrCat("not allowed to change [", change.name, "] at runtime"));
    }
    MAYFLY_RETURN_IF_ERROR(Convert(*row, change.value).status());
  }
  std::vector<Value> before;
  for (const Change& change : changes) {
    const ParameterRow* row = FindRow(change.name);
    // Converted again: what it is merged with may have been changed just now.
    MAYFLY_ASSIGN_OR_RETURN(Value value, Convert(*row, change.value));
    before.push_back(Get(row->name));
    Store(row->name, std::move(value));
    CallHooks(row->name);
  }
  return before;
}

void ParameterStore::Store(std::string_view name, Value value) {
  const std::lock_guard lock(mutex_);
  // One and the same setting under two names.
  if (name == "logLevel") {
    Value& tree = values_["logComponentVerbosity"];
    tree = Value::FromDocument(WithLogLevel(tree.view().AsDocument(), value.view().AsInt32()));
  } else if (name == "logComponentVerbosity") {
    values_["logLevel"] = Value(value.view().AsDocument().Find("verbosity"));
  } else if (name == kSortMemory || name == kOldSortMemory) {
    values_[name == kSortMemory ? kOldSortMemory : kSortMemory] = value;
  }
  values_[name] = std::move(value);
}

void ParameterStore::CallHooks(std::string_view name) {
  std::vector<Hook> hooks;
  Value value;
  {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = hooks_.equal_range(name);
    for (auto it = begin; it != end; ++it) hooks.push_back(it->second);
    value = values_[name];
  }
  for (const Hook& hook : hooks) hook(value);
  if (name == "logComponentVerbosity") CallHooks("logLevel");
}

absl::Status ParameterStore::SetAtStartup(std::string_view name, std::string_view text) {
  const ParameterRow* row = FindRow(name);
  if (row == nullptr) {
    return Error(ErrorCode::kBadValue, StrCat("Illegal --setParameter parameter: \"", name, "\""));
  }
  if ((row->settable & kAtStartup) == 0) {
    return Error(ErrorCode::kBadValue,
                 StrCat("Cannot use --setParameter to set \"", name, "\" at startup"));
  }
  Value given = Value::String(text);
  if (!std::holds_alternative<std::string_view>(row->by_default)) {
    const auto parsed = bson::ParseJson(StrCat("{\"v\": ", text, "}"));
    if (!parsed.ok()) return Invalid(*row, StrCat("'", text, "' is not of its type"));
    given = Value(parsed->Find("v"));
    if (std::holds_alternative<bool>(row->by_default) && !given.view().IsBool() &&
        !given.IsNumber()) {
      return Invalid(*row, StrCat("'", text, "' is neither true nor false"));
    }
  }
  MAYFLY_ASSIGN_OR_RETURN(Value value, Convert(*row, given));
  Store(row->name, std::move(value));
  CallHooks(row->name);
  return absl::OkStatus();
}

void ParameterStore::SetByServer(std::string_view name, Value value) {
  const ParameterRow* row = FindRow(name);
  if (row == nullptr) return;
  Store(row->name, std::move(value));
  CallHooks(row->name);
}

void ParameterStore::OnChange(std::string_view name, Hook hook) {
  const ParameterRow* row = FindRow(name);
  if (row == nullptr) return;
  const std::lock_guard lock(mutex_);
  hooks_.emplace(row->name, std::move(hook));
}

}  // namespace mayfly::commands
