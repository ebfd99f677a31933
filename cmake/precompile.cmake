# Precompiled headers, for our own builds: nearly half of what a file takes to compile is the same
# standard headers, again and again. Every file still includes what it uses: clang-tidy and
# PAWL_PRECOMPILE=OFF see it without them.
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

# pawl_share_precompiled(target other): those of `other`, whose compiler options must be the same.
function(pawl_share_precompiled target other)
  if(PAWL_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

if(PAWL_PRECOMPILE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # or ccache would never know one again
endif()
