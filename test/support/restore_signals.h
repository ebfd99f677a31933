// For a child before exec. Tests that were started in the background, or by nohup, ignore signals
// that must end the programs under test.
#pragma once

#include <csignal>

namespace pawl::test {

inline void restore_signals()
{
    for (const int each : {SIGINT, SIGQUIT, SIGHUP}) std::signal(each, SIG_DFL);
}

}  // namespace pawl::test
