#include "engine/exec/id_query.h"

#include <string>

#include "base/status.h"
#include "engine/catalog/record.h"
#include "engine/index/index_keys.h"
#include "engine/keys/key_encoder.h"

namespace mayfly::engine {
namespace {

bool IsPlain(bson::ValueView id) {
  switch (id.type()) {
    case bson::Type::kDouble:
    case bson::Type::kString:
    case bson::Type::kBinary:
    case bson::Type::kObjectId:
    case bson::Type::kBool:
    case bson::Type::kDate:
    case bson::Type::kInt32:
    case bson::Type::kTimestamp:
    case bson::Type::kInt64:
    case bson::Type::kDecimal128:
      return true;
    case bson::Type::kMissing:
    case bson::Type::kDocument:
    case bson::Type::kArray:
    case bson::Type::kUndefined:
    case bson::Type::kNull:
    case bson::Type::kRegex:
    case bson::Type::kDbPointer:
    case bson::Type::kCode:
    case bson::Type::kSymbol:
    case bson::Type::kCodeWithScope:
    case bson::Type::kMinKey:
    case bson::Type::kMaxKey:
      return false;
  }
  return false;
}

bool IsBare(const FindRequest& request) {
  return request.sort.empty() && request.projection.empty() && request.skip == 0 &&
         request.hint.IsMissing() && request.min.empty() && request.max.empty() &&
         request.collation.IsMissing() && request.let.empty() && !request.return_key &&
         !request.show_record_id;
}

}  // namespace

bson::ValueView SoughtId(const FindRequest& request, const Collection& collection) {
  if (!IsBare(request) || collection.options().strings != nullptr) return {};
  auto element = request.filter.begin();
  if (element == request.filter.end() || element->key != "_id" || !IsPlain(element->value))
    return {};
  const bson::ValueView id = element->value;
  ++element;
  return element == request.filter.end() ? id : bson::ValueView();
}

absl::StatusOr<std::optional<bson::View>> FindById(Transaction& transaction,
                                                   const Collection& collection, bson::ValueView id,
                                                   int64_t now_ms) {
  const Index& index = collection.id_index();
  ++index.usage->operations;
  std::string key;
  KeyEncoder().Append(0, id, &key);
  MAYFLY_ASSIGN_OR_RETURN(const auto entry, transaction.GetKey(index.space, key));
  if (!entry.has_value()) return std::optional<bson::View>();
  const RecordId record_id = ParseEntry(index, key, *entry).id;
  MAYFLY_ASSIGN_OR_RETURN(const auto bytes,
                          transaction.GetRecord(collection.state().records, record_id));
  if (!bytes.has_value()) return std::optional<bson::View>();
  const RecordView record = ReadRecord(*bytes);
  if (record.header.IsExpired(collection.last_write_rule(), now_ms)) {
    return std::optional<bson::View>();
  }
  return std::optional<bson::View>(record.document);
}

}  // namespace mayfly::engine
