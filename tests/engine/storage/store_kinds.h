// The list of stores that the shared tests run against.
#pragma once

#include <string>

#include "tests/engine/storage/store_fixture.h"

namespace mayfly::engine {

inline const StoreKind kStoreKinds[] = {
    {"memory", &OpenMemory, false},
    {"sqlite", &OpenSqlite, true},
};

inline std::string NameOfKind(const testing::TestParamInfo<StoreKind>& info) {
  return info.param.name;
}

}  // namespace mayfly::engine
