// SQLite's own file access, with one thing changed: what a commit writes into the log goes there in
// one call. SQLite writes the header and the page of every frame by themselves, and those calls are
// a third of the price of a small commit.
//
// Frames are gathered until the last one of a commit, which its header tells, so that everything is
// with the operating system before the commit is visible to anybody, and errors are the commit's.
// Everything else that touches the log (reading, syncing, truncating, writing elsewhere than at its
// end) comes after what was gathered.
#pragma once

namespace mayfly::engine {

inline constexpr char kVfsName[] = "mayfly";

// Makes kVfsName known to SQLite. Once in a process, after sqlite3_initialize().
void RegisterVfs();

}  // namespace mayfly::engine
