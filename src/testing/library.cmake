# memory: and <pawl/testing.h>, for programs that test with them, and for pawl's own tests.
pawl_add_objects(pawl_testing_objects ${testing_sources})
target_link_libraries(pawl_testing_objects PRIVATE PkgConfig::pawl_lua)
pawl_share_precompiled(pawl_testing_objects pawl_objects)

# A static pawl_testing is linked together with libpawl.a, which contains the leaf objects.
add_library(pawl_testing $<TARGET_OBJECTS:pawl_testing_objects>
  $<$<BOOL:${BUILD_SHARED_LIBS}>:$<TARGET_OBJECTS:pawl_leaf_objects>>)
add_library(pawl::testing ALIAS pawl_testing)
pawl_describe_library(pawl_testing MAP ${PROJECT_SOURCE_DIR}/cmake/pawl-testing.map)
# The installed library finds libpawl in its own directory.
set_target_properties(pawl_testing PROPERTIES
  EXPORT_NAME testing
  OUTPUT_NAME pawl-testing
  INSTALL_RPATH "\$ORIGIN")
target_link_libraries(pawl_testing
  PUBLIC pawl
  PRIVATE OpenSSL::Crypto PkgConfig::pawl_lua Threads::Threads $<BUILD_INTERFACE:pawl_compile_options>)
if(BUILD_SHARED_LIBS)
  # libpawl keeps a pointer into this library, so it must not be unloaded.
  target_link_options(pawl_testing PRIVATE -Wl,-z,nodelete)
endif()

add_library(pawl_internal STATIC EXCLUDE_FROM_ALL
  $<TARGET_OBJECTS:pawl_objects> $<TARGET_OBJECTS:pawl_leaf_objects>
  $<TARGET_OBJECTS:pawl_testing_objects>)
set_target_properties(pawl_internal PROPERTIES LINKER_LANGUAGE CXX)
target_include_directories(pawl_internal PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(pawl_internal PUBLIC pawl_private_api PkgConfig::pawl_lua)
