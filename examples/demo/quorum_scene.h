// A scene of the demo: the lock is on five servers, and two of them are killed while it is in use.
#pragma once

#include "../services.h"
#include "counting.h"
#include "screen.h"
#include "stage.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <string>
#include <sys/types.h>

namespace demo {

struct quorum {
    std::string url;
    std::array<pid_t, 2> victims;  // two of its servers
};

inline findings with_dying_servers(screen& out, const example::scratch_dir& files,
                                   const quorum& servers)
{
    out.heading("4  Two of five servers are killed");
    out.line("   Now the lock is on five independent servers, and a majority must grant it.");
    out.line("   The same work goes on while two of the servers are killed.\n");
    out.pause_to_read();

    std::size_t dead = 0;
    const auto kill_one = [&](int additions) {
        const int share = all_rounds / 3;
        if (dead == servers.victims.size() || additions < share * static_cast<int>(dead + 1)) {
            return;
        }
        const pid_t victim = servers.victims.at(dead++);
        ::kill(victim, SIGKILL);
        out.line("   kill -9 " + std::to_string(victim) + ": server " + std::to_string(dead) +
                 " of five is dead");
    };
    const work counting = [&servers](int worker, const counter& number, const news_pipe& pipe) {
        return count_under_a_lock(worker, number, pipe, servers.url);
    };
    const findings seen = run_workers(out, counter{files.file("quorum")}, counting, kill_one);
    show_result(out, seen);
    promise(dead == servers.victims.size(), "two servers were killed");
    promise(seen.lost() == 0, "nothing is lost when servers die");
    promise(seen.most_inside == 1, "one at a time");
    promise(seen.grants == all_rounds && seen.fences_grow, "each fence is greater than the last");
    out.pause_to_read();
    return seen;
}

}  // namespace demo
