// How the C library's allocator treats large and freed memory.
#pragma once

namespace mayfly::server {

// Before the first thread. Replies of up to 16 MB come and go; memory for them that is mapped anew
// each time costs more in page faults than filling it.
void ConfigureMemory();

}  // namespace mayfly::server
