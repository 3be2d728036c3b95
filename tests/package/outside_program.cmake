# Run by ctest: see CMakeLists.txt beside this file for the variables.
cmake_minimum_required(VERSION 3.25)

function(run what)
  execute_process(COMMAND ${ARGN}
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what} failed (${code})\n${output}\n${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect what actual wanted)
  if(NOT actual STREQUAL wanted)
    message(FATAL_ERROR "${what}: wanted \"${wanted}\", got \"${actual}\"")
  endif()
endfunction()

# Install, then move the tree: an installed likely must not remember where it was put.
file(REMOVE_RECURSE "${WORK}")
run("install" "${CMAKE_COMMAND}" --install "${BUILD}" --config "${CONFIG}" --prefix "${WORK}/first")
file(RENAME "${WORK}/first" "${WORK}/prefix")
set(prefix "${WORK}/prefix")

# Every installed header is included, and none of them may need a library that likely is built with.
file(GLOB_RECURSE headers RELATIVE "${prefix}/${INCLUDEDIR}" "${prefix}/${INCLUDEDIR}/likely/*.hpp")
if(NOT headers)
  message(FATAL_ERROR "no header was installed")
endif()
# None is missing, and none of those that are internal is there.
file(GLOB_RECURSE all_headers RELATIVE "${LIKELY_SOURCE}" "${LIKELY_SOURCE}/likely/*.hpp")
foreach(header IN LISTS all_headers)
  file(READ "${LIKELY_SOURCE}/${header}" text)
  string(REGEX REPLACE "#pragma once.*" "" head "${text}")
  if(header MATCHES "-inl\\.hpp$" OR head MATCHES "Internal[\n/ ]+to[\n/ ]")
    if(header IN_LIST headers)
      message(FATAL_ERROR "the internal header ${header} was installed")
    endif()
  elseif(NOT header IN_LIST headers)
    message(FATAL_ERROR "the header ${header} was not installed")
  endif()
endforeach()
set(every_header "#pragma once\n")
foreach(header IN LISTS headers)
  file(STRINGS "${prefix}/${INCLUDEDIR}/${header}" leaks
    REGEX "^ *# *include *[<\"](hwy|oneapi|dnnl|blis|cblas|Eigen|boost|fmt|omp|Random123|CLI|gtest|zlib|nlohmann)")
  if(leaks)
    message(FATAL_ERROR "the public header ${header} needs a private dependency: ${leaks}")
  endif()
  string(APPEND every_header "#include \"${header}\"\n")
endforeach()
file(WRITE "${WORK}/generated/every_header.hpp" "${every_header}")

# The command.
run("likely --version" "${prefix}/bin/likely" --version)
expect("likely --version" "${output}" "likely ${VERSION}")
run("likely info" "${prefix}/bin/likely" info)

# find_package
run("configure" "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/cmake" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_FLAGS=-I${WORK}/generated"
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
run("build" "${CMAKE_COMMAND}" --build "${WORK}/cmake")
run("the program built with find_package" "${WORK}/cmake/outside")
expect("the program built with find_package" "${output}" "${VERSION}")
file(STRINGS "${WORK}/cmake/compile_commands.json" leaks REGEX " (-O|-f|-W|-m|-D)")
if(leaks)
  message(FATAL_ERROR "find_package(likely) adds compiler flags: ${leaks}")
endif()

# pkg-config
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
run("pkg-config --modversion" "${PKG_CONFIG}" --modversion likely)
expect("pkg-config --modversion" "${output}" "${VERSION}")
run("pkg-config --cflags" "${PKG_CONFIG}" --cflags likely)
separate_arguments(compile_flags UNIX_COMMAND "${output}")
list(LENGTH compile_flags count)
expect("number of flags in pkg-config --cflags (${output})" "${count}" 1)
run("pkg-config --libs" "${PKG_CONFIG}" --libs likely)
separate_arguments(link_flags UNIX_COMMAND "${output}")
run("compile with pkg-config" "${CXX}" -std=c++20 "-I${WORK}/generated" ${compile_flags}
  "${SOURCE}/main.cpp" -o "${WORK}/outside" ${link_flags})
set(ENV{LD_LIBRARY_PATH} "${prefix}/${LIBDIR}")
run("the program built with pkg-config" "${WORK}/outside")
expect("the program built with pkg-config" "${output}" "${VERSION}")
