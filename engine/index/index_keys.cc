#include "engine/index/index_keys.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/expression/hashed_key.h"
#include "engine/index/geo_check.h"
#include "engine/index/key_values.h"
#include "engine/index/wildcard_keys.h"
#include "engine/keys/key_encoder.h"
#include "engine/keys/record_id.h"
#include "engine/keys/type_bits.h"

namespace mayfly::engine {
namespace {

bool HoldsRecordIdInValue(const Index& index) { return index.spec.unique || index.spec.IsId(); }

// Record id as the first eight bytes of a unique index's value.
constexpr size_t kIdBytes = 8;

void AppendFixedId(RecordId id, std::string* out) {
  const uint64_t big_endian = __builtin_bswap64(static_cast<uint64_t>(id));
  out->append(reinterpret_cast<const char*>(&big_endian), sizeof big_endian);
}

void AppendEntryKey(const Index& index, std::string_view fields, RecordId id, std::string* out) {
  out->append(fields);
  if (!HoldsRecordIdInValue(index)) AppendRecordId(id, out);
}

void AppendEntryValue(const Index& index, std::string_view type_bits, RecordId id,
                      std::string* out) {
  if (HoldsRecordIdInValue(index)) AppendFixedId(id, out);
  out->append(type_bits);
}

RecordId ReadFixedId(std::string_view bytes) {
  uint64_t id = 0;
  for (size_t i = 0; i < kIdBytes && i < bytes.size(); ++i)
    id = id << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<RecordId>(id);
}

absl::Status ArrayUnderHash(const IndexSpec& spec, uint32_t multikey_fields) {
  size_t field = 0;
  while ((multikey_fields >> field & 1) == 0) ++field;
  return base::Error(16766,
                     base::StrCat("hashed indexes do not currently support array values. Found "
                                  "array at path: ",
                                  spec.fields[field].path));
}

}  // namespace

bool IndexKeySet::Contains(std::string_view fields) const { return Find(fields) != nullptr; }

const IndexKeySet::Key* IndexKeySet::Find(std::string_view fields) const {
  const std::span<const Key> all = keys();
  const auto it =
      std::lower_bound(all.begin(), all.end(), fields,
                       [](const Key& key, std::string_view f) { return key.fields < f; });
  return it != all.end() && it->fields == fields ? &*it : nullptr;
}

IndexKeySet::Key& IndexKeySet::Add() {
  if (size_ == keys_.size()) keys_.emplace_back();
  Key& key = keys_[size_++];
  key.fields.clear();
  key.type_bits.clear();
  return key;
}

void IndexKeySet::SortAndUnique() {
  if (size_ <= 1) return;
  const auto less = [](const auto& a, const auto& b) { return a.fields < b.fields; };
  const auto same = [](const auto& a, const auto& b) { return a.fields == b.fields; };
  const auto end = keys_.begin() + static_cast<ptrdiff_t>(size_);
  std::stable_sort(keys_.begin(), end, less);
  size_ = static_cast<size_t>(std::unique(keys_.begin(), end, same) - keys_.begin());
}

Ordering OrderingOf(const IndexSpec& spec) {
  uint32_t descending = 0;
  size_t position = 0;
  for (const IndexField& field : spec.fields) {
    // The path of a wildcard ascends; its value has no direction of its own in a pattern.
    if (field.kind == IndexKind::kWildcard) ++position;
    if (field.descending) descending |= 1u << position;
    ++position;
  }
  return Ordering(descending);
}

std::vector<IndexField> KeyFieldsOf(const IndexSpec& spec, std::string_view path) {
  std::vector<IndexField> fields;
  for (const IndexField& field : spec.fields) {
    fields.push_back(field);
    if (field.kind != IndexKind::kWildcard) continue;
    fields.back() = {.path = std::string(kWildcardPathField)};
    fields.push_back({.path = path.empty() ? "$**" : std::string(path),
                      .kind = field.descending ? IndexKind::kDescending : IndexKind::kAscending,
                      .descending = field.descending});
  }
  return fields;
}

bson::Value HashedFieldValue(const Index& index, bson::ValueView value) {
  if (index.strings == nullptr) return bson::Value::Int64(HashedKey(value));
  // Under a collation, what is equal has one hash.
  const bson::ValueView null(bson::Type::kNull, nullptr, 0);
  std::string bytes;
  KeyEncoder(Ordering(), index.strings.get()).Append(0, value.IsMissing() ? null : value, &bytes);
  const bson::Value binary = bson::Value::FromBinary(bson::kBinaryGeneric, bytes);
  return bson::Value::Int64(HashedKey(binary));
}

absl::Status ComputeIndexKeys(const Index& index, bson::View document,
                              const EvaluationContext& context, IndexKeySet* out) {
  out->Clear();
  if (index.spec.IsLastWriteTtl()) return absl::OkStatus();
  if (index.partial_filter != nullptr) {
    MatchContext match(context);
    MAYFLY_ASSIGN_OR_RETURN(const bool included, index.partial_filter->Matches(document, match));
    if (!included) return absl::OkStatus();
  }
  const KeyEncoder encoder(OrderingOf(index.spec), index.strings.get());
  if (index.spec.special != IndexKind::kAscending) [[unlikely]] {
    if (!index.spec.HasEntries()) return CheckGeometry(index.spec, document);
    if (index.spec.IsWildcard()) {
      MAYFLY_ASSIGN_OR_RETURN(out->multikey_fields_,
                              ForEachWildcardKey(index, document, encoder,
                                                 [out](std::string fields, std::string type_bits) {
                                                   IndexKeySet::Key& key = out->Add();
                                                   key.fields = std::move(fields);
                                                   key.type_bits = std::move(type_bits);
                                                 }));
      out->SortAndUnique();
      return absl::OkStatus();
    }
  }
  const bool hashed = index.spec.special == IndexKind::kHashed;
  TypeBits bits;
  MAYFLY_ASSIGN_OR_RETURN(
      const DocumentKeysInfo info,
      ForEachKey(index.spec.fields, document, [&](std::span<const bson::ValueView> values) {
        IndexKeySet::Key& key = out->Add();
        bits.Clear();
        for (size_t i = 0; i < values.size(); ++i) {
          const bson::ValueView null(bson::Type::kNull, nullptr, 0);
          if (hashed && index.spec.fields[i].kind == IndexKind::kHashed) [[unlikely]] {
            encoder.Append(static_cast<int>(i), HashedFieldValue(index, values[i]), &key.fields,
                           &bits);
            continue;
          }
          encoder.Append(static_cast<int>(i), values[i].IsMissing() ? null : values[i], &key.fields,
                         &bits);
        }
        key.type_bits = bits.bytes();
      }));
  if (index.spec.sparse && !info.any_field_exists) {
    out->Clear();
    return absl::OkStatus();
  }
  if (hashed && info.multikey_fields != 0) return ArrayUnderHash(index.spec, info.multikey_fields);
  out->multikey_fields_ = info.multikey_fields;
  out->SortAndUnique();
  return absl::OkStatus();
}

std::string EntryKey(const Index& index, std::string_view fields, RecordId id) {
  std::string key;
  key.reserve(fields.size() + kIdBytes);
  AppendEntryKey(index, fields, id, &key);
  return key;
}

std::string EntryValue(const Index& index, std::string_view type_bits, RecordId id) {
  std::string value;
  AppendEntryValue(index, type_bits, id, &value);
  return value;
}

void EntryBytes::Set(const Index& index, const IndexKeySet::Key& key, RecordId id) {
  key_.clear();
  AppendEntryKey(index, key.fields, id, &key_);
  value_.clear();
  AppendEntryValue(index, key.type_bits, id, &value_);
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
  const std::vector<IndexField> fields = KeyFieldsOf(index.spec);
  const auto values = DecodeKey(entry.fields, entry.type_bits, OrderingOf(index.spec),
                                static_cast<int>(fields.size()));
  if (!values.ok()) return builder.Finish();
  for (size_t i = 0; i < values->size(); ++i) {
    const bool at_wildcard = i > 0 && fields[i - 1].path == kWildcardPathField;
    const bson::ValueView path = at_wildcard ? (*values)[i - 1] : bson::ValueView();
    builder.Append(path.IsString() ? path.AsString() : std::string_view(fields[i].path),
                   (*values)[i]);
  }
  return builder.Finish();
}

}  // namespace mayfly::engine
