// Dates as text, both ways, for $dateToString, $dateFromString, $convert and $toDate.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/expression/date_time.h"

namespace mayfly::engine {

// "%Y-%m-%d" ...: 18536 for an unknown specifier or a '%' at the end.
absl::Status CheckFormatForWriting(std::string_view format);
// Error: 18537 unless the year is from 0 to 9999 where %Y or %G is written.
absl::StatusOr<std::string> FormatDate(std::string_view format, int64_t ms, const TimeZone& zone);

// Same for reading: specifiers that only make sense when writing are refused.
absl::Status CheckFormatForReading(std::string_view format);
// The moment in milliseconds. Error: 241 ConversionFailure. A zone inside the text goes before
// `zone`, unless `zone_given`: then having both is an error.
struct ReadZone {
  TimeZone zone;
  bool given = false;  // and other than UTC: the text may have no zone of its own
};
absl::StatusOr<int64_t> ReadDate(std::string_view text, std::string_view format,
                                 const ReadZone& zone);
// The same without a format: ISO 8601 and other usual notations.
absl::StatusOr<int64_t> ReadDate(std::string_view text, const ReadZone& zone);

}  // namespace mayfly::engine
