#include "engine/aggregate/sink.h"

#include <utility>

#include "base/status.h"

namespace mayfly::engine {
namespace {

absl::Status WriteBatches(Stream& source, Sink& sink, TargetHost& host) {
  MAYFLY_RETURN_IF_ERROR(sink.Begin(host));
  std::vector<bson::Document> batch;
  size_t bytes = 0;
  while (true) {
    Row row;
    MAYFLY_ASSIGN_OR_RETURN(const bool more, source.Next(&row));
    if (!more) break;
    const size_t size = row.doc().size();
    const bool is_full = bytes + size > Sink::kBatchBytes || batch.size() == Sink::kBatchDocuments;
    // What storage lent is not valid beside a write.
    bson::Document document = row.TakeDocument();
    if (is_full && !batch.empty()) {
      MAYFLY_RETURN_IF_ERROR(sink.Write(std::exchange(batch, {}), host));
      bytes = 0;
    }
    batch.push_back(std::move(document));
    bytes += size;
  }
  if (!batch.empty()) MAYFLY_RETURN_IF_ERROR(sink.Write(std::move(batch), host));
  return sink.End(host);
}

}  // namespace

absl::Status WriteAll(Stream& source, Sink& sink, TargetHost& host) {
  absl::Status status = WriteBatches(source, sink, host);
  // The failure itself is what the client is told.
  if (!status.ok()) sink.Abandon(host).IgnoreError();
  return status;
}

}  // namespace mayfly::engine
