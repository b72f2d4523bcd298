#include "commands/log_verbosity.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

// Depth of the tree of components; a request cannot go deeper, as its members must exist.
constexpr std::string_view kComponents[] = {
    "accessControl",
    "assert",
    "command",
    "control",
    "executor",
    "geo",
    "globalIndex",
    "index",
    "network",
    "network.asio",
    "network.bridge",
    "network.connectionPool",
    "processHealth",
    "query",
    "query.optimizer",
    "query.ce",
    "queryStats",
    "replication",
    "replication.election",
    "replication.heartbeats",
    "replication.initialSync",
    "replication.rollback",
    "sharding",
    "sharding.rangeDeleter",
    "sharding.shardingCatalogRefresh",
    "sharding.migration",
    "sharding.reshard",
    "sharding.migrationPerf",
    "storage",
    "storage.recovery",
    "storage.journal",
    "storage.wt",
    "test",
    "transaction",
    "tenantMigration",
    "write",
    "ftdc",
    "tracking",
};

constexpr int32_t kInherit = -1;

struct Verbosity {
  std::string_view path;  // empty: the default of all
  int32_t value;
};

bool IsComponent(std::string_view path) {
  for (const std::string_view component : kComponents) {
    if (component == path) return true;
  }
  return false;
}

int32_t ValueOf(const std::vector<Verbosity>& values, std::string_view path, int32_t otherwise) {
  for (const Verbosity& verbosity : values) {
    if (verbosity.path == path) return verbosity.value;
  }
  return otherwise;
}

// The known components have two levels, so the document is written level by level.
bson::Document Build(const std::vector<Verbosity>& values) {
  bson::Builder builder;
  builder.Int32("verbosity", ValueOf(values, "", 0));
  for (const std::string_view parent : kComponents) {
    if (parent.find('.') != std::string_view::npos) continue;
    builder.OpenDocument(parent).Int32("verbosity", ValueOf(values, parent, kInherit));
    for (const std::string_view child : kComponents) {
      if (!child.starts_with(parent) || child.size() <= parent.size()) continue;
      if (child[parent.size()] != '.') continue;
      builder.OpenDocument(child.substr(parent.size() + 1));
      builder.Int32("verbosity", ValueOf(values, child, kInherit)).Close();
    }
    builder.Close();
  }
  return builder.Finish();
}

absl::StatusOr<int32_t> ReadVerbosity(bson::ValueView value, std::string_view path) {
  if (value.IsNumber() && !bson::IsNaN(value)) {
    const double number = bson::ToDouble(value);
    if (number >= kInherit && number <= std::numeric_limits<int32_t>::max()) {
      return static_cast<int32_t>(number);
    }
  }
  return Error(ErrorCode::kBadValue,
               StrCat("Invalid value for the verbosity of log component '", path, "'"));
}

// The canonical name of the component at `path`, which outlives the request.
std::string_view Canonical(std::string_view path) {
  for (const std::string_view component : kComponents) {
    if (component == path) return component;
  }
  return {};
}

absl::Status Read(bson::View document, std::string_view prefix, std::vector<Verbosity>* out) {
  for (const bson::Element& element : document) {
    if (element.key == "verbosity") {
      MAYFLY_ASSIGN_OR_RETURN(const int32_t value, ReadVerbosity(element.value, prefix));
      out->push_back({Canonical(prefix), value});
      continue;
    }
    const std::string path =
        prefix.empty() ? std::string(element.key) : StrCat(prefix, ".", element.key);
    if (!IsComponent(path)) {
      return Error(ErrorCode::kBadValue, StrCat("Invalid component name ", path));
    }
    if (element.value.IsDocument()) {
      MAYFLY_RETURN_IF_ERROR(Read(element.value.AsDocument(), path, out));
      continue;
    }
    MAYFLY_ASSIGN_OR_RETURN(const int32_t value, ReadVerbosity(element.value, path));
    out->push_back({Canonical(path), value});
  }
  return absl::OkStatus();
}

// `values` with `changes` put first, where they are found first.
std::vector<Verbosity> Merge(std::vector<Verbosity> changes, const std::vector<Verbosity>& values) {
  changes.insert(changes.end(), values.begin(), values.end());
  return changes;
}

}  // namespace

bson::Document DefaultLogVerbosity() { return Build({}); }

absl::StatusOr<bson::Document> ChangeLogVerbosity(bson::View now, bson::View change) {
  std::vector<Verbosity> changes;
  std::vector<Verbosity> values;
  MAYFLY_RETURN_IF_ERROR(Read(change, "", &changes));
  MAYFLY_RETURN_IF_ERROR(Read(now, "", &values));
  return Build(Merge(std::move(changes), values));
}

bson::Document WithLogLevel(bson::View now, int32_t level) {
  bson::Builder change;
  change.Int32("verbosity", level);
  auto result = ChangeLogVerbosity(now, change.Finish());
  return result.ok() ? *std::move(result) : DefaultLogVerbosity();
}

}  // namespace mayfly::commands
