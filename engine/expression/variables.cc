#include "engine/expression/variables.h"

#include "base/status.h"
#include "base/strings.h"

namespace mayfly::engine {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNonAscii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

enum class FirstLetter { kLower, kAny };

absl::Status CheckName(std::string_view name, FirstLetter first) {
  if (name.empty()) {
    return base::Error(base::ErrorCode::kFailedToParse, "empty variable names are not allowed");
  }
  if (!IsLower(name[0]) && !IsNonAscii(name[0]) &&
      !(first == FirstLetter::kAny && IsUpper(name[0]))) {
    return base::Error(
        base::ErrorCode::kFailedToParse,
        base::StrCat("'", name, "' starts with an invalid character for a user variable name"));
  }
  for (char c : name.substr(1)) {
    if (IsLower(c) || IsUpper(c) || IsDigit(c) || c == '_' || IsNonAscii(c)) continue;
    return base::Error(
        base::ErrorCode::kFailedToParse,
        base::StrCat("'", name, "' contains an invalid character for a variable name: '",
                     std::string_view(&c, 1), "'"));
  }
  return absl::OkStatus();
}

}  // namespace

Slot Variables::Define(std::string_view name) {
  Slot slot = next_slot_++;
  entries_.push_back({std::string(name), slot, bson::Value(), false});
  return slot;
}

void Variables::DefineConstant(std::string_view name, bson::Value value) {
  entries_.push_back({std::string(name), -1, std::move(value), true});
}

std::optional<Variables::Found> Variables::Find(std::string_view name) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->name != name) continue;
    return entry->is_constant ? Found{-1, &entry->constant} : Found{entry->slot, nullptr};
  }
  return outer_ ? outer_->Find(name) : std::nullopt;
}

absl::Status CheckVariableNameForWrite(std::string_view name) {
  if (name == "CURRENT") return absl::OkStatus();
  return CheckName(name, FirstLetter::kLower);
}

absl::Status CheckVariableNameForRead(std::string_view name) {
  return CheckName(name, FirstLetter::kAny);
}

}  // namespace mayfly::engine
