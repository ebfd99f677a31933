// A latch and a barrier under kill -9.
//
// All threads take part. A thread that takes the place of a killed one does not know whether that
// one had arrived, so it arrives too. There are then more arrivals than expected, never fewer.
#include "integration/kill/worker.h"

#include <stdexcept>
#include <system_error>

namespace pawl::test::kill {
namespace {

void wait_for_the_others(const waitable& gate, const worker& by)
{
    std::error_code told;
    if (!gate.wait_for(longest_wait, by.stop(), told)) throw std::system_error{told, "not open"};
}

[[noreturn]] void opened_early(std::uint64_t arrived, std::uint64_t expected)
{
    throw std::runtime_error{"it was open after " + std::to_string(arrived) + " of " +
                             std::to_string(expected) + " arrivals"};
}

// A new latch for each round.
class latch_under_kill final : public kind {
public:
    explicit latch_under_kill(const setting& with) : with_{with} {}

    void turn(worker& by) override
    {
        const auto round = with_.all.round.load();
        latch gate{with_.own, name(round), with_.threads};
        by.idle();
        ++with_.all.started.at(round);
        std::error_code told;
        gate.count_down(told);
        if (!told) {
            if (++with_.all.confirmed.at(round) > with_.threads) {
                throw std::runtime_error{"more arrivals were counted than expected"};
            }
        } else if (told != errc::refused) {  // refused: it is open
            throw std::system_error{told, "count_down"};
        }
        wait_for_the_others(gate, by);
        const auto arrived = with_.all.started.at(round).load();
        if (arrived < with_.threads) opened_early(arrived, with_.threads);
        auto expected = round;
        with_.all.round.compare_exchange_strong(expected, round + 1);
    }

    void enter_alone() override
    {
        latch gate{with_.own, name(with_.all.round), with_.threads};
        std::error_code ignored;  // the killed may have counted already
        for (unsigned i = 0; i < with_.threads; ++i) gate.count_down(ignored);
        if (!gate.wait_for(longest_wait)) throw std::runtime_error{"the latch does not open"};
    }

private:
    static std::string name(std::size_t round) { return "gate:" + std::to_string(round); }

    setting with_;
};

const registered_kind with_latch{
    "latch", [](const setting& with) { return std::make_unique<latch_under_kill>(with); }};

class barrier_under_kill final : public kind {
public:
    explicit barrier_under_kill(const setting& with)
        : with_{with}, phase_{with.own, "phase", with.threads}
    {
    }

    void turn(worker& by) override
    {
        by.idle();
        // At least one more phase than now will have ended after the wait.
        const auto ended = with_.all.round.load() + 1;
        ++started();
        const barrier::arrival mine = phase_.arrive();
        wait_for_the_others(mine, by);
        const std::uint64_t arrived = started();
        if (arrived < ended * with_.threads) opened_early(arrived, ended * with_.threads);
        auto known = with_.all.round.load();
        while (known < ended && !with_.all.round.compare_exchange_weak(known, ended)) {
        }
    }

    void enter_alone() override
    {
        const barrier::arrival first = phase_.arrive();
        for (unsigned i = 1; i < with_.threads; ++i) static_cast<void>(phase_.arrive());
        if (!first.wait_for(longest_wait)) throw std::runtime_error{"the phase does not end"};
    }

private:
    // All arrivals, of all phases.
    [[nodiscard]] std::atomic<std::uint32_t>& started() { return with_.all.started.front(); }

    setting with_;
    barrier phase_;
};

const registered_kind with_barrier{
    "barrier", [](const setting& with) { return std::make_unique<barrier_under_kill>(with); }};

}  // namespace
}  // namespace pawl::test::kill
