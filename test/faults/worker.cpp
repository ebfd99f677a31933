#include "faults/worker.h"

#include "faults/board.h"
#include "faults/history.h"
#include "faults/kind.h"
#include "faults/visit.h"
#include "support/no_descriptors.h"
#include "support/shared_file.h"

#include <atomic>
#include <cstdio>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <thread>

namespace pawl::faults {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr microseconds poll_step{2'000};
constexpr milliseconds short_wait{20};
constexpr milliseconds pause_after_error{5};

// One thread: takes one lock again and again.
class loop {
public:
    loop(const worker_order& order, board& shared, history& record, client* own, kind which)
        : order_{order},
          shared_{shared},
          lock_{shared.locks[static_cast<std::size_t>(which)]},
          record_{record},
          kind_{which},
          random_{order.seed * 1'000 + order.index * 10 + static_cast<std::uint64_t>(which)}
    {
        if (own == nullptr) return;
        try {
            made_ = make_lock(which, *own, options());
        } catch (const error& problem) {
            leave_out(problem.code(), problem.what());
        }
    }

    void run(const std::stop_token& stop)
    {
        while (!stop.stop_requested() && lock_.left_out.load() == 0) {
            if (order_.broken) {
                increment_without_lock();
            } else {
                visit_once(stop);
            }
            std::this_thread::sleep_for(microseconds{between(0, 3'000)});
        }
    }

private:
    [[nodiscard]] lock_options options() const { return {.lease = order_.lease}; }

    [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most)
    {
        return std::uniform_int_distribution<std::int64_t>{least, most}(random_);
    }

    [[nodiscard]] bool one_in(std::int64_t count) { return between(1, count) == 1; }

    // A topology says by `bad_argument` or `refused` that it does not have this kind. Only before
    // the first grant: later `refused` is a fault.
    void leave_out(const std::error_code& code, const char* why)
    {
        if (code != errc::bad_argument && code != errc::refused) return;
        if (lock_.grants.load() != 0) return;
        lock_.left_out.store(1);
        std::fprintf(stderr, "%s is left out: %s\n", std::string{to_string(kind_)}.c_str(), why);
    }

    [[nodiscard]] std::optional<hold> take(acquirable& from, const std::stop_token& stop,
                                           std::error_code& ec)
    {
        if (one_in(20)) return from.try_acquire(stop, ec);
        if (one_in(10)) return from.try_acquire_for(short_wait, stop, ec);
        hold held = from.acquire(stop, ec);
        return ec ? std::nullopt : std::optional{std::move(held)};
    }

    void visit_once(const std::stop_token& stop)
    {
        const bool reading = made_.readers != nullptr && one_in(2);
        acquirable& from = reading ? *made_.readers : *made_.lock;
        const call_begin call{shared_, kind_};
        std::error_code ec;
        std::optional<hold> held = take(from, stop, ec);
        if (!held) {
            note(ec);
            return;
        }
        {
            visit here{shared_, order_.index, kind_, reading, *held, call};
            here.use_register(record_, microseconds{between(0, 300)});
            here.stay(time_in());
        }
        held->release(ec);
        if (ec == errc::lost) {
            ++lock_.lost;
        } else if (ec) {
            note(ec);
        }
    }

    // Mostly short. Sometimes longer than a lease, so that renewals meet the faults too.
    [[nodiscard]] microseconds time_in()
    {
        if (one_in(1'000)) return order_.lease * 3 / 2;
        return one_in(30) ? microseconds{between(10'000, 50'000)} : microseconds{between(0, 1'000)};
    }

    void note(const std::error_code& ec)
    {
        if (!ec || ec == errc::busy || ec == errc::timed_out || ec == errc::cancelled) return;
        ++shared_.failed_calls;
        if (ec != errc::unreachable && ec != errc::no_quorum && ec != errc::refused) {
            std::fprintf(stderr, "%s: %s\n", std::string{to_string(kind_)}.c_str(),
                         ec.message().c_str());
        }
        leave_out(ec, ec.message().c_str());
        std::this_thread::sleep_for(pause_after_error);
    }

    void increment_without_lock()
    {
        ++lock_.grants;
        const nanoseconds_t now = clock_now();
        shared_.workers[order_.index].last_grant[static_cast<std::size_t>(kind_)].store(now);
        raise(lock_.last_call, now);
        const std::uint64_t id = record_.begin(kind_, 0);
        const std::optional<std::uint64_t> value = lock_.data.claim(0);
        std::this_thread::sleep_for(microseconds{between(0, 300)});
        const bool written = value && lock_.data.write(0, *value + 1);
        record_.end(id, written ? value : std::nullopt);
        if (written) ++lock_.increments;
    }

    const worker_order& order_;
    board& shared_;
    lock_board& lock_;
    history& record_;
    kind kind_;
    std::mt19937_64 random_;
    made_lock made_;
};

void use_up_descriptors_when_told(worker_board& own, std::optional<test::no_descriptors>& used_up)
{
    const bool wanted = own.use_up_descriptors.load() != 0;
    if (wanted == used_up.has_value()) return;
    if (wanted) {
        used_up.emplace();
    } else {
        used_up.reset();
    }
    own.descriptors_used_up.store(wanted ? 1 : 0);
}

// Stderr, and with it the client's log, goes to that disk.
void log_to(const std::string& scratch, std::size_t index)
{
    const std::string path = scratch + "/log-" + std::to_string(index);
    if (std::freopen(path.c_str(), "a", stderr) == nullptr) {
        throw std::runtime_error{"cannot write " + path};
    }
}

[[nodiscard]] client_options options_of(const worker_order& order, board& shared)
{
    client_options made;
    made.url = order.url;
    made.tls.ca_file = order.ca_file;
    if (order.url.starts_with("rediss+sentinel:")) made.sentinel.tls.ca_file = order.ca_file;
    made.command_limit = milliseconds{1'000};
    made.connect_limit = milliseconds{500};
    // A node that came back is in quarantine for this time and a little more.
    if (order.url.starts_with("redlock:")) made.longest_lease = order.lease;
    // A disk that is full must meet many lines.
    const log_level least = order.scratch.empty() ? log_level::warning : log_level::debug;
    made.log = [least, &shared](log_level level, std::string_view text) {
        if (text.find("was stepped") != std::string_view::npos) ++shared.reported_steps;
        if (level < least) return;
        std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
    };
    return made;
}

}  // namespace

std::vector<std::string> arguments_of(const worker_order& order)
{
    return {order.board,
            order.history,
            order.url,
            order.ca_file,
            order.scratch,
            std::to_string(order.index),
            std::to_string(order.seed),
            std::to_string(order.lease.count()),
            order.broken ? "broken" : "sound"};
}

worker_order order_from(const std::vector<std::string>& arguments)
{
    if (arguments.size() != 9) throw std::invalid_argument{"a worker needs 9 arguments"};
    return {.board = arguments[0],
            .history = arguments[1],
            .url = arguments[2],
            .ca_file = arguments[3],
            .scratch = arguments[4],
            .index = std::stoul(arguments[5]),
            .seed = std::stoull(arguments[6]),
            .lease = milliseconds{std::stoll(arguments[7])},
            .broken = arguments[8] == "broken"};
}

int work(const worker_order& order)
{
    if (!order.scratch.empty()) log_to(order.scratch, order.index);
    const test::shared_file<board> shared{order.board};
    history record{order.history};
    std::optional<client> own;
    if (!order.broken) own.emplace(options_of(order, *shared));
    std::vector<std::unique_ptr<loop>> loops;
    for (const kind which : all_kinds) {
        loops.push_back(
            std::make_unique<loop>(order, *shared, record, own ? &*own : nullptr, which));
    }
    std::stop_source stop;
    std::vector<std::jthread> threads;
    for (const auto& one : loops) {
        threads.emplace_back([&one, token = stop.get_token()] { one->run(token); });
    }
    std::optional<test::no_descriptors> used_up;
    while (shared->stop.load() == 0) {
        use_up_descriptors_when_told(shared->workers[order.index], used_up);
        std::this_thread::sleep_for(poll_step);
    }
    stop.request_stop();
    return 0;
}

}  // namespace pawl::faults
