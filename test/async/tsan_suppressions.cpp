// Exceptions that go from one thread to another are counted by libstdc++ itself, where ThreadSanitizer
// does not see it: to it the last owner frees what another has just read.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions()
{
    return "race:std::__exception_ptr::exception_ptr::_M_release\n";
}
