#include "server/memory_settings.h"

#include <malloc.h>

namespace mayfly::server {
namespace {

// Larger than a reply or a document can be.
constexpr int kMappedFromBytes = 32 << 20;
// So much unused memory at the end of a heap is kept; there are at most kHeaps of them.
constexpr int kKeptBytes = 20 << 20;
// One for the network thread and one for those of the store.
constexpr int kHeaps = 2;

}  // namespace

void ConfigureMemory() {
  mallopt(M_MMAP_THRESHOLD, kMappedFromBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  mallopt(M_ARENA_MAX, kHeaps);
}

}  // namespace mayfly::server
