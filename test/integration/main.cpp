#include "integration/child.h"

#include <gtest/gtest.h>

// A forked child that creates its own client starts a thread. By default ThreadSanitizer forbids
// that.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options()
{
    return "die_after_fork=0";
}

int main(int argc, char** argv)
{
    if (pawl::test::is_child(argc, argv)) return pawl::test::run_child(argc, argv);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
