// The workloads' work done on the raw tables, one client standing for all.
#pragma once

#include <memory>

#include "tools/bench/workload.h"

namespace mayfly::bench {

absl::Status RawNothing(const ClientArguments& arguments);
// Empty tables; the second syncs every commit.
absl::Status RawClear(const ClientArguments& arguments);
absl::Status RawClearSynced(const ClientArguments& arguments);
// `scale.records` documents of 300 bytes.
absl::Status RawFillRecords(const ClientArguments& arguments);
// `scale.documents` documents of 300 bytes with `score` in the secondary index.
absl::Status RawFillItems(const ClientArguments& arguments);
// 10,000 documents of 1.6 KB.
absl::Status RawFillTweets(const ClientArguments& arguments);

// A point read; as many in one read transaction as there are clients.
std::unique_ptr<Client> RawFindOne(const ClientArguments& arguments);
// As many documents of 275 bytes in one transaction as there are clients.
std::unique_ptr<Client> RawInsertOne(const ClientArguments& arguments);
// 1,000 documents of 300 bytes in one transaction.
std::unique_ptr<Client> RawInsertMany(const ClientArguments& arguments);
// The same with three secondary indexes.
std::unique_ptr<Client> RawInsertManyIndexed(const ClientArguments& arguments);
// A scan that copies every document.
std::unique_ptr<Client> RawScan(const ClientArguments& arguments);
// 100 documents of an index range, fetched in its order.
std::unique_ptr<Client> RawRange(const ClientArguments& arguments);
// The entries of an index range of a tenth of the documents.
std::unique_ptr<Client> RawCountRange(const ClientArguments& arguments);
// A scan that looks at two fields, or at one, of every document.
std::unique_ptr<Client> RawParseTwo(const ClientArguments& arguments);
std::unique_ptr<Client> RawParseOne(const ClientArguments& arguments);
// 2.7 MB copied ten times; its documents are bytes, counted once.
std::unique_ptr<Client> RawCopyTenTimes(const ClientArguments& arguments);
// Bytes of the documents, the _id index and the first secondary index.
absl::StatusOr<int64_t> RawStoredBytes(const ClientArguments& arguments);
// Deletes every document, rows first, then index entries.
std::unique_ptr<Client> RawDeleteAll(const ClientArguments& arguments);

}  // namespace mayfly::bench
