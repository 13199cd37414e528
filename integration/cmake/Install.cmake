# What `cmake --install` lays down, and find_package(heaptally) for its users:
#
#   find_package(heaptally REQUIRED)
#   target_link_libraries(app PRIVATE heaptally::heaptally)         shared
#   target_link_libraries(app PRIVATE heaptally::heaptally_static)  static
#   target_link_libraries(tests PRIVATE heaptally::gtest)           see
#                                            HeaptallyIntegrations.cmake

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(heaptally_package ${CMAKE_INSTALL_LIBDIR}/cmake/heaptally)

add_library(heaptally::heaptally ALIAS heaptally)
add_library(heaptally::heaptally_static ALIAS heaptally_static)
install(TARGETS heaptally heaptally_static EXPORT heaptallyTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT heaptallyTargets NAMESPACE heaptally::
  DESTINATION ${heaptally_package})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/heaptallyConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/heaptallyConfig.cmake
  INSTALL_DESTINATION ${heaptally_package}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/heaptallyConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/heaptallyConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/heaptallyConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/HeaptallyIntegrations.cmake
  DESTINATION ${heaptally_package})
install(FILES ${PROJECT_SOURCE_DIR}/integration/api/heaptally.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET heaptally_tool)
  install(TARGETS heaptally_tool DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# Relative, so that the package can be moved.
file(RELATIVE_PATH heaptally_pc_prefix
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/heaptally.pc.in
  ${CMAKE_CURRENT_BINARY_DIR}/heaptally.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/heaptally.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The same targets in a build that includes heaptally.
if(TARGET heaptally_testing)
  add_library(heaptally::heaptally_testing ALIAS heaptally_testing)
endif()
set(heaptally_sources ${PROJECT_SOURCE_DIR}/integration/gtest
  ${PROJECT_SOURCE_DIR}/integration/benchmark)
set(heaptally_headers ${heaptally_sources})
include(${CMAKE_CURRENT_LIST_DIR}/HeaptallyIntegrations.cmake)
