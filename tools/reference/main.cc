// Writes the pages of docs/reference, or with --check compares them with what is there.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "tools/reference/pages.h"

namespace mayfly::reference {
namespace {

using base::StrCat;
using std::filesystem::path;

struct File {
  std::string name;
  std::string text;
};

std::vector<File> AllFiles() {
  std::vector<File> files = {{"README.md", IndexPage()}};
  for (const Page& page : Pages()) {
    files.push_back({std::string(page.file), StrCat("# ", page.title, "\n\n", page.body())});
  }
  return files;
}

std::string Read(const path& from) {
  std::ostringstream text;
  text << std::ifstream(from).rdbuf();
  return text.str();
}

int Check(const path& folder) {
  int different = 0;
  for (const File& file : AllFiles()) {
    if (Read(folder / file.name) == file.text) continue;
    std::cerr << (folder / file.name).string() << " is not what the tables say\n";
    ++different;
  }
  if (different != 0) std::cerr << "Run tools/reference/run and look at what has changed.\n";
  return different == 0 ? 0 : 1;
}

int Write(const path& folder) {
  std::filesystem::create_directories(folder);
  for (const File& file : AllFiles()) std::ofstream(folder / file.name) << file.text;
  return 0;
}

}  // namespace
}  // namespace mayfly::reference

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool check = arguments.size() == 2 && arguments[0] == "--check";
  if (!check && arguments.size() != 1) {
    std::cerr << "mayfly_reference [--check] FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = arguments.back();
  return check ? mayfly::reference::Check(folder) : mayfly::reference::Write(folder);
}
