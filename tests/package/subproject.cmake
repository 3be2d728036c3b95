# Run by ctest: a project that has likely as a part and chooses no build type gets an optimised likely, is told so, and
# keeps its own flags. It is configured, not built: how it would be built is written down.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${WORK}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${CXX}"
    "-DLIKELY_SOURCE=${LIKELY_SOURCE}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "configure failed (${code})\n${output}\n${errors}")
endif()
if(NOT output MATCHES "likely: no build type was chosen, so likely is built as Release")
  message(FATAL_ERROR "nobody was told about the build type:\n${output}")
endif()

file(READ "${WORK}/compile_commands.json" commands)
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
set(own 0)
foreach(i RANGE ${last})
  string(JSON command GET "${commands}" ${i} command)
  string(JSON file GET "${commands}" ${i} file)
  if(file MATCHES "/outside/main.cpp$")
    set(own 1)
    if(command MATCHES " (-O|-D|-f|-W)")
      message(FATAL_ERROR "likely's flags have leaked into the project: ${command}")
    endif()
  elseif(NOT command MATCHES " -O3 -DNDEBUG ")
    message(FATAL_ERROR "not optimised: ${command}")
  endif()
endforeach()
if(NOT own OR count LESS 100)
  message(FATAL_ERROR "${count} sources, which are not those that were expected")
endif()
