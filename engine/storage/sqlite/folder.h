// The folder with the database files: made if missing, and locked against other processes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace mayfly::engine {

class Folder {
 public:
  // kDBPathInUse if another process has it.
  static absl::StatusOr<std::unique_ptr<Folder>> Open(const std::string& path);
  // Gives the lock up.
  ~Folder();

  std::vector<std::string> Databases() const;
  std::string PathOf(std::string_view database) const;
  // Deletes the files of `database`.
  absl::Status Remove(std::string_view database) const;

 private:
  Folder(std::string path, int lock_file) : path_(std::move(path)), lock_file_(lock_file) {}

  const std::string path_;
  const int lock_file_;
};

}  // namespace mayfly::engine
