// Names of databases and collections, and MongoDB's rules for them.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace mayfly::engine {

// "db.collection"; the collection's name may itself contain dots.
struct NamespaceView {
  std::string_view database;
  std::string_view collection;
  std::string ToString() const;
};

// Splits at the first dot; without one the collection is empty.
NamespaceView SplitNamespace(std::string_view ns);

// 73 InvalidNamespace unless `name` is a legal database name: 1 to 63 bytes, none of / \ . space "
// $ NUL (the last two of Windows, * < > : | ?, are allowed, as MongoDB does on Linux).
absl::Status CheckDatabaseName(std::string_view name);

// 73 InvalidNamespace unless `collection` may be used in a command: not empty, no NUL, no leading
// dot, `$` only as in legacy system names, and database plus collection at most 255 bytes.
absl::Status CheckCollectionName(std::string_view database, std::string_view collection);

// Additional rules for a collection that is to be created: 73 for names below "system." that are
// not ours.
absl::Status CheckCreatableCollectionName(std::string_view database, std::string_view collection);

bool IsSystemCollection(std::string_view collection);

}  // namespace mayfly::engine
