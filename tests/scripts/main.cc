// Runs scripts against a server of their own: script_runner BINARY SCRIPT ...
// Prints every reply that is not as expected, with the script's line; ends with 1 if there is one.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "tests/scripts/matcher.h"
#include "tests/scripts/script.h"
#include "tests/scripts/server_process.h"
#include "tests/support/shell_notation.h"
#include "tests/support/temp_dir.h"
#include "tests/wire/raw_client.h"

namespace mayfly::test {
namespace {

// One script, one server, one connection.
class Run {
 public:
  Run(const std::string& binary, std::string path)
      : path_(std::move(path)), server_(binary, folder_.path()) {}

  // True if everything was as expected.
  bool All() {
    std::ifstream file(path_);
    if (!file) return Fail(0, "cannot be read");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    absl::StatusOr<std::vector<Step>> steps = ParseScript(text);
    if (!steps.ok()) return Fail(0, base::MessageOf(steps.status()));
    if (steps->empty()) return Fail(0, "has no step");
    bool good = Check(0, server_.Start()) && Connect();
    for (size_t i = 0; i < steps->size() && server_up_; ++i) good = One((*steps)[i]) && good;
    client_.reset();
    if (server_up_) good = Check(0, server_.Stop()) && good;
    if (!good) std::printf("--- the server's log\n%s---\n", server_.log().c_str());
    return good;
  }

 private:
  bool One(const Step& step) {
    switch (step.kind) {
      case StepKind::kCommand:
        return Command(step);
      case StepKind::kAdvance:
        return Command({.line = step.line,
                        .database = "admin",
                        .command = base::StrCat("{setClock: {advanceMS: ", step.number, "}}")});
      case StepKind::kPurge:
        return Command(
            {.line = step.line,
             .database = "admin",
             .command = "{ttlRunNow: 1}",
             .reply = step.number < 0 ? "{}" : base::StrCat("{removed: ", step.number, "}")});
      case StepKind::kRestart:
        client_.reset();
        return Check(step.line, server_.Stop()) &&
               Check(step.line, server_.Start(step.number / 1000)) && Connect();
      case StepKind::kKill:
        client_.reset();
        server_.Kill();
        return Check(step.line, server_.Start()) && Connect();
    }
    return false;
  }

  bool Connect() {
    client_.emplace(wire::test::RawClient::Tcp(server_.port()));
    return server_up_ = true;
  }

  bool Command(const Step& step) {
    const absl::StatusOr<bson::Document> written = ParseShell(step.command);
    if (!written.ok()) return Fail(step.line, base::MessageOf(written.status()));
    const absl::StatusOr<bson::Document> command = Substitute(*written, saved_);
    if (!command.ok()) return Fail(step.line, base::MessageOf(command.status()));
    bson::Builder builder;
    builder.AppendAll(*command).String("$db", step.database);
    const auto reply =
        client_->Call(wire::test::Msg(wire::test::BodySection(builder.Finish().bytes())));
    if (!reply.has_value()) {
      server_up_ = false;
      return Fail(step.line, "the server closed the connection");
    }
    const std::string difference = Mismatch(step, reply->document, &saved_);
    return difference.empty() || Fail(step.line, difference);
  }

  bool Check(int line, const absl::Status& status) {
    if (status.ok()) return true;
    server_up_ = false;
    return Fail(line, base::MessageOf(status));
  }

  bool Fail(int line, std::string_view text) {
    std::printf("%s:%d: %.*s\n", path_.c_str(), line, static_cast<int>(text.size()), text.data());
    return false;
  }

  const std::string path_;
  TempDir folder_;
  ServerProcess server_;
  std::optional<wire::test::RawClient> client_;
  SavedValues saved_;
  bool server_up_ = false;
};

}  // namespace
}  // namespace mayfly::test

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: script_runner BINARY SCRIPT ...\n");
    return 2;
  }
  bool good = true;
  for (int i = 2; i < argc; ++i) good = mayfly::test::Run(argv[1], argv[i]).All() && good;
  return good ? 0 : 1;
}
