// A stored record: a header with what expiry needs, then the document's BSON as received.
//
//   record  := flags:u8 modified:u48 [own_ttl:i32] document
//   flags   := bit 0: own_ttl follows; other bits 0
//   modified, own_ttl little-endian; modified is milliseconds since 1970 (enough until the year
//   10889)
//
// own_ttl is the document's valid `ttl` (expiry_rule.h), kept here so that a check does not parse
// the document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bson/view.h"
#include "engine/catalog/expiry_rule.h"

namespace mayfly::engine {

struct RecordHeader {
  int64_t modified_ms = 0;
  std::optional<int32_t> own_ttl;

  std::optional<int64_t> ExpiresAtMs(const LastWriteRule& rule) const {
    return engine::ExpiresAtMs(rule, modified_ms, own_ttl);
  }
  bool IsExpired(const LastWriteRule& rule, int64_t now_ms) const {
    const auto at = ExpiresAtMs(rule);
    return at.has_value() && now_ms >= *at;
  }
};

struct RecordView {
  RecordHeader header;
  bson::View document;
};

// `bytes` must be a record; it is not checked.
RecordView ReadRecord(std::string_view bytes);

// Replaces `*out` with the record of `document`.
void WriteRecord(int64_t modified_ms, bson::View document, std::string* out);

}  // namespace mayfly::engine
