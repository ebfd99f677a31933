// One primary and its standbys: others always know where the primary is.
//
// Three servers, each a separate process, want to be the primary. One of them leads, and shows its
// address. The main process is a client of theirs: it follows the changes, and always knows the
// present primary. The first primary crashes. The second one hands over to the third by its name.
// The third one resigns.
//
// A crashed leader is followed when its lease ends. The short lease makes the example quick; 30 s
// are usual.
//
//   11_leader [URL]
#include "services.h"

#include <pawl/pawl.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <sys/types.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using example::say;

namespace {

constexpr int servers = 3;
constexpr auto longest_wait = 30s;
const pawl::lock_options short_lease{.lease = 1s};

struct fleet {
    std::string url;
    std::string name;  // of the election
};

std::string address_of(int number)
{
    return "10.0.0." + std::to_string(number) + ":80";
}

// Opens when the client has seen this server lead.
std::string latch_of(const fleet& all, int number)
{
    return all.name + ":seen:" + std::to_string(number);
}

// In this example the servers lead in the order of their numbers: each waits for the one before.
void wait_until_it_leads(pawl::leader& primary, int number)
{
    std::uint64_t seen = 0;
    for (;;) {
        primary.changed_since(seen).wait();
        const auto now = primary.current();
        if (now && now->payload == address_of(number)) return;
        seen = now ? now->fence : 0;
    }
}

int serve(int number, const fleet& all)
{
    const std::string me = address_of(number);
    pawl::client client{all.url};
    pawl::leader primary{client, all.name, short_lease};
    if (number > 1) wait_until_it_leads(primary, number - 1);
    pawl::leader::term term = primary.campaign(me);
    say(me + ": I lead, with the fence " + std::to_string(term.fence()));

    // A real server would work here until term.lost() requests stop.
    if (!pawl::latch{client, latch_of(all, number), 1}.wait_for(longest_wait)) return 1;
    if (number == 1) {
        say(me + ": I crash");
        ::kill(::getpid(), SIGKILL);
    }
    if (number == servers) {
        say(me + ": I resign");
        term.resign();
        return 0;
    }
    const std::string next = address_of(number + 1);
    say(me + ": I hand over to " + next);
    while (!term.yield_to(next)) std::this_thread::sleep_for(20ms);  // until it is a candidate
    return 0;
}

// Follows the leaders until the last one has resigned. Returns their addresses.
std::vector<std::string> follow(const fleet& all)
{
    pawl::client client{all.url};
    pawl::leader primary{client, all.name, short_lease};
    std::vector<std::string> seen;
    std::uint64_t fence = 0;
    while (primary.changed_since(fence).wait_for(longest_wait)) {
        const auto now = primary.current();
        fence = now ? now->fence : 0;
        if (!now) {
            say("there is no primary");
            if (seen.size() == servers) break;
            continue;
        }
        say("the primary is " + now->payload);
        seen.push_back(now->payload);
        pawl::latch{client, latch_of(all, static_cast<int>(seen.size())), 1}.count_down();
    }
    return seen;
}

}  // namespace

int main(int argc, char** argv)
try {
    const fleet all{.url = example::url_from(argc, argv),
                    .name = "example:primary:" + std::to_string(::getpid())};

    // Before this process makes its own client.
    std::vector<pid_t> started;
    for (int number = 1; number <= servers; ++number) {
        started.push_back(example::start_service([&all, number] { return serve(number, all); }));
    }

    const std::vector<std::string> seen = follow(all);
    const bool crashed = !example::succeeded(started[0]);  // it was killed
    const bool others = example::succeeded(started[1]) && example::succeeded(started[2]);
    if (!crashed || !others || seen != std::vector{address_of(1), address_of(2), address_of(3)}) {
        say("WRONG: the leaders were not those that were expected");
        return EXIT_FAILURE;
    }
    say("=> 3 leaders, one after another, and a client that knew each of them");
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
