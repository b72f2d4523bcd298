// The pure rules of expiry by last write and by epoch attribute: which value of `ttl`, of
// `expireAfterSeconds` and of the attribute means what, and when a record is expired. Everything
// that reads or removes documents asks here.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "bson/view.h"

namespace mayfly::engine {

inline constexpr int32_t kNeverExpires = -1;

// What a collection's `_ts` index says. Default: off.
struct LastWriteRule {
  enum class Mode : uint8_t {
    kOff,        // no such index, or without the option: `ttl` in documents has no effect
    kNoDefault,  // -1: only documents with their own valid `ttl` expire
    kDefault,    // documents without one expire after `seconds`
  };
  Mode mode = Mode::kOff;
  int32_t seconds = 0;  // 1 ... 2147483647 in mode kDefault

  bool is_on() const { return mode != Mode::kOff; }
  bool operator==(const LastWriteRule&) const = default;
};

// The document's own `ttl`, as stored in its record header: nullopt if absent or invalid, -1 for
// never, or 1 and more seconds. Valid are int32, int64 within int32, and double without a fraction
// within int32.
std::optional<int32_t> OwnTtl(bson::View document);

// A moment further in the past than this is taken for nonsense and never fires.
inline constexpr int64_t kEpochGuardMs = int64_t{5} * 1461 * 6 * 3600 * 1000;

// The moment, in ms since 1970, that the value of an epoch attribute names: a number of any type is
// Unix seconds, its fraction cut. nullopt for everything else, for times before 1970, and for those
// that milliseconds in 64 bits cannot hold: never due.
std::optional<int64_t> EpochMomentMs(bson::ValueView value);

// When a date plus a lifetime is due; the last moment there is, if that is beyond it.
inline int64_t DateDueMs(int64_t date_ms, int32_t lifetime_seconds) {
  int64_t due_ms = 0;
  const bool beyond = __builtin_add_overflow(date_ms, int64_t{lifetime_seconds} * 1000, &due_ms);
  return beyond ? std::numeric_limits<int64_t>::max() : due_ms;
}

// True for a number that was likely meant as milliseconds: later than the year 5138 as seconds.
bool LooksLikeMilliseconds(bson::ValueView value);

// Why a document's `ttl` is no valid one, for status reports; kNone for a valid one.
enum class TtlDefect : uint8_t { kNone, kAbsent, kType, kFraction, kRange };
TtlDefect ClassifyTtl(bson::ValueView ttl);

// The moment from which a record is expired (expired means now >= it), in ms since 1970; nullopt:
// never. 64-bit throughout: a write now plus 2147483647 s does not wrap.
inline std::optional<int64_t> ExpiresAtMs(const LastWriteRule& rule, int64_t last_modified_ms,
                                          std::optional<int32_t> own_ttl) {
  if (!rule.is_on()) return std::nullopt;
  if (own_ttl.has_value()) {
    if (*own_ttl == kNeverExpires) return std::nullopt;
    return last_modified_ms + int64_t{*own_ttl} * 1000;
  }
  if (rule.mode == LastWriteRule::Mode::kNoDefault) return std::nullopt;
  return last_modified_ms + int64_t{rule.seconds} * 1000;
}

}  // namespace mayfly::engine
