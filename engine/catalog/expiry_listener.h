// How the expiry service learns that it has work; the engine knows no more of it.
#pragma once

#include <cstdint>
#include <string_view>

namespace mayfly::engine {

// Told about what makes expiry work due earlier. Implemented by ttl/; called inside operations
// and by dropping a database, must be quick.
class ExpiryListener {
 public:
  virtual ~ExpiryListener() = default;
  // A rule was switched on, changed or off, or a collection or the database itself appeared or
  // went.
  virtual void OnRulesChanged(std::string_view database) = 0;
  // A record was written that is due at `due_ms`.
  virtual void OnRecordDue(std::string_view database, int64_t due_ms) = 0;
};

}  // namespace mayfly::engine
