// The list of workload families.
#include "tools/bench/workload.h"

namespace mayfly::bench {

std::vector<Workload> AllWorkloads() {
  std::vector<Workload> all;
  for (std::vector<Workload> family : {SingleWorkloads(), BulkWorkloads(), QueryWorkloads(),
                                       YcsbWorkloads(), LargeWorkloads(), ConnectionWorkloads()}) {
    for (Workload& workload : family) all.push_back(std::move(workload));
  }
  return all;
}

}  // namespace mayfly::bench
