#include "commands/encrypted_fields.h"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/arguments.h"
#include "commands/encrypted_queries.h"
#include "engine/query/type_set.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Type;
using bson::ValueView;

constexpr std::array kConfigFields = {
    ArgSpec{"escCollection", ArgType::kString, ArgUse::kOptional, "state of the index"},
    ArgSpec{"eccCollection", ArgType::kString, ArgUse::kOptional, "of the first version"},
    ArgSpec{"ecocCollection", ArgType::kString, ArgUse::kOptional, "what is to be compacted"},
    ArgSpec{"fields", ArgType::kArray, ArgUse::kRequired, "what is encrypted"},
    ArgSpec{"strEncodeVersion", ArgType::kNumber, ArgUse::kOptional, "of text queries"},
};

constexpr std::array kFieldFields = {
    ArgSpec{"keyId", ArgType::kBinary, ArgUse::kRequired, "UUID of the data key"},
    ArgSpec{"path", ArgType::kString, ArgUse::kRequired, "of the field"},
    ArgSpec{"bsonType", ArgType::kString, ArgUse::kOptional, "type before encryption"},
    ArgSpec{"queries", ArgType::kDocumentOrArray, ArgUse::kNotNull, "how it may be queried"},
};

consteval size_t Config(std::string_view name) { return ArgIndex(kConfigFields, name); }
consteval size_t Field(std::string_view name) { return ArgIndex(kFieldFields, name); }

absl::StatusOr<std::optional<Type>> ReadType(const Arguments& field) {
  std::optional<Type> type;
  if (!field.Has(Field("bsonType"))) return type;
  engine::TypeSet types;
  MAYFLY_RETURN_IF_ERROR(types.AddAlias(field.String(Field("bsonType"))));
  types.ForEach([&](Type one) { type = one; });
  return type;
}

absl::Status CheckKeyId(ValueView key) {
  const bson::Binary binary = key.AsBinary();
  if (binary.subtype != bson::kBinaryUuid) {
    return Error(ErrorCode::kTypeMismatch,
                 "BSON field 'create.encryptedFields.fields.keyId' is the wrong binData type, "
                 "expected type 'UUID'");
  }
  if (binary.bytes.size() != 16) {
    return Error(ErrorCode::kInvalidUUID, "uuid must be a 16-byte binary field with UUID subtype");
  }
  return absl::OkStatus();
}

// Appends the field as an element of the open array.
absl::StatusOr<Arguments> AppendField(bson::View given, bson::Builder* out) {
  MAYFLY_ASSIGN_OR_RETURN(
      Arguments field,
      Arguments::ParseFields(given, "create.encryptedFields.fields", kFieldFields));
  MAYFLY_RETURN_IF_ERROR(CheckKeyId(field[Field("keyId")]));
  if (field.String(Field("path")).find('\0') != std::string_view::npos) {
    return Error(9867600, "A field path cannot have embedded null characters");
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto type, ReadType(field));
  out->PushOpenDocument();
  for (const bson::Element& element : given) {
    if (element.key != "queries") out->Append(element);
  }
  if (!field.Has(Field("queries"))) {
    if (type.has_value() && !IsEncryptableType(*type)) {
      return Error(6338406,
                   StrCat("Type '", bson::TypeName(*type), "' is not a supported unindexed type"));
    }
    out->Close();
    return field;
  }
  MAYFLY_RETURN_IF_ERROR(AppendEncryptedQueries(field[Field("queries")], type, out));
  out->Close();
  return field;
}

// What is wrong with the fields together.
class Together {
 public:
  absl::Status Add(const Arguments& field) {
    const std::string key(field[Field("keyId")].AsBinary().bytes);
    if (!keys_.insert(key).second) return Error(6338401, "Duplicate key ids are not allowed");
    const std::string path(field.String(Field("path")));
    if (path.empty()) return Error(6316402, "Encrypted field must have a non-empty path");
    if (path == "_id" || path.starts_with("_id.")) {
      return Error(6316403, "Cannot encrypt _id or its subfields");
    }
    for (const std::string& other : paths_) {
      if (path == other) return Error(6338402, "Duplicate paths are not allowed");
      if (path.starts_with(other + ".") || other.starts_with(path + ".")) {
        return Error(6338403,
                     StrCat("Conflicting index paths found as one is a prefix of another '", path,
                            "' and '", other, "'"));
      }
    }
    paths_.push_back(path);
    return absl::OkStatus();
  }

 private:
  std::set<std::string> keys_;
  std::vector<std::string> paths_;
};

absl::Status CheckStateCollection(const Arguments& config, size_t index, std::string_view suffix,
                                  int code) {
  if (!config.Has(index)) return absl::OkStatus();
  const std::string_view name = config.String(index);
  if (name.starts_with("enxcol_.") && name.ends_with(suffix)) return absl::OkStatus();
  return Error(code, StrCat("Encrypted state collections are named enxcol_.<collection>", suffix));
}

}  // namespace

absl::StatusOr<bson::Document> ParseEncryptedFields(bson::View given) {
  MAYFLY_ASSIGN_OR_RETURN(const Arguments config,
                          Arguments::ParseFields(given, "create.encryptedFields", kConfigFields));
  bson::Builder stored;
  for (const bson::Element& element : given) {
    if (element.key != "fields") stored.Append(element);
  }
  stored.OpenArray("fields");
  std::vector<Arguments> fields;
  for (const bson::Element& element : config.Document(Config("fields"))) {
    if (element.value.IsNullish()) continue;
    if (!element.value.IsDocument()) {
      return WrongTypeError("create.encryptedFields", StrCat("fields.", element.key),
                            element.value.type(), "object");
    }
    MAYFLY_ASSIGN_OR_RETURN(Arguments field, AppendField(element.value.AsDocument(), &stored));
    fields.push_back(std::move(field));
  }
  stored.Close();
  MAYFLY_RETURN_IF_ERROR(CheckStateCollection(config, Config("escCollection"), ".esc", 7406900));
  MAYFLY_RETURN_IF_ERROR(CheckStateCollection(config, Config("ecocCollection"), ".ecoc", 7406902));
  Together together;
  for (const Arguments& field : fields) MAYFLY_RETURN_IF_ERROR(together.Add(field));
  return stored.Finish();
}

}  // namespace mayfly::commands
