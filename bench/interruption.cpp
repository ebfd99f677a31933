#include "interruption.h"

#include <csignal>

namespace pawl::bench {
namespace {

volatile std::sig_atomic_t signalled = 0;

extern "C" void note_signal(int /*number*/)
{
    signalled = 1;
}

}  // namespace

void notice_interruptions()
{
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, note_signal);
}

void throw_if_interrupted()
{
    if (signalled != 0) throw interrupted{};
}

}  // namespace pawl::bench
