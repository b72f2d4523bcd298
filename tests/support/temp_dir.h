// A folder of its own for a test, removed at the end.
#pragma once

#include <string>

namespace mayfly::test {

class TempDir {
 public:
  // Made below $TMPDIR or /tmp.
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  // `path()/name`; nothing is made.
  std::string Sub(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace mayfly::test
