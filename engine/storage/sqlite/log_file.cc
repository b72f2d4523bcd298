#include "engine/storage/sqlite/log_file.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>

namespace mayfly::engine {
namespace {

constexpr int kLogHeaderSize = 32;
// page number, then the size of the database in pages if the frame ends a commit, else 0
constexpr int kFrameHeaderSize = 24;
constexpr size_t kGatheredMax = 512 * 1024;
// SQLite's own files take less than 128 KB in one call.
constexpr size_t kWriteMax = 64 * 1024;

// Lies in memory of SQLite's, with the real file behind it.
struct LogFile {
  sqlite3_file base;
  sqlite3_file* real;
  std::string gathered;
  int64_t gathered_at;
  int64_t end;  // of what was written since the log began anew
  bool ends_commit;
};

LogFile& LogFileOf(sqlite3_file* file) { return *reinterpret_cast<LogFile*>(file); }
sqlite3_file* Real(sqlite3_file* file) { return LogFileOf(file).real; }

int Flush(LogFile& log) {
  if (log.gathered.empty()) return SQLITE_OK;
  int code = SQLITE_OK;
  for (size_t at = 0; at < log.gathered.size() && code == SQLITE_OK; at += kWriteMax) {
    const size_t size = std::min(kWriteMax, log.gathered.size() - at);
    code = log.real->pMethods->xWrite(log.real, log.gathered.data() + at, static_cast<int>(size),
                                      log.gathered_at + static_cast<int64_t>(at));
  }
  log.gathered.clear();
  return code;
}

bool EndsCommit(const void* header) {
  uint32_t pages;
  std::memcpy(&pages, static_cast<const char*>(header) + 4, sizeof pages);
  return pages != 0;
}

int WriteThrough(LogFile& log, const void* bytes, int size, int64_t offset) {
  if (const int code = Flush(log); code != SQLITE_OK) return code;
  if (offset == 0 && size == kLogHeaderSize) log.end = 0;
  if (offset + size > log.end) log.end = offset + size;
  return log.real->pMethods->xWrite(log.real, bytes, size, offset);
}

int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  LogFile& log = LogFileOf(file);
  const bool begins = log.gathered.empty() && offset >= kLogHeaderSize && offset >= log.end;
  const bool continues = !log.gathered.empty() &&
                         offset == log.gathered_at + static_cast<int64_t>(log.gathered.size());
  if (!begins && !continues) return WriteThrough(log, bytes, size, offset);
  if (begins) log.gathered_at = offset;
  log.gathered.append(static_cast<const char*>(bytes), static_cast<size_t>(size));
  log.end = offset + size;
  if (size == kFrameHeaderSize) {
    log.ends_commit = EndsCommit(bytes);
    return SQLITE_OK;
  }
  return log.ends_commit || log.gathered.size() >= kGatheredMax ? Flush(log) : SQLITE_OK;
}

int Close(sqlite3_file* file) {
  LogFile& log = LogFileOf(file);
  const int flushed = Flush(log);
  const int closed = log.real->pMethods->xClose(log.real);
  log.~LogFile();
  return flushed != SQLITE_OK ? flushed : closed;
}

int Read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  if (const int code = Flush(LogFileOf(file)); code != SQLITE_OK) return code;
  return Real(file)->pMethods->xRead(Real(file), out, size, offset);
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  LogFile& log = LogFileOf(file);
  if (const int code = Flush(log); code != SQLITE_OK) return code;
  if (size < log.end) log.end = size;
  return log.real->pMethods->xTruncate(log.real, size);
}

int Sync(sqlite3_file* file, int flags) {
  if (const int code = Flush(LogFileOf(file)); code != SQLITE_OK) return code;
  return Real(file)->pMethods->xSync(Real(file), flags);
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  if (const int code = Flush(LogFileOf(file)); code != SQLITE_OK) return code;
  return Real(file)->pMethods->xFileSize(Real(file), size);
}

int Lock(sqlite3_file* file, int level) { return Real(file)->pMethods->xLock(Real(file), level); }

int Unlock(sqlite3_file* file, int level) {
  return Real(file)->pMethods->xUnlock(Real(file), level);
}

int CheckReservedLock(sqlite3_file* file, int* out) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), out);
}

int FileControl(sqlite3_file* file, int operation, void* argument) {
  return Real(file)->pMethods->xFileControl(Real(file), operation, argument);
}

int SectorSize(sqlite3_file* file) { return Real(file)->pMethods->xSectorSize(Real(file)); }

int DeviceCharacteristics(sqlite3_file* file) {
  return Real(file)->pMethods->xDeviceCharacteristics(Real(file));
}

constexpr sqlite3_io_methods kLogMethods = {.iVersion = 1,
                                            .xClose = Close,
                                            .xRead = Read,
                                            .xWrite = Write,
                                            .xTruncate = Truncate,
                                            .xSync = Sync,
                                            .xFileSize = FileSize,
                                            .xLock = Lock,
                                            .xUnlock = Unlock,
                                            .xCheckReservedLock = CheckReservedLock,
                                            .xFileControl = FileControl,
                                            .xSectorSize = SectorSize,
                                            .xDeviceCharacteristics = DeviceCharacteristics};

sqlite3_vfs* System(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

// Other files than logs are the system's, methods and all.
int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  sqlite3_vfs* system = System(vfs);
  if ((flags & SQLITE_OPEN_WAL) == 0) return system->xOpen(system, name, file, flags, out_flags);
  auto* real = reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(LogFile));
  const int code = system->xOpen(system, name, real, flags, out_flags);
  if (real->pMethods == nullptr) {
    file->pMethods = nullptr;
    return code;
  }
  sqlite3_int64 end = 0;
  real->pMethods->xFileSize(real, &end);
  auto* log = new (file) LogFile();
  log->base.pMethods = &kLogMethods;
  log->real = real;
  log->end = end;
  return code;
}

}  // namespace

void RegisterVfs() {
  // SQLite keeps a pointer to it until the process ends.
  static sqlite3_vfs vfs;
  sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
  vfs = *system;
  vfs.pNext = nullptr;
  vfs.zName = kVfsName;
  vfs.pAppData = system;
  vfs.szOsFile = static_cast<int>(sizeof(LogFile)) + system->szOsFile;
  vfs.xOpen = Open;
  sqlite3_vfs_register(&vfs, 0);
}

}  // namespace mayfly::engine
