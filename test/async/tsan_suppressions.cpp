// libstdc++ counts the owners of an exception_ptr where ThreadSanitizer does not see it. So it
// reports a race when the last owner frees an exception that another thread has just read.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions()
{
    return "race:std::__exception_ptr::exception_ptr::_M_release\n";
}
