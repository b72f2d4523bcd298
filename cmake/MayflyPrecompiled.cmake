# Precompiled headers: half of the compile time of most sources goes into the standard library and abseil. Sources
# include what they use all the same; the presets without this option prove it.
option(MAYFLY_PRECOMPILED "Use precompiled headers" OFF)

# mayfly_precompile(TARGET [TEST]): TARGET shares the project's precompiled header; TEST: the one with GoogleTest.
function(mayfly_precompile target)
  if(MAYFLY_PRECOMPILED)
    cmake_parse_arguments(arg "TEST" "" "" ${ARGN})
    if(arg_TEST)
      target_precompile_headers(${target} REUSE_FROM mayfly_test_precompiled)
    else()
      target_precompile_headers(${target} REUSE_FROM mayfly_precompiled)
    endif()
  endif()
endfunction()

if(MAYFLY_PRECOMPILED)
  set(mayfly_precompiled_headers
      <algorithm> <cstdint> <functional> <memory> <optional> <string> <string_view> <utility> <variant> <vector>
      <absl/container/flat_hash_map.h> <absl/functional/any_invocable.h> <absl/status/status.h> <absl/status/statusor.h>
      <absl/strings/str_cat.h>)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled/empty.cc "")
  add_library(mayfly_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cc)
  target_link_libraries(mayfly_precompiled PRIVATE mayfly_options absl::statusor)
  target_precompile_headers(mayfly_precompiled PRIVATE ${mayfly_precompiled_headers})
  if(MAYFLY_TESTS)
    find_package(GTest REQUIRED)
    # An executable, since position-independent code is of another kind in libraries.
    file(WRITE ${CMAKE_BINARY_DIR}/precompiled/main.cc "int main() {}\n")
    add_executable(mayfly_test_precompiled ${CMAKE_BINARY_DIR}/precompiled/main.cc)
    target_link_libraries(mayfly_test_precompiled PRIVATE mayfly_options absl::statusor GTest::gmock)
    target_precompile_headers(mayfly_test_precompiled PRIVATE ${mayfly_precompiled_headers} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()
