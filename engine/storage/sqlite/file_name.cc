#include "engine/storage/sqlite/file_name.h"

#include "absl/strings/ascii.h"

namespace mayfly::engine {
namespace {

constexpr std::string_view kExtension = ".mayfly";
constexpr char kHex[] = "0123456789ABCDEF";

bool IsPlain(unsigned char byte) { return absl::ascii_isalnum(byte) || byte == '-' || byte == '_'; }

}  // namespace

std::string FileNameOf(std::string_view database) {
  std::string file;
  for (const char c : database) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsPlain(byte)) {
      file.push_back(c);
    } else {
      file.push_back('%');
      file.push_back(kHex[byte >> 4]);
      file.push_back(kHex[byte & 15]);
    }
  }
  file += kExtension;
  return file;
}

std::optional<std::string> DatabaseOf(std::string_view file) {
  if (!file.ends_with(kExtension)) return std::nullopt;
  const std::string_view encoded = file.substr(0, file.size() - kExtension.size());
  std::string database;
  for (size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] != '%') {
      database.push_back(encoded[i]);
      continue;
    }
    if (i + 2 >= encoded.size()) return std::nullopt;
    const char* high = std::char_traits<char>::find(kHex, 16, encoded[i + 1]);
    const char* low = std::char_traits<char>::find(kHex, 16, encoded[i + 2]);
    if (high == nullptr || low == nullptr) return std::nullopt;
    database.push_back(static_cast<char>((high - kHex) << 4 | (low - kHex)));
    i += 2;
  }
  if (database.empty() || FileNameOf(database) != file) return std::nullopt;
  return database;
}

}  // namespace mayfly::engine
