#include "wire/compression.h"

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <iterator>

#include "base/status.h"
#include "base/strings.h"
#include "wire/frame.h"

namespace mayfly::wire {
namespace {

constexpr int kZlibLevel = 6;
constexpr int kZstdLevel = 3;
// No deflate stream expands more than this.
constexpr size_t kZlibMaxRatio = 1032;

absl::Status NotAsClaimed(std::string_view compressor, size_t size) {
  return FatalError(base::StrCat(compressor, " data of a compressed message does not give the ",
                                 size, " bytes that its header claims"));
}

absl::Status NoopCompress(std::string_view input, std::string* out) {
  out->append(input);
  return absl::OkStatus();
}

absl::Status NoopDecompress(std::string_view input, size_t size, std::string* out) {
  if (input.size() != size) return NotAsClaimed("noop", size);
  out->append(input);
  return absl::OkStatus();
}

absl::Status SnappyCompress(std::string_view input, std::string* out) {
  const size_t start = out->size();
  out->resize(start + snappy::MaxCompressedLength(input.size()));
  size_t length = 0;
  snappy::RawCompress(input.data(), input.size(), out->data() + start, &length);
  out->resize(start + length);
  return absl::OkStatus();
}

absl::Status SnappyDecompress(std::string_view input, size_t size, std::string* out) {
  size_t announced = 0;
  if (!snappy::GetUncompressedLength(input.data(), input.size(), &announced) || announced != size ||
      !snappy::IsValidCompressedBuffer(input.data(), input.size())) {
    return NotAsClaimed("snappy", size);
  }
  const size_t start = out->size();
  out->resize(start + size);
  if (!snappy::RawUncompress(input.data(), input.size(), out->data() + start))
    return NotAsClaimed("snappy", size);
  return absl::OkStatus();
}

absl::Status ZlibCompress(std::string_view input, std::string* out) {
  const size_t start = out->size();
  uLongf length = compressBound(input.size());
  out->resize(start + length);
  const int rc = compress2(reinterpret_cast<Bytef*>(out->data() + start), &length,
                           reinterpret_cast<const Bytef*>(input.data()), input.size(), kZlibLevel);
  if (rc != Z_OK)
    return base::Error(base::ErrorCode::kInternalError, base::StrCat("zlib failed with ", rc));
  out->resize(start + length);
  return absl::OkStatus();
}

absl::Status ZlibDecompress(std::string_view input, size_t size, std::string* out) {
  if (size / kZlibMaxRatio > input.size()) return NotAsClaimed("zlib", size);
  const size_t start = out->size();
  out->resize(start + size);
  uLongf length = size;
  const int rc = uncompress(reinterpret_cast<Bytef*>(out->data() + start), &length,
                            reinterpret_cast<const Bytef*>(input.data()), input.size());
  if (rc != Z_OK || length != size) return NotAsClaimed("zlib", size);
  return absl::OkStatus();
}

absl::Status ZstdCompress(std::string_view input, std::string* out) {
  const size_t start = out->size();
  out->resize(start + ZSTD_compressBound(input.size()));
  const size_t length = ZSTD_compress(out->data() + start, out->size() - start, input.data(),
                                      input.size(), kZstdLevel);
  if (ZSTD_isError(length) != 0) {
    return base::Error(base::ErrorCode::kInternalError,
                       base::StrCat("zstd: ", ZSTD_getErrorName(length)));
  }
  out->resize(start + length);
  return absl::OkStatus();
}

absl::Status ZstdDecompress(std::string_view input, size_t size, std::string* out) {
  const auto announced = ZSTD_getFrameContentSize(input.data(), input.size());
  if (announced == ZSTD_CONTENTSIZE_ERROR ||
      (announced != ZSTD_CONTENTSIZE_UNKNOWN && announced > size)) {
    return NotAsClaimed("zstd", size);
  }
  const size_t start = out->size();
  out->resize(start + size);
  const size_t length = ZSTD_decompress(out->data() + start, size, input.data(), input.size());
  if (ZSTD_isError(length) != 0 || length != size) return NotAsClaimed("zstd", size);
  return absl::OkStatus();
}

constexpr Compressor kCompressors[] = {
    {0, "noop", NoopCompress, NoopDecompress},
    {1, "snappy", SnappyCompress, SnappyDecompress},
    {2, "zlib", ZlibCompress, ZlibDecompress},
    {3, "zstd", ZstdCompress, ZstdDecompress},
};

}  // namespace

const Compressor* FindCompressor(uint8_t id) {
  return id < std::size(kCompressors) ? &kCompressors[id] : nullptr;
}

std::vector<std::string_view> NegotiableCompressors() { return {"snappy", "zstd", "zlib"}; }

}  // namespace mayfly::wire
