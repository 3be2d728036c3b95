# Finds BLIS and defines BLIS::BLIS.
find_path(BLIS_INCLUDE_DIR blis.h PATH_SUFFIXES blis)
find_library(BLIS_LIBRARY blis)
mark_as_advanced(BLIS_INCLUDE_DIR BLIS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BLIS
  REQUIRED_VARS BLIS_LIBRARY BLIS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "the Debian package is libblis-dev")

if(BLIS_FOUND AND NOT TARGET BLIS::BLIS)
  add_library(BLIS::BLIS UNKNOWN IMPORTED)
  set_target_properties(BLIS::BLIS PROPERTIES
    IMPORTED_LOCATION "${BLIS_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${BLIS_INCLUDE_DIR}")
endif()
