# Language, warnings and sanitizers; every target of the project gets them.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

option(MAYFLY_TESTS "Build the tests" ON)
option(MAYFLY_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(MAYFLY_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, such as address,undefined or thread")

add_library(mayfly_options INTERFACE)
target_compile_options(mayfly_options INTERFACE -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Comparisons of the vectors of S2, which was written before C++20 turned them round.
  target_compile_options(mayfly_options INTERFACE -Wno-ambiguous-reversed-operator)
endif()
target_compile_options(mayfly_options INTERFACE "SHELL:-iquote ${CMAKE_SOURCE_DIR}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlaps and overflows in std::string's own concatenation (its bug 105651).
  target_compile_options(mayfly_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
  # And takes the members that an empty std::optional or another alternative of a std::variant does not have for used.
  target_compile_options(mayfly_options INTERFACE -Wno-maybe-uninitialized)
  # Lets ccache look into precompiled headers.
  target_compile_options(mayfly_options INTERFACE $<$<BOOL:${MAYFLY_PRECOMPILED}>:-fpch-preprocess>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Asio does not recognise the coroutines of libstdc++ under clang 14.
  target_compile_definitions(mayfly_options INTERFACE ASIO_HAS_CO_AWAIT=1 ASIO_HAS_STD_COROUTINE=1)
  # Lets ccache look into precompiled headers.
  target_compile_options(mayfly_options INTERFACE "$<$<BOOL:${MAYFLY_PRECOMPILED}>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
if(MAYFLY_SANITIZE)
  target_compile_options(mayfly_options INTERFACE -fsanitize=${MAYFLY_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(mayfly_options INTERFACE -fsanitize=${MAYFLY_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Clang 14 cannot emit the check of function types for coroutines.
    target_compile_options(mayfly_options INTERFACE -fno-sanitize=function)
  endif()
endif()
find_program(MAYFLY_MOLD mold)
if(MAYFLY_MOLD)
  target_link_options(mayfly_options INTERFACE -fuse-ld=mold)
endif()
find_program(MAYFLY_CCACHE ccache)
if(MAYFLY_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${MAYFLY_CCACHE})
endif()
