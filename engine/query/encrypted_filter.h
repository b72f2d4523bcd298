// What a collection with encrypted fields demands of a document: at each of their paths nothing, or
// a value that a client has encrypted.
#pragma once

#include <optional>
#include <string_view>

#include "bson/types.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

// Matches documents without `path` and those with an encrypted value there, of the type `original`
// before encryption; nullopt: of any.
//
// An encrypted value is a binary of subtype 6: its kind (one byte), the key's UUID (16 bytes), the
// BSON type of what was encrypted (one byte), the cipher text.
FilterPtr MakeEncryptedOrMissing(std::string_view path, std::optional<bson::Type> original);

}  // namespace mayfly::engine
