// Whether clients can tell a document that is hidden (expired by last write, not yet removed) from
// one that is removed: the same commands against two servers that differ in nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/test_server.h"

namespace mayfly::test {

// One way to look at documents. Commands are text; `$cursor` in them is the id of the cursor that
// the last command of `before` opened.
struct Probe {
  std::string_view command;
  // Run while no document has expired yet.
  std::vector<std::string_view> before = {};
  // Fields of the reply, at any depth, that may differ: each with a reason at its probe.
  std::vector<std::string_view> may_differ = {};
  // True: the reply, or what is in `x` and `local` afterwards, is something else where the
  // documents are alive; checked, since a probe that sees nothing proves nothing.
  bool sees = true;
  std::string_view database = "db";
};

// Fills `db` of three servers with the same documents: in `c` (with indexes), in its view `v`, in
// the target `t`, in the capped `cap` and, alone there, in `e` some have expired; none in `local`.
class HiddenComparison {
 public:
  // Expects that hidden equals removed. Each probe has servers of its own.
  static void Check(const Probe& probe);

 private:
  struct Side {
    explicit Side(std::string_view lifetime) : lifetime(lifetime) {}
    std::string lifetime;
    TestServer server;
  };

  // What a client sees, as text.
  struct View {
    std::string reply;  // with `x` and `local` afterwards
    std::string others;
  };

  static void Fill(Side& side);
  // Up to the moment at which documents have expired; the id of the cursor that was opened.
  static std::string Prepare(Side& side, const Probe& probe);
  static View RunOn(Side& side, const Probe& probe, const std::string& cursor);
};

}  // namespace mayfly::test
