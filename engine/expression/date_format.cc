#include "engine/expression/date_format.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "base/status.h"
#include "base/strings.h"
#include "engine/expression/date_time.h"

namespace mayfly::engine {
namespace {

constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};

constexpr std::string_view kWriteSpecifiers = "dGHjLmMSwuUVYzZ%bB";
constexpr std::string_view kReadSpecifiers = "dGHjLmMSuVYzZ%bB";

absl::Status CheckFormat(std::string_view format, std::string_view specifiers) {
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (++i == format.size()) return base::Error(18535, "Unmatched '%' at end of format string");
    if (specifiers.find(format[i]) == std::string_view::npos) {
      return base::Error(18536, base::StrCat("Invalid format character '%", format.substr(i, 1),
                                             "' in format string"));
    }
  }
  return absl::OkStatus();
}

std::string Padded(int64_t value, int width) {
  char text[24];
  std::snprintf(text, sizeof text, "%0*lld", width, static_cast<long long>(value));
  return text;
}

std::string OffsetText(int offset_seconds) {
  const int minutes = std::abs(offset_seconds) / 60;
  return base::StrCat(offset_seconds < 0 ? "-" : "+", Padded(minutes / 60, 2),
                      Padded(minutes % 60, 2));
}

absl::StatusOr<std::string> YearText(int64_t year) {
  constexpr int64_t kMaxYear = 9999;
  if (year >= 0 && year <= kMaxYear) return Padded(year, 4);
  return base::Error(
      18537,
      base::StrCat("Could not convert date to string: date component was outside the supported "
                   "range of 0-9999: ",
                   year));
}

absl::StatusOr<std::string> FormatSpecifier(char specifier, const DateParts& parts) {
  const absl::CivilSecond& s = parts.second;
  const absl::CivilDay day(s);
  switch (specifier) {
    case 'd':
      return Padded(s.day(), 2);
    case 'G':
      return YearText(ToIsoWeek(day).year);
    case 'H':
      return Padded(s.hour(), 2);
    case 'j':
      return Padded(absl::GetYearDay(day), 3);
    case 'L':
      return Padded(parts.millisecond, 3);
    case 'm':
      return Padded(s.month(), 2);
    case 'M':
      return Padded(s.minute(), 2);
    case 'S':
      return Padded(s.second(), 2);
    case 'w':
      return Padded(DayOfWeek(day), 1);
    case 'u':
      return Padded(ToIsoWeek(day).day, 1);
    case 'U':
      return Padded(WeekOfYear(day), 2);
    case 'V':
      return Padded(ToIsoWeek(day).week, 2);
    case 'Y':
      return YearText(s.year());
    case 'z':
      return OffsetText(parts.offset_seconds);
    case 'Z':
      return std::to_string(parts.offset_seconds / 60);
    case 'b':
      return std::string(kMonths[s.month() - 1].substr(0, 3));
    case 'B':
      return std::string(kMonths[s.month() - 1]);
    default:
      return std::string("%");
  }
}

absl::Status ReadError(std::string_view text, std::string_view reason) {
  return base::Error(base::ErrorCode::kConversionFailure,
                     base::StrCat("Error parsing date string '", text, "'; ", reason));
}

// What has been read so far.
struct Fields {
  std::optional<int64_t> year, month, day, hour, minute, second, millisecond, year_day, iso_year,
      iso_week, iso_day;
  std::optional<int> offset_seconds;
  std::optional<TimeZone> zone;
};

// Reads `text` from the front.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }
  char Peek() const { return rest_.empty() ? '\0' : rest_[0]; }
  std::string_view rest() const { return rest_; }
  bool Take(char c) {
    if (Peek() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // From `min` to `max` digits.
  std::optional<int64_t> Number(size_t min, size_t max, size_t* digits = nullptr) {
    size_t n = 0;
    int64_t value = 0;
    while (n < max && n < rest_.size() &&
           absl::ascii_isdigit(static_cast<unsigned char>(rest_[n]))) {
      value = value * 10 + (rest_[n++] - '0');
    }
    if (n < min) return std::nullopt;
    rest_.remove_prefix(n);
    if (digits) *digits = n;
    return value;
  }
  // A month by its whole name, or by three letters.
  std::optional<int64_t> MonthName() {
    for (size_t whole = 0; whole < 2; ++whole) {
      for (size_t i = 0; i < std::size(kMonths); ++i) {
        const std::string_view name = whole == 0 ? kMonths[i] : kMonths[i].substr(0, 3);
        if (absl::AsciiStrToLower(base::ToAbsl(rest_.substr(0, name.size()))) !=
            absl::AsciiStrToLower(base::ToAbsl(name))) {
          continue;
        }
        rest_.remove_prefix(name.size());
        return static_cast<int64_t>(i) + 1;
      }
    }
    return std::nullopt;
  }
  // "Z", "+hh:mm", "GMT", or the name of a zone.
  bool Zone(Fields* out) {
    if (Take('Z') || Take('z')) {
      out->offset_seconds = 0;
      return true;
    }
    size_t n = 0;
    while (n < rest_.size() && !absl::ascii_isspace(static_cast<unsigned char>(rest_[n])) &&
           rest_[n] != ')')
      ++n;
    absl::StatusOr<TimeZone> zone = ParseTimeZone(rest_.substr(0, n));
    if (n == 0 || !zone.ok()) return false;
    rest_.remove_prefix(n);
    out->zone = *zone;
    return true;
  }
  void SkipSpace() {
    while (!rest_.empty() && absl::ascii_isspace(static_cast<unsigned char>(rest_[0])))
      rest_.remove_prefix(1);
  }
  // Digits after a point, as milliseconds.
  std::optional<int64_t> Fraction() {
    size_t digits = 0;
    std::optional<int64_t> value = Number(1, 9, &digits);
    if (!value) return std::nullopt;
    for (; digits > 3; --digits) *value /= 10;
    for (; digits < 3; ++digits) *value *= 10;
    return value;
  }

 private:
  std::string_view rest_;
};

bool ReadSpecifier(char specifier, Reader* reader, Fields* out) {
  switch (specifier) {
    case 'd':
      return (out->day = reader->Number(1, 2)).has_value();
    case 'G':
      return (out->iso_year = reader->Number(4, 4)).has_value();
    case 'H':
      return (out->hour = reader->Number(1, 2)).has_value();
    case 'j':
      return (out->year_day = reader->Number(1, 3)).has_value();
    case 'L':
      return (out->millisecond = reader->Fraction()).has_value();
    case 'm':
      return (out->month = reader->Number(1, 2)).has_value();
    case 'M':
      return (out->minute = reader->Number(1, 2)).has_value();
    case 'S':
      return (out->second = reader->Number(1, 2)).has_value();
    case 'u':
      return (out->iso_day = reader->Number(1, 1)).has_value();
    case 'V':
      return (out->iso_week = reader->Number(1, 2)).has_value();
    case 'Y':
      return (out->year = reader->Number(4, 4)).has_value();
    case 'b':
    case 'B':
      return (out->month = reader->MonthName()).has_value();
    case 'z':
      return reader->Zone(out);
    case 'Z': {
      const bool negative = reader->Take('-');
      if (!negative) reader->Take('+');
      std::optional<int64_t> minutes = reader->Number(1, 4);
      if (!minutes) return false;
      out->offset_seconds = static_cast<int>(negative ? -*minutes : *minutes) * 60;
      return true;
    }
    default:
      return reader->Take('%');
  }
}

bool InRange(const std::optional<int64_t>& value, int64_t low, int64_t high) {
  return !value || (*value >= low && *value <= high);
}

absl::StatusOr<absl::CivilDay> MakeDay(const Fields& fields, std::string_view text) {
  if (fields.iso_year) {
    if (fields.year || fields.month || fields.day) {
      return ReadError(text, "Mixing of ISO dates with natural dates is not allowed");
    }
    if (!InRange(fields.iso_week, 1, 53) || !InRange(fields.iso_day, 1, 7)) {
      return ReadError(text, "The ISO week or day is out of range");
    }
    return FromIsoWeek(*fields.iso_year, fields.iso_week.value_or(1), fields.iso_day.value_or(1));
  }
  if (fields.year_day && fields.year) {
    if (!InRange(fields.year_day, 0, 366))
      return ReadError(text, "The day of the year is out of range");
    // Counted from 0, as MongoDB's parser does.
    return absl::CivilDay(*fields.year, 1, 1) + *fields.year_day;
  }
  if (!fields.year || !fields.month || !fields.day) {
    return ReadError(text, "an incomplete date/time string has been found, with elements missing");
  }
  const absl::CivilDay day(*fields.year, *fields.month, *fields.day);
  if (!InRange(fields.month, 1, 12) || day.month() != *fields.month) {
    return ReadError(text, "the date is not a day of the calendar");
  }
  return day;
}

absl::StatusOr<int64_t> MakeMoment(const Fields& fields, std::string_view text,
                                   const ReadZone& zone) {
  MAYFLY_ASSIGN_OR_RETURN(absl::CivilDay day, MakeDay(fields, text));
  const bool midnight =
      fields.hour == 24 && fields.minute.value_or(0) == 0 && fields.second.value_or(0) == 0;
  if ((!InRange(fields.hour, 0, 23) && !midnight) || !InRange(fields.minute, 0, 59) ||
      !InRange(fields.second, 0, 60)) {
    return ReadError(text, "the time of day is out of range");
  }
  const bool own_zone = fields.offset_seconds || fields.zone;
  if (own_zone && zone.given) {
    return ReadError(
        text,
        "you cannot pass in a date/time string with GMT offset together with a timezone argument");
  }
  TimeZone use = fields.zone.value_or(zone.zone);
  if (fields.offset_seconds) {
    // Seconds are added by hand: fixed zones reach no further than a day.
    use = TimeZone();
  }
  const absl::CivilSecond second(day.year(), day.month(), day.day(), fields.hour.value_or(0),
                                 fields.minute.value_or(0), fields.second.value_or(0));
  std::optional<int64_t> ms =
      FromCivil(second, static_cast<int>(fields.millisecond.value_or(0)), use);
  if (!ms) return ReadError(text, "the date is out of range");
  return *ms - int64_t{fields.offset_seconds.value_or(0)} * 1000;
}

// "T12:30", "12:30:59.123", with an optional zone after it.
bool ReadTime(Reader* reader, Fields* out) {
  reader->SkipSpace();
  if (reader->Peek() == 'T' || reader->Peek() == 't') reader->Take(reader->Peek());
  if (reader->AtEnd()) return true;
  if (absl::ascii_isdigit(static_cast<unsigned char>(reader->Peek()))) {
    if (!(out->hour = reader->Number(1, 2))) return false;
    if (reader->Take(':')) {
      if (!(out->minute = reader->Number(1, 2))) return false;
    } else {
      out->minute = reader->Number(2, 2);
      if (!out->minute) return false;
    }
    if (reader->Take(':') || absl::ascii_isdigit(static_cast<unsigned char>(reader->Peek()))) {
      if (!(out->second = reader->Number(1, 2))) return false;
      if ((reader->Take('.') || reader->Take(',')) && !(out->millisecond = reader->Fraction()))
        return false;
    }
    reader->SkipSpace();
    const bool pm = reader->rest().substr(0, 2) == "PM" || reader->rest().substr(0, 2) == "pm";
    const bool am = reader->rest().substr(0, 2) == "AM" || reader->rest().substr(0, 2) == "am";
    if (am || pm) {
      reader->Take(reader->Peek());
      reader->Take(reader->Peek());
      *out->hour = *out->hour % 12 + (pm ? 12 : 0);
      reader->SkipSpace();
    }
  }
  return reader->AtEnd() || reader->Zone(out);
}

// "2024-01-31", "2024/1/31", "20240131", "2024-W05-3", "2024-031".
bool ReadNumericDay(Reader* reader, Fields* out) {
  size_t digits = 0;
  std::optional<int64_t> first = reader->Number(1, 8, &digits);
  if (!first) return false;
  if (digits == 8) {
    out->year = *first / 10000;
    out->month = *first / 100 % 100;
    out->day = *first % 100;
    return true;
  }
  const char separator = reader->Peek();
  if (separator == '/' && digits <= 2) {
    out->month = first;
    reader->Take('/');
    if (!(out->day = reader->Number(1, 2)) || !reader->Take('/')) return false;
    return (out->year = reader->Number(4, 4)).has_value();
  }
  if (digits != 4 || (separator != '-' && separator != '/')) return false;
  reader->Take(separator);
  if (reader->Take('W')) {
    out->iso_year = first;
    if (!(out->iso_week = reader->Number(2, 2))) return false;
    if (reader->Take('-')) out->iso_day = reader->Number(1, 1);
    return true;
  }
  out->year = first;
  std::optional<int64_t> second = reader->Number(1, 3, &digits);
  if (!second) return false;
  if (digits == 3) {
    out->year_day = second;
    return true;
  }
  out->month = second;
  if (!reader->Take(separator)) return false;
  return (out->day = reader->Number(1, 2)).has_value();
}

void SkipWeekday(Reader* reader) {
  size_t n = 0;
  const std::string_view rest = reader->rest();
  while (n < rest.size() && absl::ascii_isalpha(static_cast<unsigned char>(rest[n]))) ++n;
  if (!ParseWeekday(rest.substr(0, n))) return;
  while (n-- > 0) reader->Take(reader->Peek());
  reader->Take(',');
  reader->SkipSpace();
}

// "12:05:28 +03:30" before a year.
bool ReadTimeBeforeYear(Reader* reader, Fields* out) {
  if (!(out->hour = reader->Number(1, 2)) || !reader->Take(':')) return false;
  if (!(out->minute = reader->Number(1, 2))) return false;
  if (reader->Take(':') && !(out->second = reader->Number(1, 2))) return false;
  reader->SkipSpace();
  const bool year_follows = absl::ascii_isdigit(static_cast<unsigned char>(reader->Peek()));
  if (!year_follows && !reader->Zone(out)) return false;
  reader->SkipSpace();
  return true;
}

// "July 4, 2017", "4 July 2017", "Jul 4th 2017", "Wed Jan 31 12:05:28 +03:30 1996".
bool ReadNamedDay(Reader* reader, Fields* out) {
  SkipWeekday(reader);
  out->day = reader->Number(1, 2);
  reader->SkipSpace();
  if (!(out->month = reader->MonthName())) return false;
  reader->Take('.');
  reader->SkipSpace();
  if (!out->day && !(out->day = reader->Number(1, 2))) return false;
  for (std::string_view suffix : {"st", "nd", "rd", "th"}) {
    if (reader->rest().substr(0, 2) != suffix) continue;
    reader->Take(suffix[0]);
    reader->Take(suffix[1]);
  }
  reader->Take(',');
  reader->SkipSpace();
  const std::string_view rest = reader->rest();
  if (rest.substr(0, 3).find(':') != std::string_view::npos && !ReadTimeBeforeYear(reader, out))
    return false;
  return (out->year = reader->Number(4, 4)).has_value();
}

// What may surround a date: white space, the no-break space too, and NUL.
std::string_view Trim(std::string_view text) {
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  const auto is_blank = [](char c) {
    return c == '\0' || absl::ascii_isspace(static_cast<unsigned char>(c));
  };
  while (!text.empty()) {
    if (is_blank(text.front())) {
      text.remove_prefix(1);
    } else if (is_blank(text.back())) {
      text.remove_suffix(1);
    } else if (text.starts_with(kNoBreakSpace)) {
      text.remove_prefix(kNoBreakSpace.size());
    } else if (text.ends_with(kNoBreakSpace)) {
      text.remove_suffix(kNoBreakSpace.size());
    } else {
      break;
    }
  }
  return text;
}

}  // namespace

absl::Status CheckFormatForWriting(std::string_view format) {
  return CheckFormat(format, kWriteSpecifiers);
}
absl::Status CheckFormatForReading(std::string_view format) {
  return CheckFormat(format, kReadSpecifiers);
}

absl::StatusOr<std::string> FormatDate(std::string_view format, int64_t ms, const TimeZone& zone) {
  MAYFLY_RETURN_IF_ERROR(CheckFormatForWriting(format));
  const DateParts parts = ToParts(ms, zone);
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    MAYFLY_ASSIGN_OR_RETURN(std::string piece, FormatSpecifier(format[++i], parts));
    out += piece;
  }
  return out;
}

absl::StatusOr<int64_t> ReadDate(std::string_view text, std::string_view format,
                                 const ReadZone& zone) {
  MAYFLY_RETURN_IF_ERROR(CheckFormatForReading(format));
  Reader reader(text);
  Fields fields;
  for (size_t i = 0; i < format.size(); ++i) {
    const bool read =
        format[i] == '%' ? ReadSpecifier(format[++i], &reader, &fields) : reader.Take(format[i]);
    if (!read) return ReadError(text, base::StrCat("it does not match the format '", format, "'"));
  }
  if (!reader.AtEnd()) return ReadError(text, "trailing data");
  return MakeMoment(fields, text, zone);
}

absl::StatusOr<int64_t> ReadDate(std::string_view text, const ReadZone& zone) {
  Reader reader(Trim(text));
  Fields fields;
  Reader named = reader;
  Fields named_fields;
  if (ReadNamedDay(&named, &named_fields)) {
    reader = named;
    fields = named_fields;
  } else if (!ReadNumericDay(&reader, &fields)) {
    return ReadError(text, "an incomplete or unknown date/time string has been found");
  }
  if (!ReadTime(&reader, &fields)) return ReadError(text, "the time could not be understood");
  reader.SkipSpace();
  if (!reader.AtEnd()) return ReadError(text, "trailing data");
  return MakeMoment(fields, text, zone);
}

}  // namespace mayfly::engine
