# What `cmake --install` writes: headers, libraries, CMake package, pkg-config files, documents,
# examples. The command has its own rule in cli/. All files find each other by relative paths, so an
# installed tree can be moved.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pawl)

install(TARGETS pawl EXPORT pawlTargets)
install(TARGETS pawl_asio EXPORT pawlAsioTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pawl TYPE INCLUDE
        FILES_MATCHING PATTERN "*.h" PATTERN testing.h EXCLUDE PATTERN prometheus.h EXCLUDE)
# Without the library its header is left out: a missing file is a clearer error than that of the
# linker.
if(TARGET pawl_testing)
  install(TARGETS pawl_testing EXPORT pawlTestingTargets)
  install(EXPORT pawlTestingTargets NAMESPACE pawl:: DESTINATION ${package_dir})
  install(FILES ${PROJECT_SOURCE_DIR}/include/pawl/testing.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pawl)
endif()
if(TARGET pawl_prometheus)
  install(TARGETS pawl_prometheus EXPORT pawlPrometheusTargets)
  install(EXPORT pawlPrometheusTargets NAMESPACE pawl:: DESTINATION ${package_dir})
  install(FILES ${PROJECT_SOURCE_DIR}/include/pawl/prometheus.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pawl)
endif()
foreach(file IN ITEMS LICENSE README.md CHANGELOG.md CONTRIBUTING.md)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} TYPE DOC)
endforeach()
# The documents that messages, headers and the README cite, under the same names.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples TYPE DOC)

install(EXPORT pawlTargets NAMESPACE pawl:: DESTINATION ${package_dir})
install(EXPORT pawlAsioTargets NAMESPACE pawl:: DESTINATION ${package_dir})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/pawlConfig.cmake.in ${PROJECT_BINARY_DIR}/pawlConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/pawlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pawlConfig.cmake ${PROJECT_BINARY_DIR}/pawlConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config: paths relative to the .pc file, unless the packager gave absolute directories.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /${pc_dir} /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
foreach(dir IN ITEMS INCLUDEDIR LIBDIR)
  string(TOLOWER pc_${dir} variable)
  set(${variable} ${CMAKE_INSTALL_${dir}})
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(${variable} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
if(NOT BUILD_SHARED_LIBS)
  set(pc_requires_private "openssl >= 3.0")
  set(pc_testing_requires_private "openssl >= 3.0, lua5.1")
  set(pc_libs_private "-pthread")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/pawl.pc.in ${PROJECT_BINARY_DIR}/pawl.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pawl.pc DESTINATION ${pc_dir})
if(TARGET pawl_testing)
  configure_file(
    ${CMAKE_CURRENT_LIST_DIR}/pawl-testing.pc.in ${PROJECT_BINARY_DIR}/pawl-testing.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/pawl-testing.pc DESTINATION ${pc_dir})
endif()
if(TARGET pawl_prometheus)
  configure_file(
    ${CMAKE_CURRENT_LIST_DIR}/pawl-prometheus.pc.in ${PROJECT_BINARY_DIR}/pawl-prometheus.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/pawl-prometheus.pc DESTINATION ${pc_dir})
endif()
