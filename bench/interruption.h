// Ctrl-C ends a run in an orderly way: workers and the server are stopped, temporary files are
// removed.
#pragma once

#include <stdexcept>

namespace pawl::bench {

class interrupted : public std::runtime_error {
public:
    interrupted() : std::runtime_error{"interrupted"} {}
};

void notice_interruptions();  // SIGINT, SIGTERM and SIGHUP from now on
void throw_if_interrupted();

}  // namespace pawl::bench
