# Third-party libraries, all of them Debian packages that tools/setup installs.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(spdlog REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)

# Wraps a pkg-config module as a target with system include folders.
function(mayfly_pkg target module)
  pkg_check_modules(${target}_pc REQUIRED IMPORTED_TARGET ${module})
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE PkgConfig::${target}_pc)
endfunction()

mayfly_pkg(mayfly_libbson libbson-1.0)
mayfly_pkg(mayfly_sqlite sqlite3)
mayfly_pkg(mayfly_pcre2 libpcre2-8)
mayfly_pkg(mayfly_zstd libzstd)
pkg_check_modules(mayfly_icu_pc REQUIRED IMPORTED_TARGET icu-i18n icu-uc)
add_library(mayfly_icu INTERFACE)
target_link_libraries(mayfly_icu INTERFACE PkgConfig::mayfly_icu_pc)

find_library(MAYFLY_SNAPPY_LIBRARY snappy REQUIRED)
add_library(mayfly_snappy INTERFACE)
target_link_libraries(mayfly_snappy INTERFACE ${MAYFLY_SNAPPY_LIBRARY})

find_library(MAYFLY_STEMMER_LIBRARY stemmer REQUIRED)
add_library(mayfly_stemmer INTERFACE)
target_link_libraries(mayfly_stemmer INTERFACE ${MAYFLY_STEMMER_LIBRARY})

find_library(MAYFLY_S2_LIBRARY s2 REQUIRED)
add_library(mayfly_s2 INTERFACE)
target_link_libraries(mayfly_s2 INTERFACE ${MAYFLY_S2_LIBRARY} absl::base absl::strings)

# The flavour 000: arguments by value, rounding mode and exception flags as arguments.
find_library(MAYFLY_INTEL_DECIMAL_LIBRARY bidgcc000 REQUIRED)
add_library(mayfly_intel_decimal INTERFACE)
target_link_libraries(mayfly_intel_decimal INTERFACE ${MAYFLY_INTEL_DECIMAL_LIBRARY})

add_library(mayfly_asio INTERFACE)
target_compile_definitions(mayfly_asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED)
target_link_libraries(mayfly_asio INTERFACE Threads::Threads)
