# pawl_compile_options is linked privately by every target of this repository: how we compile, and
# nothing that a user of the library inherits.
add_library(pawl_compile_options INTERFACE)
target_compile_features(pawl_compile_options INTERFACE cxx_std_20)
target_compile_options(pawl_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wnull-dereference -Wformat=2 -Werror)

if(PAWL_SANITIZE)
  target_compile_options(pawl_compile_options INTERFACE
    -fsanitize=${PAWL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(pawl_compile_options INTERFACE -fsanitize=${PAWL_SANITIZE})
endif()
