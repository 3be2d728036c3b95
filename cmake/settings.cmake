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

# ccache, unless the user has chosen another launcher.
find_program(LIKELY_CCACHE ccache)
if(LIKELY_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_CURRENT_SOURCE_DIR}/tools/cached_compiler")
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
  if(LIKELY_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # g++ says so by itself: memory that likely would keep for the next tensor then goes back at once.
    target_compile_definitions(likely_project_settings INTERFACE __SANITIZE_ADDRESS__=1)
  endif()
  target_link_options(likely_project_settings INTERFACE "-fsanitize=${LIKELY_SANITIZE}")
endif()
if(LIKELY_COVERAGE)
  target_compile_options(likely_project_settings INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(likely_project_settings INTERFACE --coverage)
endif()

# What makes a mistake that is left harder to abuse: SECURITY.md says against what. For the library and the command as they
# are shipped; sanitizers look for the same and more. The flags never reach a program that links the static library.
#   likely_hardening        for what reads files, names and text
#   likely_light_hardening  for loops over numbers, where the strong stack protector costs up to 5 ns of the 50 that a tiny
#                           operation takes, and the usual one, which guards buffers of characters, up to 3
#   likely_hardened_link    for what is linked
add_library(likely_hardening INTERFACE)
add_library(likely_light_hardening INTERFACE)
set(likely_hardened_link)
if(LIKELY_HARDENING AND NOT LIKELY_SANITIZE AND NOT LIKELY_COVERAGE)
  set(fortify_level 3)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
    set(fortify_level 2)
  endif()
  # Only with optimisation, without which the C library refuses to check its callers.
  set(hardening_flags -fstack-clash-protection -U_FORTIFY_SOURCE "-D_FORTIFY_SOURCE=${fortify_level}")
  target_compile_options(likely_hardening INTERFACE
    "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-fstack-protector-strong;${hardening_flags}>")
  target_compile_options(likely_light_hardening INTERFACE
    "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-fstack-protector;${hardening_flags}>")
  set(likely_hardened_link "LINKER:-z,relro,-z,now,-z,noexecstack")
endif()
