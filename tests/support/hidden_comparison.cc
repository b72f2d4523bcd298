#include "tests/support/hidden_comparison.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_replace.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "gtest/gtest.h"

namespace mayfly::test {
namespace {

// Other in every run.
constexpr std::array<std::string_view, 8> kVolatile = {
    "$clusterTime", "operationTime", "uuid", "executionTimeMillis", "executionTimeMillisEstimate",
    "millis",       "lastModified",  "opid"};

// `$` is the lifetime of those that are to expire.
constexpr std::string_view kSetup[] = {
    "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: -1},"
    " {key: {a: 1}, name: 'a'}, {key: {a: 1, b: -1}, name: 'ab'}, {key: {u: 1}, name: 'u', unique: "
    "true}, {key: {p: 1}, name: 'p', sparse: true}]}",
    "{insert: 'c', documents: ["
    "{_id: 1, a: 1, b: 1, u: 1, k: 1, n: 2, at: {$date: '2023-01-01T00:00:00Z'}},"
    "{_id: 2, a: 1, b: 5, u: 2, k: 1, n: 3, at: {$date: '2023-01-02T00:00:00Z'}, ttl: $},"
    "{_id: 3, a: 2, b: 3, u: 3, k: 3, n: 4, p: [1, 2], q: [1, 2], ttl: $},"
    "{_id: 4, a: 2, b: 4, u: 4, k: 2, n: 6, at: {$date: '2023-01-04T00:00:00Z'}},"
    "{_id: 5, a: 3, b: 2, u: 5, k: 4, n: 5, more: 'a longer document than the others', ttl: $},"
    "{_id: 6, a: 0, b: 6, u: 6, k: 5, n: 1}]}",
    "{create: 'v', viewOn: 'c', pipeline: [{$match: {a: {$gte: 0}}}]}",
    "{insert: 'local', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}, {_id: 3, a: 3}]}",
    "{createIndexes: 't', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: -1},"
    " {key: {u: 1}, name: 'u', unique: true}]}",
    "{insert: 't', documents: [{_id: 1, old: true, u: 101, ttl: $}, {_id: 9, u: 4, ttl: $},"
    " {_id: 2, old: true, u: 102}]}",
    "{create: 'cap', capped: true, size: 100000, max: 4}",
    "{createIndexes: 'cap', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: -1}]}",
    "{insert: 'cap', documents: [{_id: 1}, {_id: 2, ttl: $}, {_id: 3, ttl: $}, {_id: 4}]}",
    "{createIndexes: 'e', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: -1}]}",
    "{insert: 'e', documents: [{_id: 1, a: 1, ttl: $}]}",
};

constexpr std::string_view kOthers[] = {"c", "t", "cap", "e"};

bool IsOneOf(std::string_view key, const auto& names) {
  return std::find(names.begin(), names.end(), key) != names.end();
}

void AppendStable(const bson::Element& element, const Probe& probe, bson::Builder& out);

void AppendStableFields(bson::View fields, const Probe& probe, bson::Builder& out) {
  for (const bson::Element& element : fields) {
    if (!IsOneOf(element.key, kVolatile) && !IsOneOf(element.key, probe.may_differ)) {
      AppendStable(element, probe, out);
    }
  }
}

// Arrays become documents here, which is as good for comparing.
void AppendStable(const bson::Element& element, const Probe& probe, bson::Builder& out) {
  if (element.value.IsContainer()) {
    out.OpenDocument(element.key);
    AppendStableFields(element.value.AsDocument(), probe, out);
    out.Close();
  } else if (element.key == "id" && element.value.type() == bson::Type::kInt64) {
    out.Bool("open", element.value.AsInt64() != 0);  // ids of cursors are random
  } else {
    out.Append(element);
  }
}

std::string StableText(bson::View reply, const Probe& probe) {
  bson::Builder out;
  AppendStableFields(reply, probe, out);
  return bson::ToCanonicalJson(out.Finish().view());
}

std::string Replace(std::string_view text, std::string_view what, std::string_view by) {
  return absl::StrReplaceAll(base::ToAbsl(text), {{base::ToAbsl(what), base::ToAbsl(by)}});
}

std::string DocumentsOf(TestServer& server, std::string_view collection) {
  const std::string find = base::StrCat("{find: '", collection, "', sort: {_id: 1}}");
  return "\n" + StableText(server.Run("db", find).view(), Probe());
}

}  // namespace

void HiddenComparison::Fill(Side& side) {
  for (const std::string_view command : kSetup) {
    const bson::Document reply =
        side.server.Run("db", Replace(command, ": $}", ": " + side.lifetime + "}"));
    const bool good = !reply.view().Has("code") && !reply.view().Has("writeErrors");
    EXPECT_TRUE(good) << command << " " << bson::ToShellText(reply.view());
  }
}

std::string HiddenComparison::Prepare(Side& side, const Probe& probe) {
  Fill(side);
  std::string cursor;
  for (const std::string_view command : probe.before) {
    const bson::Document reply = side.server.Run(probe.database, command);
    EXPECT_FALSE(reply.view().Has("code")) << command << " " << bson::ToShellText(reply.view());
    const bson::ValueView opened = reply.view().Find("cursor");
    if (opened.IsDocument()) {
      cursor = base::StrCat("{$numberLong: '", opened.AsDocument().Find("id").AsInt64(), "'}");
    }
  }
  side.server.clock().AdvanceMs(60'000);
  return cursor;
}

HiddenComparison::View HiddenComparison::RunOn(Side& side, const Probe& probe,
                                               const std::string& cursor) {
  const bson::Document reply =
      side.server.Run(probe.database, Replace(probe.command, "$cursor", cursor));
  View view;
  view.reply = StableText(reply.view(), probe);
  for (const std::string_view name : {"x", "local"}) view.reply += DocumentsOf(side.server, name);
  for (const std::string_view name : kOthers) view.others += DocumentsOf(side.server, name);
  return view;
}

void HiddenComparison::Check(const Probe& probe) {
  SCOPED_TRACE(probe.command);
  Side hidden("50");
  Side removed("50");
  Side alive("5000");
  const std::string hidden_cursor = Prepare(hidden, probe);
  const std::string removed_cursor = Prepare(removed, probe);
  const std::string alive_cursor = Prepare(alive, probe);
  const auto count = removed.server.ttl().RunNow();
  ASSERT_TRUE(count.ok() && *count > 0) << count.status();

  const View when_hidden = RunOn(hidden, probe, hidden_cursor);
  const View when_removed = RunOn(removed, probe, removed_cursor);
  EXPECT_EQ(when_hidden.reply, when_removed.reply);
  EXPECT_EQ(when_hidden.others, when_removed.others);
  if (probe.sees) {
    EXPECT_NE(when_hidden.reply, RunOn(alive, probe, alive_cursor).reply);
  }
}

}  // namespace mayfly::test
