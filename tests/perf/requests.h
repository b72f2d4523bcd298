// The fixed requests whose instructions are counted, as the bytes that a driver sends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mayfly::perf {

// One kind of request. `make` gives the bytes of the i-th message of its kind.
struct RequestRow {
  const char* name;
  // So many are counted together; before them a few are run uncounted.
  int repetitions;
  std::function<std::string(int i)> make;
};

// Messages that fill the collections which the requests work on.
std::vector<std::string> PreparationMessages();
// In the order in which they have to run.
std::vector<RequestRow> RequestRows();

}  // namespace mayfly::perf
