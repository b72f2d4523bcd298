#include "engine/catalog/catalog_rows.h"

#include <cstring>
#include <utility>

#include "base/status.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "engine/catalog/catalog.h"
#include "engine/query/collation.h"
#include "engine/query/filter.h"

namespace mayfly::engine {
namespace {

int64_t IntField(bson::View row, std::string_view name) {
  const bson::ValueView value = row.Find(name);
  return value.IsNumber() ? bson::ToInt64Truncated(value) : 0;
}

std::string KeyOfSpace(char row, SpaceId space) {
  std::string key(1, row);
  for (int shift = 24; shift >= 0; shift -= 8) key.push_back(static_cast<char>(space >> shift));
  return key;
}

void AppendBackfill(const ExpiryBackfill& backfill, bson::Builder& out) {
  out.OpenDocument("backfill").Int64("next", backfill.next).Int64("end", backfill.end).Close();
}

ExpiryBackfill ReadBackfill(bson::View row) {
  const bson::ValueView backfill = row.Find("backfill");
  if (!backfill.IsDocument()) return {};
  return {.next = IntField(backfill.AsDocument(), "next"),
          .end = IntField(backfill.AsDocument(), "end")};
}

}  // namespace

std::string CollectionKey(std::string_view name) {
  std::string key(1, kCollectionRow);
  key.append(name);
  return key;
}

std::string CountersKey(SpaceId records) { return KeyOfSpace(kCountersRow, records); }

std::string SweepKey(SpaceId records) { return KeyOfSpace(kSweepRow, records); }

bson::Document MakeCollectionRow(const Collection::State& state) {
  bson::Builder row;
  row.Binary("uuid", bson::kBinaryUuid,
             {reinterpret_cast<const char*>(state.uuid.data()), state.uuid.size()});
  row.Int64("records", state.records).Int64("expiry", state.expiry);
  AppendBackfill(state.backfill, row);
  if (state.options.temporary) row.Bool("temporary", true);
  row.Document("options", state.options.stored).OpenDocument("epoch");
  if (state.epoch.is_on()) {
    row.String("attribute", state.epoch.attribute).Int64("space", state.epoch.space);
    AppendBackfill(state.epoch.backfill, row);
  }
  row.Close();
  row.OpenArray("indexes");
  for (const auto& index : state.indexes) {
    row.PushOpenDocument().Document("spec", index->spec.stored);
    row.Int64("space", index->space).Int64("multikey", index->multikey_fields);
    if (index->building) row.Bool("building", true);
    row.Close();
  }
  row.Close();
  return row.Finish();
}

absl::StatusOr<Collection::State> ReadCollectionRow(std::string_view name, bson::View row) {
  Collection::State state;
  state.name = std::string(name);
  const std::string_view uuid = row.Find("uuid").AsBinary().bytes;
  std::memcpy(state.uuid.data(), uuid.data(), std::min(uuid.size(), state.uuid.size()));
  state.records = static_cast<SpaceId>(IntField(row, "records"));
  state.expiry = static_cast<SpaceId>(IntField(row, "expiry"));
  state.backfill = ReadBackfill(row);
  MAYFLY_ASSIGN_OR_RETURN(state.options,
                          CollectionOptionsFromStored(row.Find("options").AsDocument()));
  state.options.temporary = row.Has("temporary");
  const bson::View epoch = row.Find("epoch").AsDocument();
  if (epoch.Has("attribute")) {
    state.epoch = {.attribute = std::string(epoch.Find("attribute").AsString()),
                   .space = static_cast<SpaceId>(IntField(epoch, "space")),
                   .backfill = ReadBackfill(epoch)};
  }
  for (const bson::Element& element : row.Find("indexes").AsDocument()) {
    const bson::View entry = element.value.AsDocument();
    MAYFLY_ASSIGN_OR_RETURN(std::shared_ptr<Index> index,
                            MakeIndex(IndexSpecFromStored(entry.Find("spec").AsDocument())));
    index->space = static_cast<SpaceId>(IntField(entry, "space"));
    index->multikey_fields = static_cast<uint32_t>(IntField(entry, "multikey"));
    index->building = entry.Has("building");
    state.indexes.push_back(std::move(index));
  }
  return state;
}

bson::Document MakeCountersRow(const CollectionCounters& counters) {
  bson::Builder row;
  row.Int64("documents", counters.documents).Int64("bytes", counters.data_bytes);
  row.Int64("next", counters.next_record);
  return row.Finish();
}

CollectionCounters ReadCountersRow(bson::View row) {
  return {.documents = IntField(row, "documents"),
          .data_bytes = IntField(row, "bytes"),
          .next_record = std::max<int64_t>(1, IntField(row, "next"))};
}

bson::Document MakeSweepRow(const SweepState& sweep) {
  bson::Builder row;
  row.Int64("space", sweep.space).Binary("key", bson::kBinaryGeneric, sweep.key);
  return row.Finish();
}

SweepState ReadSweepRow(bson::View row) {
  return {.pending = true,
          .space = static_cast<SpaceId>(IntField(row, "space")),
          .key = std::string(row.Find("key").AsBinary().bytes)};
}

absl::StatusOr<std::shared_ptr<Index>> MakeIndex(const IndexSpec& spec) {
  auto index = std::make_shared<Index>();
  index->spec = spec;
  if (spec.collation.has_value()) {
    MAYFLY_ASSIGN_OR_RETURN(index->strings, ParseCollation(*spec.collation));
  }
  if (spec.partial_filter.has_value()) {
    FilterParseContext context;
    context.features.expr = false;
    context.strings = index->strings.get();
    MAYFLY_ASSIGN_OR_RETURN(index->partial_filter, ParseFilter(*spec.partial_filter, context));
  }
  if (spec.IsWildcard()) index->wildcard = std::make_shared<const WildcardScope>(spec);
  return index;
}

}  // namespace mayfly::engine
