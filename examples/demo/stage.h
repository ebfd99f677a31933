// What the scenes of the demo share: processes that work at the same time, and checks of their results.
#pragma once

#include "../services.h"
#include "board.h"
#include "counting.h"
#include "news.h"
#include "screen.h"

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <vector>

namespace demo {

inline constexpr std::chrono::milliseconds longest_scene = 60s;

inline void promise(bool kept, const std::string& what)
{
    if (!kept) throw std::runtime_error{"this is not true: " + what};
}

using work = std::function<int(int worker, const counter& number, const news_pipe& pipe)>;

// Runs the work in several processes at once, and shows it. `meanwhile` is told after each step how many
// additions there were.
inline findings run_workers(
    screen& out, const counter& number, const work& body,
    const std::function<void(int additions)>& meanwhile = [](int) {})
{
    news_pipe pipe;
    std::vector<pid_t> started;
    for (int worker = 1; worker <= workers; ++worker) {
        started.push_back(
            example::start_service([&, worker] { return body(worker, number, pipe); }));
    }
    pipe.stop_writing();

    board view{out, number};
    const auto limit = std::chrono::steady_clock::now() + longest_scene;
    while (!pipe.ended()) {
        const auto heard = pipe.next(50ms);
        if (heard) view.note(*heard);
        meanwhile(view.additions());
        // Between an exit and the next entry no worker is inside, but only for a short time. Only
        // states that last are shown.
        if (!heard || heard->what == step::inside) view.show();
        promise(std::chrono::steady_clock::now() < limit, "the workers come to an end");
    }
    for (const pid_t worker : started) promise(example::succeeded(worker), "each worker succeeds");
    return view.finish();
}

inline void show_result(screen& out, const findings& seen)
{
    const std::string verdict = seen.lost() == 0
                                    ? out.good("nothing was lost")
                                    : out.bad(std::to_string(seen.lost()) + " updates were lost");
    out.line("   => " + std::to_string(seen.additions) + " additions, and the file says " +
             std::to_string(seen.in_file) + ": " + verdict);
    promise(seen.additions == all_rounds, "all additions were made");
}

}  // namespace demo
