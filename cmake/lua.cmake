# Only the library pawl::testing needs Lua 5.1: its memory servers run pawl's scripts like Redis.
# Sets pawl_with_testing_library. If it is true, PkgConfig::pawl_lua exists.
set(PAWL_BUILD_TESTING_LIBRARY AUTO CACHE STRING
    "Build pawl::testing (memory: and <pawl/testing.h>): ON, OFF, or AUTO, which is ON where Lua 5.1 is found")
set_property(CACHE PAWL_BUILD_TESTING_LIBRARY PROPERTY STRINGS AUTO ON OFF)

if(NOT PAWL_BUILD_TESTING_LIBRARY MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "PAWL_BUILD_TESTING_LIBRARY is ${PAWL_BUILD_TESTING_LIBRARY} (allowed: AUTO, ON, OFF)")
endif()

set(pawl_with_testing_library OFF)
if(PAWL_BUILD_TESTING_LIBRARY STREQUAL AUTO AND NOT PAWL_BUILD_TESTS)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(pawl_lua QUIET IMPORTED_TARGET lua5.1)
  endif()
  if(TARGET PkgConfig::pawl_lua)
    set(pawl_with_testing_library ON)
  else()
    message(STATUS "pawl::testing is not built, so programs cannot use memory: and "
                   "<pawl/testing.h>: pkg-config finds no Lua 5.1 (Debian: liblua5.1-0-dev)")
  endif()
elseif(PAWL_BUILD_TESTING_LIBRARY)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(pawl_lua REQUIRED IMPORTED_TARGET lua5.1)
  set(pawl_with_testing_library ON)
elseif(PAWL_BUILD_TESTS)
  message(FATAL_ERROR "PAWL_BUILD_TESTS needs PAWL_BUILD_TESTING_LIBRARY, which is "
                      "${PAWL_BUILD_TESTING_LIBRARY}")
endif()
