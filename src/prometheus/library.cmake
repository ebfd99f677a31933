# <pawl/prometheus.h>, for programs that have prometheus-cpp.
file(GLOB prometheus_sources CONFIGURE_DEPENDS prometheus/*.cpp)
add_library(pawl_prometheus_objects OBJECT ${prometheus_sources})
set_target_properties(pawl_prometheus_objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(pawl_prometheus_objects PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(pawl_prometheus_objects
  PRIVATE pawl_compile_options
  PUBLIC PkgConfig::pawl_prometheus_cpp)

add_library(pawl_prometheus $<TARGET_OBJECTS:pawl_prometheus_objects>)
add_library(pawl::prometheus ALIAS pawl_prometheus)
pawl_describe_library(pawl_prometheus MAP ${PROJECT_SOURCE_DIR}/cmake/pawl-prometheus.map)
# The installed library finds libpawl in its own directory.
set_target_properties(pawl_prometheus PROPERTIES
  EXPORT_NAME prometheus
  OUTPUT_NAME pawl-prometheus
  INSTALL_RPATH "\$ORIGIN")
target_link_libraries(pawl_prometheus
  PUBLIC pawl PkgConfig::pawl_prometheus_cpp
  PRIVATE $<BUILD_INTERFACE:pawl_compile_options>)
