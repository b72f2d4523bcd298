// Calendar arithmetic for the date operators: time zones, parts of dates, ISO weeks, units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "bson/value.h"

namespace mayfly::engine {

// A time zone: one of the database, or a fixed offset of any size.
struct TimeZone {
  absl::TimeZone zone = absl::UTCTimeZone();
  int offset_seconds = 0;  // added to what `zone` says

  bool IsUtc() const { return offset_seconds == 0 && zone == absl::UTCTimeZone(); }
};

// An Olson name ("Europe/Paris"), "UTC", "GMT", or an offset ("+03", "-0530", "+05:30"). Error:
// 40485.
absl::StatusOr<TimeZone> ParseTimeZone(std::string_view name);

// A moment as the calendar of a time zone shows it.
struct DateParts {
  absl::CivilSecond second;
  int millisecond = 0;
  int offset_seconds = 0;  // east of UTC
};
DateParts ToParts(int64_t ms, const TimeZone& zone);
// Error: 15 Overflow-like (code given) if the moment does not fit.
std::optional<int64_t> FromCivil(absl::CivilSecond second, int millisecond, const TimeZone& zone);

// ISO 8601: weeks begin on Monday, week 1 holds the year's first Thursday. Days 1 (Monday) to 7.
struct IsoWeek {
  int64_t year;
  int week;
  int day;
};
IsoWeek ToIsoWeek(absl::CivilDay day);
absl::CivilDay FromIsoWeek(int64_t year, int64_t week, int64_t day);
// 1 (Sunday) to 7.
int DayOfWeek(absl::CivilDay day);
// Weeks begin on Sunday; days before the first Sunday are in week 0.
int WeekOfYear(absl::CivilDay day);

enum class DateUnit : uint8_t {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond
};
std::optional<DateUnit> ParseDateUnit(std::string_view name);
// 0 (Monday) to 6, from "monday", "mon" ... in any case.
std::optional<int> ParseWeekday(std::string_view name);

// `ms` moved by `amount` units; the day is cut to the month's length. Nullopt on overflow.
std::optional<int64_t> AddUnits(int64_t ms, DateUnit unit, int64_t amount, const TimeZone& zone);
// How many boundaries of the unit lie between two moments. `week_start`: 0 is Monday.
int64_t CountUnits(int64_t from_ms, int64_t to_ms, DateUnit unit, const TimeZone& zone,
                   int week_start);
// The begin of the bin that `ms` falls into; bins of `size` units are counted from 2000-01-01 in
// the zone. Nullopt on overflow.
std::optional<int64_t> TruncateToBin(int64_t ms, DateUnit unit, int64_t size, const TimeZone& zone,
                                     int week_start);

}  // namespace mayfly::engine
