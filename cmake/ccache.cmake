# Used by CMakePresets.json: compiles through ccache if it is installed.
find_program(PAWL_CCACHE ccache)
if(PAWL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PAWL_CCACHE})
  if(CMAKE_CXX_COMPILER MATCHES "g\\+\\+$" AND NOT CMAKE_CXX_COMPILER MATCHES clang)
    string(APPEND CMAKE_CXX_FLAGS " -fpch-preprocess")  # ccache needs it for precompiled headers
  endif()
endif()
