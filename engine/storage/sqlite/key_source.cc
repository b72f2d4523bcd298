#include "engine/storage/sqlite/key_source.h"

namespace mayfly::engine {
namespace {

constexpr const char* kPointerType = "mayfly_keys";
constexpr int kSourceColumn = 1;

struct Cursor {
  sqlite3_vtab_cursor base;
  const KeyRun* keys;
  size_t at;
};

Cursor& CursorOf(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<Cursor*>(cursor); }

int Connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** table, char**) {
  *table = new sqlite3_vtab();
  return sqlite3_declare_vtab(db, "CREATE TABLE x(k BLOB, source HIDDEN)");
}

int Disconnect(sqlite3_vtab* table) {
  delete table;
  return SQLITE_OK;
}

// The only plan there is: one source, by its hidden column.
int BestIndex(sqlite3_vtab*, sqlite3_index_info* info) {
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn != kSourceColumn || constraint.usable == 0) continue;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->estimatedCost = 1;
    return SQLITE_OK;
  }
  return SQLITE_CONSTRAINT;
}

int Open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  *cursor = &(new Cursor())->base;
  return SQLITE_OK;
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete &CursorOf(cursor);
  return SQLITE_OK;
}

int Filter(sqlite3_vtab_cursor* cursor, int, const char*, int count, sqlite3_value** values) {
  CursorOf(cursor).keys =
      count < 1 ? nullptr
                : static_cast<const KeyRun*>(sqlite3_value_pointer(values[0], kPointerType));
  CursorOf(cursor).at = 0;
  return SQLITE_OK;
}

int Next(sqlite3_vtab_cursor* cursor) {
  ++CursorOf(cursor).at;
  return SQLITE_OK;
}

int Eof(sqlite3_vtab_cursor* cursor) {
  const Cursor& c = CursorOf(cursor);
  return c.keys == nullptr || c.at >= c.keys->size() ? 1 : 0;
}

int Column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  if (column == kSourceColumn) return SQLITE_OK;
  const Cursor& c = CursorOf(cursor);
  const std::string_view key = (*c.keys)[c.at];
  sqlite3_result_blob64(context, key.data(), key.size(), SQLITE_STATIC);
  return SQLITE_OK;
}

int RowId(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(CursorOf(cursor).at);
  return SQLITE_OK;
}

// Without xCreate it exists in every database without being made.
constexpr sqlite3_module kModule = {.iVersion = 0,
                                    .xConnect = Connect,
                                    .xBestIndex = BestIndex,
                                    .xDisconnect = Disconnect,
                                    .xOpen = Open,
                                    .xClose = Close,
                                    .xFilter = Filter,
                                    .xNext = Next,
                                    .xEof = Eof,
                                    .xColumn = Column,
                                    .xRowid = RowId};

}  // namespace

absl::Status RegisterKeySource(const Connection& connection) {
  const int code =
      sqlite3_create_module_v2(connection.get(), "mayfly_keys", &kModule, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : connection.ErrorFrom(code, "add a module");
}

void BindKeySource(sqlite3_stmt* statement, int index, const KeyRun& keys) {
  // SQLite hands it back as it is; nothing changes it.
  sqlite3_bind_pointer(statement, index, const_cast<KeyRun*>(&keys), kPointerType, nullptr);
}

}  // namespace mayfly::engine
