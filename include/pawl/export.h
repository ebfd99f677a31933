// PAWL_EXPORT marks what the shared library offers; everything else is hidden.
//
// Every public header includes this one before any other, so a compiler that is set to an older C++
// says so first.
#pragma once

#if __cplusplus < 202002L
#error "pawl needs C++20: compile with -std=c++20"
// Compilers go on after #error, and hundreds of messages would follow. They stop at a missing file.
#include <stop/after/the/error/above>
#endif

#define PAWL_EXPORT __attribute__((visibility("default")))
