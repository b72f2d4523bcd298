// Server parameters: what getParameter shows and setParameter changes.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bson/value.h"

namespace mayfly::commands {

// The default of a parameter that is a document or an array: extended JSON of {v: ...}.
struct JsonText {
  std::string_view text;
};

enum ParameterSettable : uint8_t { kNever = 0, kAtStartup = 1, kAtRuntime = 2, kAlways = 3 };

struct ParameterRow {
  std::string_view name;
  // Its alternative is the parameter's type.
  std::variant<bool, int32_t, int64_t, double, std::string_view, JsonText> by_default;
  ParameterSettable settable = kAlways;
  std::string_view help;
  // Of numbers, both included.
  double min = std::numeric_limits<int32_t>::min();
  double max = std::numeric_limits<int32_t>::max();
  // Of strings.
  size_t max_bytes = 1024;
  // Another way to take a value than by its type; `was` is the value now. Null: by type.
  absl::StatusOr<bson::Value> (*convert)(const ParameterRow& row, bson::ValueView value,
                                         const bson::Value& was) = nullptr;
};

// All parameters, in order of name.
std::span<const ParameterRow> ParameterRows();

// The values. Thread-safe.
class ParameterStore {
 public:
  // Called after the change, by the thread that made it, outside the store's lock.
  using Hook = std::function<void(const bson::Value&)>;

  ParameterStore();

  static const ParameterRow* FindRow(std::string_view name);  // null if unknown

  // Missing if there is no such parameter.
  bson::Value Get(std::string_view name) const;
  // Of the types they name; the parameter must exist.
  bool GetBool(std::string_view name) const;
  int64_t GetInteger(std::string_view name) const;

  struct Change {
    std::string_view name;
    bson::ValueView value;
  };
  // All of `changes` or none; returns the values before, in order. Errors: 72 InvalidOptions for a
  // parameter that is unknown or not settable at runtime, 2 BadValue, 14 TypeMismatch, 15 Overflow.
  absl::StatusOr<std::vector<bson::Value>> Set(std::span<const Change> changes);
  // From a command line: text for a bool or a number, a plain string, or JSON of {...}. The same
  // errors; 2 BadValue for unknown names.
  absl::Status SetAtStartup(std::string_view name, std::string_view text);
  // What the server itself has found out; the parameter must exist.
  void SetByServer(std::string_view name, bson::Value value);

  // `hook` is called with every new value of the parameter, which must exist. For wiring, before
  // commands run.
  void OnChange(std::string_view name, Hook hook);

 private:
  absl::StatusOr<bson::Value> Convert(const ParameterRow& row, bson::ValueView value) const;
  void Store(std::string_view name, bson::Value value);
  void CallHooks(std::string_view name);

  mutable std::mutex mutex_;
  std::map<std::string_view, bson::Value> values_;  // keys are the rows' names
  std::multimap<std::string_view, Hook> hooks_;
};

}  // namespace mayfly::commands
