// Shows in half a minute what pawl does. Run it as `./dev demo`.
//
//   1  Processes add to a number in a file without a lock: updates get lost.
//   2  The same under a pawl::mutex: none is lost, and the fence grows with each grant.
//   3  A holder is killed with kill -9: the next process takes over when the lease has ended.
//   4  The lock is on five servers, and two of them are killed with kill -9: nothing stops.
//
// It checks its results, and fails if one is wrong.
//
//   demo URL [PAWL [QUORUM_URL PID PID]]
//
//   PAWL         the path of the pawl command, for the hints at the end
//   QUORUM_URL   five servers, and the processes of two of them, which are killed. Without them there is
//                no scene 4
#include "demo/counting.h"
#include "demo/news.h"
#include "demo/quorum_scene.h"
#include "demo/screen.h"
#include "demo/stage.h"
#include "services.h"

#include <pawl/pawl.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace demo {
namespace {

using std::to_string;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds short_lease = 2s;
constexpr milliseconds hold_before_kill = 3s;  // longer than the lease, to show that it is renewed
constexpr milliseconds slack = 2s;             // for a busy machine
constexpr milliseconds longest_start = 10s;

// In a separate process, because this process goes on forking and so must not have a client.
void check_server(const std::string& url)
{
    const pid_t asking = example::start_service([&url] {
        pawl::client{url}.ping();
        return 0;
    });
    promise(example::succeeded(asking), "a server that answers");
}

findings without_a_lock(screen& out, const example::scratch_dir& files)
{
    out.heading("1  Without a lock");
    out.line("   " + to_string(workers) + " processes add 1 to a number in a file, " +
             to_string(rounds) + " times each:");
    out.line("   read it, pause for a moment, write it back.\n");
    out.pause_to_read();

    const findings seen = run_workers(out, counter{files.file("bare")}, count_without_a_lock);
    show_result(out, seen);
    promise(seen.lost() > 0, "updates get lost without a lock");
    out.pause_to_read();
    return seen;
}

findings under_a_lock(screen& out, const example::scratch_dir& files, const std::string& url)
{
    out.heading("2  The same under a pawl::mutex");
    out.line("   A worker takes the lock before it adds, and waits while another holds it.");
    out.line("   The fence is a number that grows with each grant.\n");
    out.pause_to_read();

    const work counting = [&url](int worker, const counter& number, const news_pipe& pipe) {
        return count_under_a_lock(worker, number, pipe, url);
    };
    const findings seen = run_workers(out, counter{files.file("locked")}, counting);
    show_result(out, seen);
    promise(seen.lost() == 0, "nothing is lost under a lock");
    promise(seen.most_inside == 1, "one at a time");
    promise(seen.grants == all_rounds && seen.fences_grow, "each fence is greater than the last");
    out.pause_to_read();
    return seen;
}

struct takeover {
    milliseconds after{};
    std::uint64_t old_fence{};
    std::uint64_t new_fence{};
};

// Takes the lock, reports it, and keeps it until it is told to end or is killed.
int take_and_keep(int worker, const news_pipe& pipe, const std::string& url, milliseconds how_long)
{
    pawl::client client{url};
    pawl::mutex lock{client, "demo:takeover", {.lease = short_lease}};
    pipe.tell({.worker = worker, .what = step::waits});
    const pawl::hold held = take(lock);
    pipe.tell({.worker = worker, .what = step::inside, .fence = held.fence()});
    std::this_thread::sleep_for(how_long);
    return 0;
}

// The next message, with a clock running on the screen. Throws if none comes.
news hear(screen& out, news_pipe& pipe, milliseconds limit, const std::string& meanwhile)
{
    const auto start = steady_clock::now();
    for (;;) {
        const auto passed = duration_cast<milliseconds>(steady_clock::now() - start);
        if (out.live()) out.frame({"   " + meanwhile + "  " + to_string(passed.count()) + " ms"});
        if (const auto heard = pipe.next(50ms)) return *heard;
        promise(passed < limit && !pipe.ended(), "a free lock finds its next holder");
    }
}

// Lets the holder work for longer than its lease, and checks that the other worker keeps waiting.
void watch_renewal(screen& out, news_pipe& pipe)
{
    const auto text = [](milliseconds passed) {
        return "   worker 1 holds it, worker 2 waits  " + to_string(passed.count()) + " ms";
    };
    const auto start = steady_clock::now();
    milliseconds passed{};
    while (passed < hold_before_kill) {
        if (out.live()) out.frame({text(passed)});
        promise(!pipe.next(50ms), "a lock that is renewed stays with its holder");
        passed = duration_cast<milliseconds>(steady_clock::now() - start);
    }
    if (!out.live()) out.line(text(passed));
}

takeover after_a_kill(screen& out, const std::string& url)
{
    out.heading("3  The holder is killed");
    out.line("   Two workers want a lock with a lease of " + to_string(short_lease.count()) +
             " ms. While its holder lives");
    out.line("   the lease is renewed again and again. A dead holder renews nothing.\n");
    out.pause_to_read();

    takeover seen;
    news_pipe pipe;
    const pid_t holder =
        example::start_service([&] { return take_and_keep(1, pipe, url, longest_scene); });
    (void)hear(out, pipe, longest_start, "worker 1 starts");
    seen.old_fence = hear(out, pipe, longest_start, "worker 1 takes the lock").fence;
    const pid_t heir = example::start_service([&] { return take_and_keep(2, pipe, url, 0ms); });
    (void)hear(out, pipe, longest_start, "worker 2 starts");
    pipe.stop_writing();
    watch_renewal(out, pipe);

    const auto killed = steady_clock::now();
    ::kill(holder, SIGKILL);
    promise(!example::succeeded(holder), "a killed worker does not succeed");
    out.line("   kill -9 " + to_string(holder) + ": worker 1 is dead and did not release the lock");
    const news heard = hear(out, pipe, short_lease + slack, "worker 2 waits for the lease to end");
    seen.after = duration_cast<milliseconds>(steady_clock::now() - killed);
    seen.new_fence = heard.fence;
    promise(example::succeeded(heir), "the next holder succeeds");

    out.line("   => worker 2 " +
             out.good("took over after " + to_string(seen.after.count()) + " ms") + "; fence " +
             to_string(seen.old_fence) + " -> " + to_string(seen.new_fence));
    promise(heard.worker == 2 && heard.what == step::inside, "the other worker takes over");
    promise(seen.after <= short_lease + slack, "the next takes over when the lease has ended");
    promise(seen.new_fence > seen.old_fence, "the next holder has a greater fence");
    out.pause_to_read();
    return seen;
}

void summarise(screen& out, const findings& bare, const findings& locked, const takeover& killed)
{
    out.heading("In short");
    out.line("   without a lock  " + to_string(bare.lost()) + " of " + to_string(bare.additions) +
             " updates lost, up to " + to_string(bare.most_inside) +
             " workers inside at the same time");
    out.line("   under pawl      " + to_string(locked.lost()) + " of " +
             to_string(locked.additions) + " updates lost, never more than " +
             to_string(locked.most_inside) + " worker inside");
    out.line("   fences          " + to_string(locked.grants) +
             " grants, each with a greater number than the one before");
    out.line("   holder killed   the next took over after " + to_string(killed.after.count()) +
             " ms; the lease was " + to_string(short_lease.count()) + " ms");
}

void summarise(screen& out, const findings& quorum)
{
    out.line("   servers killed  " + to_string(quorum.lost()) + " of " +
             to_string(quorum.additions) + " updates lost, with two of five servers dead");
}

void suggest(screen& out, const std::string& command)
{
    out.heading("Try next");
    out.line("   Run this in two terminals at once. The second one waits for the first:");
    out.line("     " + command + " run stock:42 -- sh -c 'echo fence $PAWL_FENCE; sleep 5'");
    out.line(
        "   Programs to read and run: examples/1_stock_deduction.cpp and the other files there.");
    out.line("   README.md: how to use pawl in your program.");
}

}  // namespace
}  // namespace demo

int main(int argc, char** argv)
try {
    const std::string url = example::url_from(argc, argv);
    const example::scratch_dir files;
    demo::screen out;
    demo::check_server(url);
    const demo::findings bare = demo::without_a_lock(out, files);
    const demo::findings locked = demo::under_a_lock(out, files, url);
    const demo::takeover killed = demo::after_a_kill(out, url);
    std::optional<demo::findings> quorum;
    if (argc > 5) {
        quorum = demo::with_dying_servers(
            out, files, {.url = argv[3], .victims = {std::stoi(argv[4]), std::stoi(argv[5])}});
    }
    demo::summarise(out, bare, locked, killed);
    if (quorum) demo::summarise(out, *quorum);
    demo::suggest(out, argc > 2 ? argv[2] : "pawl");
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cout << std::flush;
    std::cerr << "demo: " << problem.what() << '\n';
    return EXIT_FAILURE;
}
