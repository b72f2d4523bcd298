#include "engine/aggregate/spill.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <unistd.h>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"

namespace mayfly::engine {
namespace {

// Fields of a row in the file.
constexpr std::string_view kDocument = "d";
constexpr std::string_view kRecordId = "r";
constexpr std::string_view kSequence = "n";
constexpr std::string_view kTextScore = "t";
constexpr std::string_view kKey = "k";
constexpr std::string_view kNearDistance = "w";
constexpr std::string_view kNearPoint = "p";

absl::Status FileError(std::string_view what) {
  const auto code =
      errno == ENOSPC ? base::ErrorCode::kOutOfDiskSpace : base::ErrorCode::kInternalError;
  return base::Error(
      code, base::StrCat("temporary file: ", what, ": ", std::generic_category().message(errno)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SpillFile>> SpillFile::Make() {
  std::error_code failure;
  const auto folder = std::filesystem::temp_directory_path(failure);
  std::string path = (failure ? std::filesystem::path("/tmp") : folder) / "mayfly-XXXXXX";
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) return FileError("open");
  unlink(path.c_str());
  std::FILE* file = fdopen(descriptor, "w+b");
  if (file == nullptr) {
    close(descriptor);
    return FileError("open");
  }
  return std::unique_ptr<SpillFile>(new SpillFile(file));
}

SpillFile::~SpillFile() { std::fclose(file_); }

absl::Status SpillFile::Write(const SpilledRow& row) {
  bson::Builder builder;
  builder.Document(kDocument, row.row.doc()).Int64(kRecordId, row.row.record_id);
  builder.Int64(kSequence, row.sequence);
  if (row.row.text_score.has_value()) builder.Double(kTextScore, *row.row.text_score);
  if (row.row.near_distance.has_value()) {
    builder.Double(kNearDistance, *row.row.near_distance);
    builder.Append(kNearPoint, row.row.near_point);
  }
  builder.OpenArray(kKey);
  for (const bson::Value& value : row.key) builder.Push(value);
  builder.Close();
  const bson::Document record = builder.Finish();
  const std::string_view bytes = record.bytes();
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) return FileError("write");
  return absl::OkStatus();
}

absl::Status SpillFile::Rewind() {
  if (std::fflush(file_) != 0) return FileError("write");
  std::rewind(file_);
  return absl::OkStatus();
}

absl::StatusOr<bool> SpillFile::Read(SpilledRow* row) {
  // A document begins with its size.
  int32_t size = 0;
  if (std::fread(&size, sizeof(size), 1, file_) != 1) {
    if (std::feof(file_)) return false;
    return FileError("read");
  }
  std::string bytes(static_cast<size_t>(size), '\0');
  std::memcpy(bytes.data(), &size, sizeof(size));
  const size_t rest = bytes.size() - sizeof(size);
  if (std::fread(bytes.data() + sizeof(size), 1, rest, file_) != rest) return FileError("read");
  const bson::Document record(std::move(bytes));
  *row = SpilledRow();
  row->row.Own(bson::Document(record.Find(kDocument).AsDocument()));
  row->row.record_id = record.Find(kRecordId).AsInt64();
  row->sequence = record.Find(kSequence).AsInt64();
  if (const bson::ValueView score = record.Find(kTextScore); !score.IsMissing()) {
    row->row.text_score = score.AsDouble();
  }
  if (const bson::ValueView distance = record.Find(kNearDistance); !distance.IsMissing()) {
    row->row.near_distance = distance.AsDouble();
    row->row.near_point = bson::Value(record.Find(kNearPoint));
  }
  for (const bson::Element& element : record.Find(kKey).AsDocument()) {
    row->key.emplace_back(element.value);
  }
  return true;
}

}  // namespace mayfly::engine
