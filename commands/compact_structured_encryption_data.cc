// compactStructuredEncryptionData: merges what encrypted writes have left in a collection's state
// collections. Writes that would leave something there are not offered, so there is never anything
// to merge.
#include <array>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kArguments = {
    ArgSpec{"compactionTokens", ArgType::kDocument, ArgUse::kRequired,
            "one for each encrypted field"},
    ArgSpec{"encryptionInformation", ArgType::kDocument, ArgUse::kIgnored, "sent by clients"},
    ArgSpec{"anchorPaddingTokens", ArgType::kDocument, ArgUse::kIgnored, "of text queries"},
};

absl::Status CheckTokens(bson::View encrypted, bson::View tokens) {
  const bson::ValueView fields = encrypted.Find("fields");
  if (!fields.IsArray()) return absl::OkStatus();
  for (const bson::Element& field : fields.AsDocument()) {
    const bson::ValueView path = field.value.AsDocument().Find("path");
    if (tokens.Has(path.AsString())) continue;
    return Error(7294900,
                 StrCat("no compaction token is given for the encrypted path ", path.AsString()));
  }
  return absl::OkStatus();
}

absl::Status Run(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  if (!arguments.target().IsString() || arguments.target().AsString().empty()) {
    return TargetCollectionName(context, arguments).status();
  }
  const std::string_view name = arguments.target().AsString();
  const auto collection = context.FindCollection(name);
  if (collection == nullptr) {
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("ns does not exist: ", FullName(context, name)));
  }
  if (collection->IsView()) return NotOnView(collection->ns());
  const bson::ValueView encrypted = collection->options().stored.Find("encryptedFields");
  if (!encrypted.IsDocument()) {
    return Error(6346807, "Target namespace is not an encrypted collection");
  }
  MAYFLY_RETURN_IF_ERROR(CheckTokens(encrypted.AsDocument(), arguments.Document(0)));
  reply.OpenDocument("stats");
  reply.OpenDocument("ecoc").Int64("read", 0).Int64("deleted", 0).Close();
  reply.OpenDocument("esc").Int64("read", 0).Int64("inserted", 0).Int64("updated", 0);
  reply.Int64("deleted", 0).Close().Close();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "compactStructuredEncryptionData",
     .place = Place::kRead,
     .flags = kNoApiVersion | kNoConcerns | kTakesWriteConcern,
     .run = Run,
     .arguments = kArguments,
     .help =
         "Checks the tokens of a collection with encrypted fields; there is nothing to compact."},
};

}  // namespace

std::span<const CommandRow> EncryptionCommands() { return kRows; }

}  // namespace mayfly::commands
