#include "engine/catalog/namespace.h"

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"

namespace mayfly::engine {
namespace {

constexpr std::array<std::string_view, 6> kCreatableSystemCollections = {
    "system.users", "system.roles",   "system.js",
    "system.views", "system.profile", "system.version"};

absl::Status Invalid(std::string_view text) {
  return base::Error(base::ErrorCode::kInvalidNamespace, text);
}

}  // namespace

std::string NamespaceView::ToString() const { return base::StrCat(database, ".", collection); }

NamespaceView SplitNamespace(std::string_view ns) {
  const size_t dot = ns.find('.');
  if (dot == std::string_view::npos) return {ns, {}};
  return {ns.substr(0, dot), ns.substr(dot + 1)};
}

absl::Status CheckDatabaseName(std::string_view name) {
  const bool bad_character = std::any_of(name.begin(), name.end(), [](char c) {
    return c == '/' || c == '\\' || c == '.' || c == ' ' || c == '"' || c == '$' || c == '\0';
  });
  if (name.empty() || name.size() > base::kMaxDatabaseNameLength || bad_character) {
    return Invalid(base::StrCat("Invalid database name: '", name, "'"));
  }
  return absl::OkStatus();
}

absl::Status CheckCollectionName(std::string_view database, std::string_view collection) {
  const auto invalid = [&] {
    return Invalid(base::StrCat("Invalid namespace specified '", database, ".", collection, "'"));
  };
  if (collection.empty())
    return Invalid(base::StrCat("Invalid namespace specified '", database, ".'"));
  if (collection.find('\0') != std::string_view::npos) {
    return Invalid("namespaces cannot have embedded null characters");
  }
  if (collection.front() == '.') {
    return Invalid(base::StrCat("Collection names cannot start with '.': ", collection));
  }
  if (database.size() + 1 + collection.size() > base::kMaxNamespaceLength) {
    return Invalid(base::StrCat("Fully qualified namespace is too long. Namespace: ", database, ".",
                                collection, " Max: ", base::kMaxNamespaceLength));
  }
  if (collection.find('$') != std::string_view::npos && collection != "$cmd.aggregate")
    return invalid();
  return absl::OkStatus();
}

absl::Status CheckCreatableCollectionName(std::string_view database, std::string_view collection) {
  if (auto status = CheckCollectionName(database, collection); !status.ok()) return status;
  if (!IsSystemCollection(collection)) return absl::OkStatus();
  const auto& known = kCreatableSystemCollections;
  if (std::find(known.begin(), known.end(), collection) != known.end()) return absl::OkStatus();
  if (collection.starts_with("system.buckets.")) return absl::OkStatus();
  return Invalid(base::StrCat("Invalid system namespace: ", database, ".", collection));
}

bool IsSystemCollection(std::string_view collection) { return collection.starts_with("system."); }

}  // namespace mayfly::engine
