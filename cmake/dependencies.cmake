# What likely is built with. Each entry is private: no public header needs any of it.
#
#   likely_link_dependencies    libraries that a program using the static library must link, too
#   likely_header_dependencies  header-only libraries, needed only to build likely itself
#
# A link dependency has three more places: likelyConfig.cmake.in (find_dependency),
# likely_pkgconfig_libraries below, and tools/packages.txt.

set(likely_link_dependencies)
set(likely_pkgconfig_libraries)
add_library(likely_header_dependencies INTERFACE)

# Vector instructions with run-time dispatch.
find_package(hwy REQUIRED)
list(APPEND likely_link_dependencies hwy::hwy)
list(APPEND likely_pkgconfig_libraries hwy)

# Formatting.
find_package(fmt REQUIRED)
list(APPEND likely_link_dependencies fmt::fmt)
list(APPEND likely_pkgconfig_libraries fmt)

# Compressed files.
find_package(ZLIB REQUIRED)
list(APPEND likely_link_dependencies ZLIB::ZLIB)
list(APPEND likely_pkgconfig_libraries z)

# Threads, which older C libraries keep in a library of their own.
find_package(Threads REQUIRED)
list(APPEND likely_link_dependencies Threads::Threads)
if(CMAKE_THREAD_LIBS_INIT)
  list(APPEND likely_pkgconfig_libraries pthread)
endif()

# Special functions.
find_package(Boost REQUIRED)
target_link_libraries(likely_header_dependencies INTERFACE Boost::headers)

# Counter-based random numbers.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
mark_as_advanced(RANDOM123_INCLUDE_DIR)
target_include_directories(likely_header_dependencies SYSTEM INTERFACE "${RANDOM123_INCLUDE_DIR}")

# The headers of files.
find_package(nlohmann_json REQUIRED)
target_link_libraries(likely_header_dependencies INTERFACE nlohmann_json::nlohmann_json)

# The command line of the command.
if(LIKELY_BUILD_COMMAND)
  find_package(CLI11 REQUIRED)
endif()

# Tests.
if(LIKELY_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
