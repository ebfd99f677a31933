#include "crew.h"

#include "cpu_clock.h"
#include "interruption.h"
#include "worker.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto longest_start = 20s;
constexpr auto longest_stop = 15s;  // longer than any wait of a worker

test::process start(const worker_task& task)
{
    std::vector<std::string> command{"/proc/self/exe", "worker"};
    for (std::string& word : command_line(task)) command.push_back(std::move(word));
    return test::process{std::move(command)};
}

std::string describe(const test::ending& end)
{
    return end.signal ? "was ended by signal " + std::to_string(*end.signal)
                      : "ended with status " + std::to_string(end.code.value_or(-1));
}

}  // namespace

crew::crew(const workload& what, contender kind, const std::string& url)
    : seats_{std::size_t{what.processes} * what.threads}
{
    if (seats_ > most_seats) throw std::logic_error{"too many workers for a board"};
    workers_.reserve(what.processes);
    for (unsigned index = 0; index < what.processes; ++index) {
        workers_.push_back(start(
            {.kind = kind, .what = &what, .index = index, .board_fd = shared_.fd(), .url = url}));
    }
    await_ready();
}

void crew::await_ready()
{
    const auto end = clock::now() + longest_start;
    while (shared_->ready.load() < seats_) {
        check_alive();
        if (clock::now() > end) throw std::runtime_error{"the workers did not get ready in time"};
        std::this_thread::sleep_for(1ms);
    }
}

void crew::go()
{
    shared_->go.store(1);
}

void crew::run_until(clock::time_point end)
{
    // Checked rarely, because each check takes processor time from the workers.
    constexpr clock::duration pause = 100ms;
    while (clock::now() < end) {
        check_alive();
        std::this_thread::sleep_until(std::min(end, clock::now() + pause));
    }
}

void crew::check_alive()
{
    throw_if_interrupted();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (!workers_[i].running()) fail(i, describe(*workers_[i].wait(0ms)));
    }
}

void crew::stop()
{
    shared_->stop.store(1);
    const auto end = clock::now() + longest_stop;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        const auto left = std::max(end - clock::now(), clock::duration::zero());
        const auto ended =
            workers_[i].wait(std::chrono::duration_cast<std::chrono::milliseconds>(left));
        throw_if_interrupted();
        if (!ended) fail(i, "was stuck and has been killed");
        if (*ended != test::exited(0)) fail(i, describe(*ended));
    }
    const auto violations = shared_->violations.load();
    if (violations == 0) return;
    throw std::runtime_error{"more callers were inside than allowed, " +
                             std::to_string(violations) + " times"};
}

double crew::cpu_us() const
{
    double sum = 0;
    for (const test::process& each : workers_) sum += cpu_clock{each.pid()}.us();
    return sum;
}

void crew::fail(std::size_t worker, const std::string& how) const
{
    std::string text = "worker " + std::to_string(worker) + " " + how;
    if (const std::string said = workers_[worker].err(); !said.empty()) text += ": " + said;
    while (text.ends_with('\n')) text.pop_back();
    throw std::runtime_error{text};
}

}  // namespace pawl::bench
