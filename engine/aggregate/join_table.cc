#include "engine/aggregate/join_table.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "engine/aggregate/stage.h"

namespace mayfly::engine {
namespace {

using bson::ValueView;

constexpr ValueView kNull(bson::Type::kNull, nullptr, 0);
// What a map's entry takes besides the document.
constexpr int64_t kBytesPerKey = 64;

// Equality with null is true for what is missing or undefined, too.
ValueView AsKey(ValueView value) { return value.IsNullish() ? kNull : value; }

}  // namespace

absl::StatusOr<std::unique_ptr<JoinTable>> JoinTable::Read(std::unique_ptr<Stream> source,
                                                           std::string_view field,
                                                           const Runtime& runtime) {
  std::unique_ptr<JoinTable> table(new JoinTable(field, runtime.evaluation->strings));
  int64_t bytes = 0;
  Row row;
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, source->Next(&row));
    if (!more) return table;
    MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime));
    bytes += table->Add(row.doc());
    if (bytes > runtime.memory_limit_bytes) return nullptr;
  }
}

int64_t JoinTable::Add(bson::View document) {
  const auto index = static_cast<uint32_t>(documents_.size());
  documents_.emplace_back(document);
  int64_t bytes = document.size();
  VisitPath(field_, documents_.back(), LeafArray::kTraverse, [&](ValueView value, int64_t) {
    std::vector<uint32_t>& places = by_value_[AsKey(value)];
    if (places.empty() || places.back() != index) places.push_back(index);
    bytes += kBytesPerKey;
    return false;
  });
  return bytes;
}

std::vector<bson::View> JoinTable::Candidates(const std::vector<ValueView>& values) const {
  std::vector<uint32_t> places;
  for (const ValueView value : values) {
    const auto found = by_value_.find(AsKey(value));
    if (found == by_value_.end()) continue;
    places.insert(places.end(), found->second.begin(), found->second.end());
  }
  if (values.size() > 1) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
  std::vector<bson::View> documents;
  documents.reserve(places.size());
  for (const uint32_t place : places) documents.push_back(documents_[place].view());
  return documents;
}

}  // namespace mayfly::engine
