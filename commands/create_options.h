// The options of `create`: what is accepted, checked as MongoDB does, and how it is stored.
#pragma once

#include <array>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "commands/command.h"
#include "engine/catalog/collection.h"

namespace mayfly::commands {

inline constexpr std::array kCreateArguments = {
    ArgSpec{"capped", ArgType::kFlag, ArgUse::kOptional,
            "keep at most `size` bytes, the oldest go first"},
    ArgSpec{"size", ArgType::kNumber, ArgUse::kOptional, "bytes of a capped collection"},
    ArgSpec{"max", ArgType::kNumber, ArgUse::kOptional, "documents of a capped collection"},
    ArgSpec{"autoIndexId", ArgType::kFlag, ArgUse::kIgnored, "without effect since MongoDB 4.0"},
    ArgSpec{"idIndex", ArgType::kDocument, ArgUse::kOptional, "specification of the _id index"},
    ArgSpec{"storageEngine", ArgType::kDocument, ArgUse::kOptional,
            "options for engines, checked and kept but without effect"},
    ArgSpec{"validator", ArgType::kDocument, ArgUse::kOptional, "filter that documents must match"},
    ArgSpec{"validationLevel", ArgType::kString, ArgUse::kOptional, "off, strict or moderate"},
    ArgSpec{"validationAction", ArgType::kString, ArgUse::kOptional, "error or warn"},
    ArgSpec{"indexOptionDefaults", ArgType::kDocument, ArgUse::kOptional,
            "kept but without effect"},
    ArgSpec{"viewOn", ArgType::kString, ArgUse::kOptional,
            "makes a view on this collection or view"},
    ArgSpec{"pipeline", ArgType::kArray, ArgUse::kOptional, "of the view"},
    ArgSpec{"collation", ArgType::kDocument, ArgUse::kOptional, "default collation"},
    ArgSpec{"changeStreamPreAndPostImages", ArgType::kDocument, ArgUse::kOptional, "{enabled}"},
    ArgSpec{"timeseries", ArgType::kDocument, ArgUse::kOptional, "refused: not supported"},
    ArgSpec{"clusteredIndex", ArgType::kAny, ArgUse::kOptional,
            "{key: {_id: 1}, unique: true}: natural order is that of _id"},
    ArgSpec{"expireAfterSeconds", ArgType::kAny, ArgUse::kOptional,
            "of clustered and time-series collections"},
    ArgSpec{"encryptedFields", ArgType::kDocument, ArgUse::kOptional,
            "fields that clients encrypt: plain values are refused there"},
    ArgSpec{"temp", ArgType::kFlag, ArgUse::kIgnored, "of replication"},
    ArgSpec{"flags", ArgType::kAny, ArgUse::kIgnored, "of old storage engines"},
};

// The options as listCollections shows them. Errors: 72 InvalidOptions, 2 BadValue, 9, 14, 40415
// and those of their parts.
absl::StatusOr<bson::Document> ParseCreateOptions(const Arguments& arguments, int64_t now_ms);

// {enabled: bool} of changeStreamPreAndPostImages. Errors: 40415, 40414, 14.
absl::Status CheckPreImages(std::string_view command, bson::View images);

// `expireAfterSeconds` of a collection: at least 0, at most the time since the epoch. Error: 72.
absl::StatusOr<int64_t> CheckCollectionLifetime(bson::ValueView value, int64_t now_ms);

// 72 InvalidOptions for a validator where documents are the server's own.
absl::Status CheckValidatorPlace(std::string_view database, std::string_view collection,
                                 bson::View validator);

// The stages of a view as they are kept: null elements are passed over, as in MongoDB.
bson::Document ViewPipeline(bson::View stages);

// A view's pipeline must parse, must not write, and must not lead back to itself.
absl::Status CheckViewDefinition(CommandContext& context, std::string_view name,
                                 const engine::CollectionOptions& options);

}  // namespace mayfly::commands
