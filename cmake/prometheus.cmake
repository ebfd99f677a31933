# Only the library pawl::prometheus needs prometheus-cpp. Sets pawl_with_prometheus. If it is true,
# PkgConfig::pawl_prometheus_cpp exists. Of prometheus-cpp only the core is used: its CMake package
# also asks for what its web server needs.
set(PAWL_BUILD_PROMETHEUS AUTO CACHE STRING
    "Build pawl::prometheus (<pawl/prometheus.h>): ON, OFF, or AUTO, which is ON where prometheus-cpp is found")
set_property(CACHE PAWL_BUILD_PROMETHEUS PROPERTY STRINGS AUTO ON OFF)

if(NOT PAWL_BUILD_PROMETHEUS MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "PAWL_BUILD_PROMETHEUS is ${PAWL_BUILD_PROMETHEUS} (allowed: AUTO, ON, OFF)")
endif()

set(pawl_with_prometheus OFF)
if(PAWL_BUILD_PROMETHEUS STREQUAL AUTO)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(pawl_prometheus_cpp QUIET IMPORTED_TARGET prometheus-cpp-core)
  endif()
  if(TARGET PkgConfig::pawl_prometheus_cpp)
    set(pawl_with_prometheus ON)
  else()
    message(STATUS "pawl::prometheus is not built: pkg-config finds no prometheus-cpp (Debian: prometheus-cpp-dev)")
  endif()
elseif(PAWL_BUILD_PROMETHEUS)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(pawl_prometheus_cpp REQUIRED IMPORTED_TARGET prometheus-cpp-core)
  set(pawl_with_prometheus ON)
endif()
