// Arguments of commands as data: a command lists what it takes, and one place checks them all with
// MongoDB's errors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "bson/view.h"
#include "commands/invocation.h"

namespace mayfly::commands {

enum class ArgType : uint8_t {
  kAny,
  kString,
  kBool,    // a real boolean
  kFlag,    // a boolean or any number
  kLong,    // an int64 and nothing else
  kNumber,  // any number, cut to an integer where one is meant
  kDocument,
  kArray,
  kBinary,
  kDocumentOrArray,
  kHint,  // a document or a string; 9 for everything else, null among it
};

enum class ArgUse : uint8_t {
  kOptional,
  kNotNull,  // optional, but null is not the same as missing
  kRequired,
  kIgnored,  // accepted and without effect here; its type is still checked
};

struct ArgSpec {
  std::string_view name;
  ArgType type = ArgType::kAny;
  ArgUse use = ArgUse::kOptional;
  std::string_view help;
};

// The position of `name` in a list of specs, at compile time; misspelt names do not compile.
template <size_t N>
consteval size_t ArgIndex(const std::array<ArgSpec, N>& specs, std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (specs[i].name == name) return i;
  }
  throw "no such argument";
}

// Whether `name` is a field that any command may have: lsid, $db, comment ...
bool IsCommonField(std::string_view name);

// What every command takes besides its own arguments. Views into the body.
struct CommonArguments {
  bson::ValueView lsid;
  bson::ValueView txn_number;
  bson::ValueView autocommit;
  bson::ValueView start_transaction;
  bson::ValueView read_concern;
  bson::ValueView write_concern;
  bson::ValueView max_time_ms;
  bson::ValueView comment;
  bson::ValueView read_preference;
  bson::ValueView api_version;
  bson::ValueView api_strict;
  bson::ValueView api_deprecation_errors;
  bson::ValueView cluster_time;
};

// The checked arguments of one command. Missing and null arguments are both missing here.
class Arguments {
 public:
  // Errors: 40415 unknown field (not if `any_fields`), 40414 missing, 40413 duplicate, 14 wrong
  // type.
  static absl::StatusOr<Arguments> Parse(const Invocation& invocation, std::string_view command,
                                         std::span<const ArgSpec> specs, bool any_fields = false);

  // The fields of a document inside a command, such as one statement of `updates`, checked the same
  // way. `where` stands in error texts: "update.updates".
  static absl::StatusOr<Arguments> ParseFields(bson::View document, std::string_view where,
                                               std::span<const ArgSpec> specs);

  bson::ValueView operator[](size_t index) const { return values_[index]; }
  // The value of the command's own field ({find: "coll"}).
  bson::ValueView target() const { return target_; }
  const CommonArguments& common() const { return common_; }

  bool Flag(size_t index, bool otherwise = false) const;
  // An integer from any number, clamped to the int64 range: doubles are cut, decimals rounded half
  // to even, as MongoDB does it.
  int64_t Integer(size_t index, int64_t otherwise) const;
  std::string_view String(size_t index, std::string_view otherwise = {}) const;
  bson::View Document(size_t index) const;  // the empty document if missing

  // The documents of an array argument, wherever they stand: in the body or in a sequence of the
  // message. Error 14 if an element is no document.
  absl::StatusOr<std::vector<bson::View>> Documents(size_t index) const;
  bool Has(size_t index) const {
    return !values_[index].IsMissing() || sequence_[index] != nullptr;
  }

 private:
  absl::Status Read(const Invocation& invocation);
  absl::Status ReadElement(const bson::Element& element);
  // False if no spec has that name.
  absl::StatusOr<bool> ReadOwn(const bson::Element& element);
  absl::Status CheckRequired() const;
  absl::Status CheckType(const ArgSpec& spec, bson::ValueView value) const;

  std::string_view command_;
  bool any_fields_ = false;
  std::span<const ArgSpec> specs_;
  std::vector<bson::ValueView> values_;
  std::vector<const Sequence*> sequence_;
  bson::ValueView target_;
  CommonArguments common_;
};

// "BSON field 'find.limit' is the wrong type 'string', expected types '[long, int, decimal,
// double]'" (14).
absl::Status WrongTypeError(std::string_view command, std::string_view field, bson::Type actual,
                            std::string_view expected);

}  // namespace mayfly::commands
