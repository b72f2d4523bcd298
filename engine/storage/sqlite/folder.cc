#include "engine/storage/sqlite/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/status.h"
#include "base/strings.h"
#include "engine/storage/sqlite/file_name.h"

namespace mayfly::engine {
namespace {

constexpr const char* kLockFile = "mayfly.lock";

absl::Status Failed(std::string_view doing, const std::string& path, const std::error_code& why) {
  return base::Error(base::ErrorCode::kInternalError,
                     base::StrCat("cannot ", doing, " ", path, ": ", why.message()));
}

std::error_code LastError() { return {errno, std::generic_category()}; }

}  // namespace

absl::StatusOr<std::unique_ptr<Folder>> Folder::Open(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Failed("make the folder", path, error);
  const std::string lock_path = path + "/" + kLockFile;
  const int fd = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return Failed("open", lock_path, LastError());
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const std::error_code why = LastError();
    close(fd);
    if (why.value() != EWOULDBLOCK) return Failed("lock", lock_path, why);
    return base::Error(base::ErrorCode::kDBPathInUse,
                       base::StrCat("the data folder ", path, " is in use by another process"));
  }
  return std::unique_ptr<Folder>(new Folder(path, fd));
}

Folder::~Folder() { close(lock_file_); }

std::vector<std::string> Folder::Databases() const {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator it(path_, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    std::optional<std::string> name = DatabaseOf(it->path().filename().string());
    if (name.has_value()) names.push_back(*std::move(name));
  }
  return names;
}

std::string Folder::PathOf(std::string_view database) const {
  return path_ + "/" + FileNameOf(database);
}

absl::Status Folder::Remove(std::string_view database) const {
  const std::string path = PathOf(database);
  // The file itself first: a log without it is nothing.
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::error_code error;
    std::filesystem::remove(path + suffix, error);
    if (error) return Failed("delete", path + suffix, error);
  }
  return absl::OkStatus();
}

}  // namespace mayfly::engine
