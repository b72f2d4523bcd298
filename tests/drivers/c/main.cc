// Runs the scenarios in order against MAYFLY_URI and reports each one to the launcher.
#include <cstdlib>
#include <iostream>

#include "tests/drivers/c/harness.h"

namespace mayfly::drivers {
namespace {

int RunAll(const char* uri) {
  Context context(uri);
  int failed = 0;
  for (const std::vector<Scenario>& family : {FirstScenarios(), TtlScenarios(), CrudScenarios()}) {
    for (const Scenario& scenario : family) {
      try {
        scenario.run(context);
        std::cout << "ok " << scenario.name << std::endl;
      } catch (const std::exception& failure) {
        ++failed;
        std::cout << "not ok " << scenario.name << ": " << failure.what() << std::endl;
      }
    }
  }
  return failed;
}

}  // namespace
}  // namespace mayfly::drivers

int main() {
  const char* uri = std::getenv("MAYFLY_URI");
  if (uri == nullptr) {
    std::cerr << "MAYFLY_URI is not set\n";
    return 2;
  }
  mongoc_init();
  const int failed = mayfly::drivers::RunAll(uri);
  mongoc_cleanup();
  return failed == 0 ? 0 : 1;
}
