#include "base/status.h"

#include <charconv>

#include "absl/strings/cord.h"
#include "base/strings.h"

namespace mayfly::base {
namespace {

constexpr absl::string_view kCodeUrl = "mayfly/code";
constexpr absl::string_view kFieldsUrl = "mayfly/fields";

}  // namespace

absl::Status Error(ErrorCode code, std::string_view message) {
  absl::Status status(absl::StatusCode::kUnknown, ToAbsl(message));
  status.SetPayload(kCodeUrl, absl::Cord(std::to_string(static_cast<int>(code))));
  return status;
}

absl::Status Error(int code, std::string_view message) {
  return Error(static_cast<ErrorCode>(code), message);
}

ErrorCode CodeOf(const absl::Status& status) {
  if (status.ok()) return ErrorCode::kOk;
  auto payload = status.GetPayload(kCodeUrl);
  if (!payload.has_value()) return ErrorCode::kInternalError;
  const std::string text(*payload);
  int code = static_cast<int>(ErrorCode::kInternalError);
  std::from_chars(text.data(), text.data() + text.size(), code);
  return static_cast<ErrorCode>(code);
}

std::string_view MessageOf(const absl::Status& status) { return FromAbsl(status.message()); }

absl::Status WithErrorFields(absl::Status status, std::string_view document) {
  status.SetPayload(kFieldsUrl, absl::Cord(ToAbsl(document)));
  return status;
}

std::string ErrorFieldsOf(const absl::Status& status) {
  auto payload = status.GetPayload(kFieldsUrl);
  return payload.has_value() ? std::string(*payload) : std::string();
}

absl::Status WithPrefix(const absl::Status& status, std::string_view prefix) {
  std::string text(prefix);
  text.append(MessageOf(status));
  absl::Status result = Error(CodeOf(status), text);
  const std::string fields = ErrorFieldsOf(status);
  return fields.empty() ? result : WithErrorFields(std::move(result), fields);
}

}  // namespace mayfly::base
