// For a child before exec: tests that were started in the background, or by nohup, ignore signals
// which the programs under test are to die of.
#pragma once

#include <csignal>

namespace pawl::test {

inline void restore_signals()
{
    for (const int each : {SIGINT, SIGQUIT, SIGHUP}) std::signal(each, SIG_DFL);
}

}  // namespace pawl::test
