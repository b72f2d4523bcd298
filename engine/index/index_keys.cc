#include "engine/index/index_keys.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "bson/builder.h"
#include "engine/index/key_values.h"
#include "engine/keys/key_encoder.h"
#include "engine/keys/record_id.h"
#include "engine/keys/type_bits.h"

namespace mayfly::engine {
namespace {

bool HoldsRecordIdInValue(const Index& index) { return index.spec.unique || index.spec.IsId(); }

// Record id as the first eight bytes of a unique index's value.
constexpr size_t kIdBytes = 8;

void AppendFixedId(RecordId id, std::string* out) {
  for (int shift = 56; shift >= 0; shift -= 8) out->push_back(static_cast<char>(id >> shift));
}

RecordId ReadFixedId(std::string_view bytes) {
  uint64_t id = 0;
  for (size_t i = 0; i < kIdBytes && i < bytes.size(); ++i)
    id = id << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<RecordId>(id);
}

}  // namespace

bool IndexKeySet::Contains(std::string_view fields) const { return Find(fields) != nullptr; }

const IndexKeySet::Key* IndexKeySet::Find(std::string_view fields) const {
  const auto it =
      std::lower_bound(keys_.begin(), keys_.end(), fields,
                       [](const Key& key, std::string_view f) { return key.fields < f; });
  return it != keys_.end() && it->fields == fields ? &*it : nullptr;
}

Ordering OrderingOf(const IndexSpec& spec) {
  uint32_t descending = 0;
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    if (spec.fields[i].kind == IndexKind::kDescending) descending |= 1u << i;
  }
  return Ordering(descending);
}

absl::Status ComputeIndexKeys(const Index& index, bson::View document,
                              const EvaluationContext& context, IndexKeySet* out) {
  out->Clear();
  if (!index.spec.HasEntries()) return absl::OkStatus();
  if (index.partial_filter != nullptr) {
    MatchContext match(context);
    MAYFLY_ASSIGN_OR_RETURN(const bool included, index.partial_filter->Matches(document, match));
    if (!included) return absl::OkStatus();
  }
  const KeyEncoder encoder(OrderingOf(index.spec), index.strings.get());
  TypeBits bits;
  MAYFLY_ASSIGN_OR_RETURN(
      const DocumentKeysInfo info,
      ForEachKey(index.spec.fields, document, [&](std::span<const bson::ValueView> values) {
        IndexKeySet::Key key;
        bits.Clear();
        for (size_t i = 0; i < values.size(); ++i) {
          const bson::ValueView null(bson::Type::kNull, nullptr, 0);
          encoder.Append(static_cast<int>(i), values[i].IsMissing() ? null : values[i], &key.fields,
                         &bits);
        }
        key.type_bits = bits.bytes();
        out->keys_.push_back(std::move(key));
      }));
  if (index.spec.sparse && !info.any_field_exists) {
    out->Clear();
    return absl::OkStatus();
  }
  out->multikey_fields_ = info.multikey_fields;
  if (out->keys_.size() > 1) {
    const auto less = [](const auto& a, const auto& b) { return a.fields < b.fields; };
    const auto same = [](const auto& a, const auto& b) { return a.fields == b.fields; };
    std::stable_sort(out->keys_.begin(), out->keys_.end(), less);
    out->keys_.erase(std::unique(out->keys_.begin(), out->keys_.end(), same), out->keys_.end());
  }
  return absl::OkStatus();
}

std::string EntryKey(const Index& index, std::string_view fields, RecordId id) {
  std::string key;
  key.reserve(fields.size() + kIdBytes);
  key.append(fields);
  if (!HoldsRecordIdInValue(index)) AppendRecordId(id, &key);
  return key;
}

std::string EntryValue(const Index& index, std::string_view type_bits, RecordId id) {
  std::string value;
  if (HoldsRecordIdInValue(index)) AppendFixedId(id, &value);
  value.append(type_bits);
  return value;
}

IndexEntry ParseEntry(const Index& index, std::string_view key, std::string_view value) {
  if (HoldsRecordIdInValue(index)) {
    return {.fields = key,
            .type_bits = value.substr(std::min(kIdBytes, value.size())),
            .id = ReadFixedId(value)};
  }
  size_t size = 0;
  const RecordId id = DecodeRecordIdAtEnd(key, &size);
  return {.fields = key.substr(0, size), .type_bits = value, .id = id};
}

bson::Document EntryDocument(const Index& index, const IndexEntry& entry) {
  bson::Builder builder;
  const auto values = DecodeKey(entry.fields, entry.type_bits, OrderingOf(index.spec),
                                static_cast<int>(index.spec.fields.size()));
  if (!values.ok()) return builder.Finish();
  for (size_t i = 0; i < values->size(); ++i) {
    builder.Append(index.spec.fields[i].path, (*values)[i]);
  }
  return builder.Finish();
}

}  // namespace mayfly::engine
