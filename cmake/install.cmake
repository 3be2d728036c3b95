# What `cmake --install` copies: headers, library, command, and how other builds find them.
include(CMakePackageConfigHelpers)

set(likely_package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/likely")

# Which headers are for users is said in their heads, and read when they are copied.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY [[${CMAKE_INSTALL_PREFIX}]] OUTPUT_VARIABLE likely_includes)
install(CODE "
  set(likely_headers [[${PROJECT_SOURCE_DIR}/likely]])
  set(likely_includes \"${likely_includes}/likely\")
  include([[${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake]])")

install(TARGETS likely EXPORT likelyTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(LIKELY_BUILD_COMMAND)
  # The command finds a shared likely beside it, wherever the folder is moved.
  file(RELATIVE_PATH bin_to_lib "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  set_target_properties(likely_command PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS likely_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# find_package(likely)
install(EXPORT likelyTargets NAMESPACE likely:: DESTINATION "${likely_package_folder}")
configure_package_config_file(cmake/likelyConfig.cmake.in
  "${PROJECT_BINARY_DIR}/likelyConfig.cmake" INSTALL_DESTINATION "${likely_package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/likelyConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/likelyConfig.cmake"
  "${PROJECT_BINARY_DIR}/likelyConfigVersion.cmake"
  DESTINATION "${likely_package_folder}")

# pkg-config likely: a static library brings its dependencies along, a shared one carries them inside.
list(TRANSFORM likely_pkgconfig_libraries REPLACE "^([^/].*)$" "-l\\1" OUTPUT_VARIABLE pkgconfig_dependencies)
list(JOIN pkgconfig_dependencies " " pkgconfig_dependencies)
if(LIKELY_SHARED)
  set(pkgconfig_public "")
  set(pkgconfig_private "${pkgconfig_dependencies}")
else()
  set(pkgconfig_public " ${pkgconfig_dependencies}")
  set(pkgconfig_private "")
endif()
file(RELATIVE_PATH pkgconfig_to_prefix
  "${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix "${pkgconfig_to_prefix}")
configure_file(cmake/likely.pc.in "${PROJECT_BINARY_DIR}/likely.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/likely.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
