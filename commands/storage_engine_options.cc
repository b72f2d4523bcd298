#include "commands/storage_engine_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/status.h"
#include "base/strings.h"
#include "commands/arguments.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

// Settings of a WiredTiger table, sorted.
constexpr std::array<std::string_view, 45> kTableSettings = {
    "access_pattern_hint",
    "allocation_size",
    "app_metadata",
    "assert",
    "block_allocation",
    "block_compressor",
    "cache_resident",
    "checksum",
    "colgroups",
    "collator",
    "columns",
    "dictionary",
    "encryption",
    "exclusive",
    "extractor",
    "format",
    "huffman_key",
    "huffman_value",
    "ignore_in_memory_cache_size",
    "immutable",
    "import",
    "internal_item_max",
    "internal_key_max",
    "internal_key_truncate",
    "internal_page_max",
    "key_format",
    "key_gap",
    "leaf_item_max",
    "leaf_key_max",
    "leaf_page_max",
    "leaf_value_max",
    "log",
    "lsm",
    "memory_page_image_max",
    "memory_page_max",
    "os_cache_dirty_max",
    "os_cache_max",
    "prefix_compression",
    "prefix_compression_min",
    "source",
    "split_pct",
    "tiered_storage",
    "type",
    "value_format",
    "write_timestamp_usage",
};
static_assert(std::is_sorted(kTableSettings.begin(), kTableSettings.end()));

// "a=1,b=(c=2,d=3),e": settings of the outermost level must be known, brackets must match.
bool IsTableConfiguration(std::string_view text) {
  while (!text.empty()) {
    const size_t name_end = std::min(text.find_first_of("=,"), text.size());
    const std::string_view name = text.substr(0, name_end);
    if (!name.empty() && !std::binary_search(kTableSettings.begin(), kTableSettings.end(), name)) {
      return false;
    }
    int depth = 0;
    size_t end = name_end;
    for (; end < text.size() && (text[end] != ',' || depth > 0); ++end) {
      if (text[end] == '(' || text[end] == '[') ++depth;
      if (text[end] == ')' || text[end] == ']') --depth;
      if (depth < 0) return false;
    }
    if (depth != 0) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

absl::Status CheckWiredTiger(bson::View options) {
  for (const bson::Element& element : options) {
    if (element.key != "configString") {
      return Error(
          ErrorCode::kInvalidOptions,
          StrCat("'", element.key, "' is not a supported option in storageEngine.wiredTiger"));
    }
    if (!element.value.IsString()) {
      return Error(ErrorCode::kTypeMismatch,
                   "storageEngine.wiredTiger.configString must be a string");
    }
    const std::string_view text = element.value.AsString();
    if (text.find('\0') != std::string_view::npos) {
      return Error(ErrorCode::kFailedToParse, "malformed 'configString' value: it contains NUL");
    }
    if (!IsTableConfiguration(text)) {
      return Error(ErrorCode::kBadValue, StrCat("WiredTiger cannot read the configuration ", text));
    }
  }
  return absl::OkStatus();
}

constexpr std::array kDefaultsFields = {
    ArgSpec{"storageEngine", ArgType::kDocument, ArgUse::kOptional, "of indexes"},
};

}  // namespace

absl::Status CheckStorageEngine(bson::View engines) {
  for (const bson::Element& element : engines) {
    if (!element.value.IsDocument()) {
      return Error(ErrorCode::kBadValue,
                   StrCat("'storageEngine.", element.key, "' has to be an embedded document"));
    }
    if (element.key != "wiredTiger") {
      return Error(ErrorCode::kInvalidOptions,
                   StrCat(element.key, " is not a registered storage engine for this server"));
    }
    MAYFLY_RETURN_IF_ERROR(CheckWiredTiger(element.value.AsDocument()));
  }
  return absl::OkStatus();
}

absl::Status CheckIndexOptionDefaults(bson::View defaults) {
  MAYFLY_ASSIGN_OR_RETURN(
      const Arguments fields,
      Arguments::ParseFields(defaults, "create.indexOptionDefaults", kDefaultsFields));
  return CheckStorageEngine(fields.Document(0));
}

}  // namespace mayfly::commands
