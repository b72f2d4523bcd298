#include "tests/support/temp_dir.h"

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace mayfly::test {

TempDir::TempDir() {
  path_ = (std::filesystem::temp_directory_path() / "mayfly-test-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    std::perror("mkdtemp");
    std::abort();
  }
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace mayfly::test
