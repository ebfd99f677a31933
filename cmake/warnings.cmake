# Every target of this repository links pawl_compile_options privately: the options for our own
# builds. A user of the library inherits none of them.
#
# A user's compiler may be newer than ours, and warn more. So only our own builds fail on warnings.
set(ours OFF)
if(PAWL_BUILD_TESTS OR PAWL_BUILD_EXAMPLES OR PAWL_BUILD_BENCH OR PAWL_FUZZ)
  set(ours ON)
endif()
option(PAWL_WARNINGS_ARE_ERRORS "Fail on compiler warnings" ${ours})

add_library(pawl_compile_options INTERFACE)
target_compile_features(pawl_compile_options INTERFACE cxx_std_20)
target_compile_options(pawl_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wformat=2 $<$<BOOL:${PAWL_WARNINGS_ARE_ERRORS}>:-Werror>
  # When it optimises, g++ 12 warns about null pointers and overlapping copies inside its own
  # std::function and std::string.
  $<$<CXX_COMPILER_ID:Clang>:-Wnull-dereference> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # The annotations of src/common/mutex.h.
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)

# In a sanitizer build only the library is optimised. It does the work. The tests are most of the
# code, and compile in half the time without optimisation.
set(pawl_fast_when_sanitized)
if(PAWL_SANITIZE)
  set(pawl_fast_when_sanitized -O1)
  target_compile_options(pawl_compile_options INTERFACE
    -fsanitize=${PAWL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(pawl_compile_options INTERFACE -fsanitize=${PAWL_SANITIZE})
endif()
