// What a write depends on besides the document.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/catalog/catalog.h"
#include "engine/catalog/expiry_listener.h"
#include "engine/collection/removal_observer.h"
#include "engine/expression/context.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

// References must outlive the writer.
struct WriteContext {
  Transaction& transaction;
  Catalog& catalog;
  const EvaluationContext& evaluation;  // its now_ms is the command's
  int64_t modified_ms = 0;              // from DatabaseHandle::StampModification
  ExpiryListener* expiry_listener = nullptr;
  RemovalObserver* removal_observer = nullptr;
  bool bypass_validation = false;
};

}  // namespace mayfly::engine
