# What likely is built with. Each entry is private: no public header needs any of it.
#
#   likely_link_dependencies    libraries that a program using the static library must link, too
#   likely_header_dependencies  header-only libraries, needed only to build likely itself
#   likely_openmp_flags         what the compiler needs to understand OpenMP
#
# A link dependency has three more places: likelyConfig.cmake.in (find_dependency),
# likely_pkgconfig_libraries below, and tools/packages.txt.

set(likely_link_dependencies)
set(likely_pkgconfig_libraries)
add_library(likely_header_dependencies INTERFACE)

# Convolution, pooling and some matrix products.
find_package(oneDNN REQUIRED)
list(APPEND likely_link_dependencies oneDNN::oneDNN)
list(APPEND likely_pkgconfig_libraries dnnl)

# Matrix products.
find_package(BLIS REQUIRED)
list(APPEND likely_link_dependencies BLIS::BLIS)
list(APPEND likely_pkgconfig_libraries blis)

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

# Threads. g++'s run-time library is linked by name, so that it is found wherever a program is built; that of
# clang lies in a folder that the linker does not know.
find_package(OpenMP REQUIRED COMPONENTS CXX)
separate_arguments(likely_openmp_flags UNIX_COMMAND "${OpenMP_CXX_FLAGS}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND likely_link_dependencies ${OpenMP_CXX_LIB_NAMES})
  list(APPEND likely_pkgconfig_libraries ${OpenMP_CXX_LIB_NAMES})
else()
  list(APPEND likely_link_dependencies ${OpenMP_CXX_LIBRARIES})
  list(APPEND likely_pkgconfig_libraries ${OpenMP_CXX_LIBRARIES})
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
