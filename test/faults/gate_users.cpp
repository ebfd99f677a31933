// Users of gates: a latch for each round, and a barrier. All workers must arrive before anyone gets through.
//
// A worker that was killed, and a call without an answer, may have arrived or not. Then there are more
// arrivals than needed, never fewer.
#include "faults/user.h"

#include <string>

namespace pawl::faults {

namespace {

constexpr std::chrono::milliseconds until_asked_again{1'000};

class gate_user : public user {
public:
    gate_user(const workplace& at, kind which) : user{at, which}, gate_{lock_.gate} {}

protected:
    [[nodiscard]] std::uint64_t workers() const { return at_.order.workers; }

    // Whether it opens. If not, this worker must arrive again: it has not `arrived`, or may be forgotten.
    [[nodiscard]] bool opens(const waitable& gate, bool arrived, const std::stop_token& stop)
    {
        for (;;) {
            std::error_code ec;
            if (gate.wait_for(until_asked_again, stop, ec)) return true;
            note(ec);
            const bool counted = arrived && at_.order.keeps_arrivals && ec != errc::refused;
            if (!counted || stop.stop_requested()) return false;
        }
    }

    // Every round that is over had an arrival of every worker, and so has this one.
    void pass(std::uint64_t round, nanoseconds_t call_began)
    {
        const std::uint64_t least = (round + 1) * workers();
        if (gate_.begun.load() < least) ++gate_.wrong;
        raise(gate_.begun, least);  // or the next rounds would be wrong too
        raise(gate_.over, round + 1);
        note_success(call_began);
    }

    gate_board& gate_;
};

class latch_user final : public gate_user {
public:
    latch_user(const workplace& at, client& own) : gate_user{at, kind::latch}, own_{own}
    {
        (void)latch_of(0);  // throws if the topology has none
    }

private:
    [[nodiscard]] latch latch_of(std::uint64_t round)
    {
        return {own_, name_of(kind_, std::to_string(round)), at_.order.workers};
    }

    void turn(const std::stop_token& stop) override
    {
        const nanoseconds_t now = clock_now();
        const std::uint64_t round = gate_.over.load();
        latch all_here = latch_of(round);
        ++gate_.begun;
        std::error_code ec;
        all_here.count_down(ec);
        if (!ec) check_number();
        if (ec && ec != errc::refused) return note(ec);  // refused: mostly it is open
        if (opens(all_here, !ec, stop)) pass(round, now);
    }

    // Each latch counts as many arrivals as it expects, and there was one for each round.
    void check_number()
    {
        if (++gate_.counted <= (gate_.over.load() + 1) * workers()) return;
        ++gate_.wrong;
        --gate_.counted;
    }

    client& own_;
};

class barrier_user final : public gate_user {
public:
    barrier_user(const workplace& at, client& own)
        : gate_user{at, kind::barrier}, phases_{own, name_of(kind_), at.order.workers}
    {
    }

private:
    void turn(const std::stop_token& stop) override
    {
        const nanoseconds_t now = clock_now();
        const std::uint64_t round = gate_.over.load();
        ++gate_.begun;
        std::error_code ec;
        const barrier::arrival here = phases_.arrive(ec);
        if (ec) return note(ec);
        if (opens(here, true, stop)) pass(round, now);
    }

    barrier phases_;
};

// Does not wait for the others.
class broken_gate_user final : public gate_user {
public:
    using gate_user::gate_user;

private:
    void turn(const std::stop_token&) override
    {
        ++gate_.begun;
        pass(gate_.over.load(), clock_now());
    }
};

}  // namespace

std::unique_ptr<user> make_latch_user(const workplace& at, client& own)
{
    return std::make_unique<latch_user>(at, own);
}

std::unique_ptr<user> make_barrier_user(const workplace& at, client& own)
{
    return std::make_unique<barrier_user>(at, own);
}

std::unique_ptr<user> make_broken_gate_user(const workplace& at, kind which)
{
    return std::make_unique<broken_gate_user>(at, which);
}

}  // namespace pawl::faults
