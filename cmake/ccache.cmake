# Named by CMakePresets.json: compile through ccache where it is installed.
find_program(PAWL_CCACHE ccache)
if(PAWL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PAWL_CCACHE})
endif()
