# How likely's own code is compiled. Nothing here reaches a program that uses likely.

# Without a build type a compiler does not optimise, and likely is slow then. As a part of another project likely
# chooses for its own folder alone.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  else()
    set(CMAKE_BUILD_TYPE Release)
  endif()
  message(STATUS "likely: no build type was chosen, so likely is built as Release")
endif()
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)

# ccache, with paths relative to the source folder, so that two checkouts share their objects; it wants to be told
# that precompiled headers are meant. A launcher or a base folder that the user has chosen is kept.
find_program(LIKELY_CCACHE ccache)
if(LIKELY_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  if(DEFINED ENV{CCACHE_BASEDIR})
    set(CMAKE_CXX_COMPILER_LAUNCHER "${LIKELY_CCACHE}")
  else()
    set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros "${LIKELY_CCACHE}")
  endif()
endif()

add_library(likely_project_settings INTERFACE)
target_compile_options(likely_project_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wunused
  # A product and a sum are fused only where the code says so: otherwise the bits of a result would
  # depend on what the compiler happened to inline.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  # The compiler would search its memory for what it can free time and again, precompiled headers included.
  target_compile_options(likely_project_settings INTERFACE --param=ggc-min-heapsize=1048576)
endif()
if(LIKELY_WERROR)
  target_compile_options(likely_project_settings INTERFACE -Werror)
endif()
if(LIKELY_SANITIZE)
  target_compile_options(likely_project_settings INTERFACE
    "-fsanitize=${LIKELY_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(LIKELY_SANITIZE MATCHES "address.*undefined")
    # A third of the compile time, for what the address sanitizer stops at as well.
    target_compile_options(likely_project_settings INTERFACE -fno-sanitize=null,object-size,vptr)
  endif()
  target_link_options(likely_project_settings INTERFACE "-fsanitize=${LIKELY_SANITIZE}")
endif()
if(LIKELY_COVERAGE)
  target_compile_options(likely_project_settings INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(likely_project_settings INTERFACE --coverage)
endif()
