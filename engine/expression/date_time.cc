#include "engine/expression/date_time.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/ascii.h"
#include "base/status.h"
#include "base/strings.h"

namespace mayfly::engine {
namespace {

constexpr int64_t kMsPerSecond = 1000;

// "+hh", "+hhmm", "+hh:mm" as seconds.
std::optional<int> ParseOffset(std::string_view text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  std::string digits;
  for (char c : text.substr(1)) {
    if (c == ':' && digits.size() == 2 && text.size() == 6) continue;
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return std::nullopt;
    digits += c;
  }
  if (digits.size() != 2 && digits.size() != 4) return std::nullopt;
  int hours = std::stoi(digits.substr(0, 2));
  int minutes = digits.size() == 4 ? std::stoi(digits.substr(2)) : 0;
  int seconds = hours * 3600 + minutes * 60;
  return text[0] == '-' ? -seconds : seconds;
}

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

int MondayIndex(absl::CivilDay day) { return static_cast<int>(absl::GetWeekday(day)); }

// Days since an epoch day whose week begins on Monday.
int64_t DayNumber(absl::CivilDay day) { return day - absl::CivilDay(1970, 1, 5); }

std::optional<int64_t> Multiply(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

std::optional<int64_t> UnitMs(DateUnit unit) {
  switch (unit) {
    case DateUnit::kWeek:
      return 7 * 86'400'000LL;
    case DateUnit::kDay:
      return 86'400'000LL;
    case DateUnit::kHour:
      return 3'600'000LL;
    case DateUnit::kMinute:
      return 60'000LL;
    case DateUnit::kSecond:
      return 1000LL;
    case DateUnit::kMillisecond:
      return 1LL;
    case DateUnit::kYear:
    case DateUnit::kQuarter:
    case DateUnit::kMonth:
      return std::nullopt;
  }
  return std::nullopt;
}

int MonthsIn(DateUnit unit) {
  return unit == DateUnit::kYear ? 12 : unit == DateUnit::kQuarter ? 3 : 1;
}

// Months since year 0.
int64_t MonthNumber(absl::CivilMonth month) { return month.year() * 12 + month.month() - 1; }

// A number of units that no result inside the range of dates can need.
constexpr int64_t kMaxCalendarAmount = 4'000'000'000LL;

}  // namespace

absl::StatusOr<TimeZone> ParseTimeZone(std::string_view name) {
  if (name == "UTC" || name == "GMT" || name == "Etc/UTC") return TimeZone();
  if (std::optional<int> offset = ParseOffset(name)) return TimeZone{absl::UTCTimeZone(), *offset};
  TimeZone zone;
  const bool plain = !name.empty() && name[0] != '/' && name[0] != '.' &&
                     name.find('\0') == std::string_view::npos &&
                     name.find("Fixed/") == std::string_view::npos &&
                     name.find("..") == std::string_view::npos &&
                     name.find(':') == std::string_view::npos && name != "localtime";
  if (plain && absl::LoadTimeZone(base::ToAbsl(name), &zone.zone)) return zone;
  return base::Error(40485, base::StrCat("unrecognized time zone identifier: \"", name, "\""));
}

DateParts ToParts(int64_t ms, const TimeZone& zone) {
  const absl::TimeZone::CivilInfo info = zone.zone.At(absl::FromUnixMillis(ms));
  const int64_t rest = ((ms % kMsPerSecond) + kMsPerSecond) % kMsPerSecond;
  return {info.cs + zone.offset_seconds, static_cast<int>(rest), info.offset + zone.offset_seconds};
}

std::optional<int64_t> FromCivil(absl::CivilSecond second, int millisecond, const TimeZone& zone) {
  absl::TimeZone::TimeInfo info = zone.zone.At(second - zone.offset_seconds);
  if (info.pre == absl::InfiniteFuture() || info.pre == absl::InfinitePast()) return std::nullopt;
  std::optional<int64_t> ms = Multiply(absl::ToUnixSeconds(info.pre), kMsPerSecond);
  int64_t out;
  if (!ms || __builtin_add_overflow(*ms, static_cast<int64_t>(millisecond), &out))
    return std::nullopt;
  return out;
}

IsoWeek ToIsoWeek(absl::CivilDay day) {
  const int index = MondayIndex(day);
  const absl::CivilDay thursday = day - index + 3;
  return {thursday.year(), (absl::GetYearDay(thursday) - 1) / 7 + 1, index + 1};
}

absl::CivilDay FromIsoWeek(int64_t year, int64_t week, int64_t day) {
  const absl::CivilDay fourth(year, 1, 4);
  const absl::CivilDay first_monday = fourth - MondayIndex(fourth);
  return first_monday + ((week - 1) * 7 + day - 1);
}

int DayOfWeek(absl::CivilDay day) { return (MondayIndex(day) + 1) % 7 + 1; }

int WeekOfYear(absl::CivilDay day) { return (absl::GetYearDay(day) + 7 - DayOfWeek(day)) / 7; }

std::optional<DateUnit> ParseDateUnit(std::string_view name) {
  constexpr std::string_view kNames[] = {"year", "quarter", "month",  "week",       "day",
                                         "hour", "minute",  "second", "millisecond"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<DateUnit>(i);
  }
  return std::nullopt;
}

std::optional<int> ParseWeekday(std::string_view name) {
  constexpr std::string_view kNames[] = {"monday", "tuesday",  "wednesday", "thursday",
                                         "friday", "saturday", "sunday"};
  const std::string lower = absl::AsciiStrToLower(base::ToAbsl(name));
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (lower == kNames[i] || lower == kNames[i].substr(0, 3)) return static_cast<int>(i);
  }
  return std::nullopt;
}

std::optional<int64_t> AddUnits(int64_t ms, DateUnit unit, int64_t amount, const TimeZone& zone) {
  const std::optional<int64_t> unit_ms = UnitMs(unit);
  int64_t out;
  if (unit_ms && unit != DateUnit::kWeek && unit != DateUnit::kDay) {
    std::optional<int64_t> delta = Multiply(amount, *unit_ms);
    if (!delta || __builtin_add_overflow(ms, *delta, &out)) return std::nullopt;
    return out;
  }
  if (amount > kMaxCalendarAmount * 86400 || amount < -kMaxCalendarAmount * 86400)
    return std::nullopt;
  const DateParts parts = ToParts(ms, zone);
  absl::CivilSecond moved = parts.second;
  if (unit_ms) {
    const absl::CivilDay day =
        absl::CivilDay(parts.second) + amount * (unit == DateUnit::kWeek ? 7 : 1);
    moved = absl::CivilSecond(day.year(), day.month(), day.day(), moved.hour(), moved.minute(),
                              moved.second());
  } else {
    const absl::CivilMonth month = absl::CivilMonth(parts.second) + amount * MonthsIn(unit);
    const int last_day = (absl::CivilDay(month + 1) - 1).day();
    moved = absl::CivilSecond(month.year(), month.month(), std::min(parts.second.day(), last_day),
                              moved.hour(), moved.minute(), moved.second());
  }
  return FromCivil(moved, parts.millisecond, zone);
}

int64_t CountUnits(int64_t from_ms, int64_t to_ms, DateUnit unit, const TimeZone& zone,
                   int week_start) {
  const DateParts from = ToParts(from_ms, zone), to = ToParts(to_ms, zone);
  const absl::CivilDay from_day(from.second), to_day(to.second);
  switch (unit) {
    case DateUnit::kYear:
      return to_day.year() - from_day.year();
    case DateUnit::kQuarter:
    case DateUnit::kMonth: {
      const int64_t size = MonthsIn(unit);
      return FloorDivide(MonthNumber(absl::CivilMonth(to_day)), size) -
             FloorDivide(MonthNumber(absl::CivilMonth(from_day)), size);
    }
    case DateUnit::kWeek:
      return FloorDivide(DayNumber(to_day) - week_start, 7) -
             FloorDivide(DayNumber(from_day) - week_start, 7);
    case DateUnit::kDay:
      return to_day - from_day;
    case DateUnit::kHour:
    case DateUnit::kMinute:
    case DateUnit::kSecond:
    case DateUnit::kMillisecond: {
      // Boundaries of the local clock: whole offsets shift where an hour begins.
      const int64_t size = *UnitMs(unit);
      return FloorDivide(to_ms + to.offset_seconds * kMsPerSecond, size) -
             FloorDivide(from_ms + from.offset_seconds * kMsPerSecond, size) -
             FloorDivide((to.offset_seconds - from.offset_seconds) * kMsPerSecond, size);
    }
  }
  return 0;
}

std::optional<int64_t> TruncateToBin(int64_t ms, DateUnit unit, int64_t size, const TimeZone& zone,
                                     int week_start) {
  const DateParts parts = ToParts(ms, zone);
  const absl::CivilDay day(parts.second);
  const absl::CivilDay reference(2000, 1, 1);
  const std::optional<int64_t> unit_ms = UnitMs(unit);
  if (!unit_ms) {
    const std::optional<int64_t> months = Multiply(size, MonthsIn(unit));
    if (!months) return std::nullopt;
    const int64_t since =
        MonthNumber(absl::CivilMonth(day)) - MonthNumber(absl::CivilMonth(reference));
    const absl::CivilMonth begin =
        absl::CivilMonth(reference) + FloorDivide(since, *months) * *months;
    return FromCivil(absl::CivilSecond(begin), 0, zone);
  }
  if (unit == DateUnit::kDay || unit == DateUnit::kWeek) {
    const std::optional<int64_t> days = Multiply(size, unit == DateUnit::kWeek ? 7 : 1);
    if (!days) return std::nullopt;
    absl::CivilDay origin = reference;
    if (unit == DateUnit::kWeek) origin += (week_start - MondayIndex(reference) + 7) % 7;
    const absl::CivilDay begin = origin + FloorDivide(day - origin, *days) * *days;
    return FromCivil(absl::CivilSecond(begin), 0, zone);
  }
  const std::optional<int64_t> bin = Multiply(size, *unit_ms);
  const std::optional<int64_t> origin = FromCivil(absl::CivilSecond(reference), 0, zone);
  if (!bin || !origin) return std::nullopt;
  int64_t since;
  if (__builtin_sub_overflow(ms, *origin, &since)) return std::nullopt;
  const std::optional<int64_t> whole = Multiply(FloorDivide(since, *bin), *bin);
  int64_t out;
  if (!whole || __builtin_add_overflow(*origin, *whole, &out)) return std::nullopt;
  return out;
}

}  // namespace mayfly::engine
