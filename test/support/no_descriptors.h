// While this exists, the process cannot open any more descriptors.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <stdexcept>

namespace pawl::test {

class no_descriptors {
public:
    no_descriptors()
    {
        const int lowest_free = ::dup(0);
        if (lowest_free < 0 || ::close(lowest_free) != 0 ||
            ::getrlimit(RLIMIT_NOFILE, &usual_) != 0) {
            throw std::runtime_error{"cannot read the list of descriptors"};
        }
        auto none = usual_;
        none.rlim_cur = static_cast<rlim_t>(lowest_free);
        if (::setrlimit(RLIMIT_NOFILE, &none) != 0) throw std::runtime_error{"setrlimit"};
    }
    ~no_descriptors() { static_cast<void>(::setrlimit(RLIMIT_NOFILE, &usual_)); }
    no_descriptors(const no_descriptors&) = delete;
    no_descriptors& operator=(const no_descriptors&) = delete;

private:
    rlimit usual_{};
};

}  // namespace pawl::test
