#include "wire/op_query.h"

#include <string_view>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/validate.h"
#include "wire/frame.h"

namespace mayfly::wire {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr int kBadNumberToReturn = 16979;
constexpr std::string_view kCommandSuffix = ".$cmd";

// A command may be wrapped as { $query: <command>, $readPreference: ... }; both spellings exist.
bson::View Unwrap(bson::View query) {
  const bson::Element first = query.First();
  const bool wrapped = (first.key == "$query" || first.key == "query") && first.value.IsDocument();
  return wrapped ? first.value.AsDocument() : query;
}

}  // namespace

absl::Status ParseOpQuery(Request* request) {
  std::string_view bytes = std::string_view(request->storage).substr(kHeaderSize);
  if (bytes.size() < 4) return FatalError("OP_QUERY is cut off before its flags");
  request->is_legacy_query = true;
  request->legacy_secondary_ok = (LoadInt32(bytes.data()) & kQuerySecondaryOk) != 0;
  bytes.remove_prefix(4);
  const size_t end = bytes.find('\0');
  if (end == std::string_view::npos) return FatalError("the namespace of OP_QUERY has no end");
  const std::string_view ns = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  if (bytes.size() < 8) return FatalError("OP_QUERY is cut off before its query");
  const int32_t number_to_return = LoadInt32(bytes.data() + 4);
  bytes.remove_prefix(8);
  if (ns.size() <= kCommandSuffix.size() || !ns.ends_with(kCommandSuffix)) {
    return Error(kNotACommand,
                 "OP_QUERY is no longer supported. The client driver may require an upgrade. For "
                 "more details see "
                 "https://dochub.mongodb.org/core/legacy-opcode-removal");
  }
  request->legacy_database = ns.substr(0, ns.size() - kCommandSuffix.size());
  if (number_to_return != 1 && number_to_return != -1) {
    return Error(kBadNumberToReturn, StrCat("Invalid numberToReturn (", number_to_return,
                                            ") for $cmd type ns (", ns, ")"));
  }
  const int32_t size = bytes.size() < 5 ? 0 : LoadInt32(bytes.data());
  if (size < 5 || static_cast<size_t>(size) > bytes.size()) {
    return Error(ErrorCode::kInvalidBSON, "the query of OP_QUERY is cut off");
  }
  const std::string_view query = bytes.substr(0, size);
  MAYFLY_RETURN_IF_ERROR(bson::ValidateDocument(query));
  request->body = Unwrap(bson::View(query));
  return absl::OkStatus();
}

std::string QueryFailureDocument(const absl::Status& status) {
  bson::Builder b;
  b.String("$err", base::MessageOf(status))
      .Int32("code", static_cast<int32_t>(base::CodeOf(status)))
      .Double("ok", 0.0);
  return b.Finish().TakeBytes();
}

}  // namespace mayfly::wire
