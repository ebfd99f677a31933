// PAWL_EXPORT marks the symbols that the shared library exports. All others are hidden.
//
// Every public header includes this one, directly or through other headers of pawl, before any
// header of the standard library. So a compiler that is set to an older C++ standard reports that
// first.
#pragma once

#if __cplusplus < 202002L
#error "pawl needs C++20: compile with -std=c++20"
// Compilers continue after #error, and hundreds of messages would follow. They stop at a missing
// file.
#include <stop/after/the/error/above>
#endif

#define PAWL_EXPORT __attribute__((visibility("default")))
