# Run by `cmake --install`: copies the headers that programs may include, from likely_headers to likely_includes. Left out
# are those whose head says that they are internal ("Internal to io/."), and those that end in -inl.hpp, parts of vector
# sources. A header that is "Only for train/." is copied, since another one includes it.
file(GLOB_RECURSE headers RELATIVE "${likely_headers}" "${likely_headers}/*.hpp")
foreach(header IN LISTS headers)
  file(READ "${likely_headers}/${header}" text)
  string(FIND "${text}" "#pragma once" end)
  string(SUBSTRING "${text}" 0 ${end} head)
  string(REGEX REPLACE "\n// *" " " head "${head}")
  if(header MATCHES "-inl\\.hpp$" OR head MATCHES "Internal to ")
    continue()
  endif()
  cmake_path(GET header PARENT_PATH folder)
  file(INSTALL DESTINATION "${likely_includes}/${folder}" TYPE FILE FILES "${likely_headers}/${header}")
endforeach()
