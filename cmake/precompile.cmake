# Precompiled headers, for our own builds: nearly half of the compile time of a file is for the same
# standard headers. Every file still includes what it uses: clang-tidy and PAWL_PRECOMPILE=OFF
# compile without them.
option(PAWL_PRECOMPILE "Precompile the standard headers" OFF)

set(pawl_standard_headers
  <algorithm> <array> <atomic> <chrono> <functional> <map> <memory> <mutex> <optional>
  <stop_token> <string> <string_view> <system_error> <thread> <unordered_map> <utility> <variant>
  <vector>)

# pawl_precompile(target [HEADER…]): the standard headers and these.
function(pawl_precompile target)
  if(PAWL_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${pawl_standard_headers} ${ARGN})
  endif()
endfunction()

# pawl_share_precompiled(target other): uses those of `other`, which must have the same compiler
# options.
function(pawl_share_precompiled target other)
  if(PAWL_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

if(PAWL_PRECOMPILE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # otherwise ccache would never find one again
endif()
