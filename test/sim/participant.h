// A process with a pawl client. Its threads use locks as programs do: carefully and carelessly, for
// short and long times, and with cancellations.
#pragma once

#include "sim/checker.h"
#include "sim/dice.h"
#include "sim/plan.h"
#include "sim/process.h"
#include "sim/server.h"
#include "sim/transport.h"
#include "sim/world.h"

#include <pawl/acquirable.h>
#include <pawl/client.h>
#include <pawl/counting_semaphore.h>
#include <pawl/fair_mutex.h>
#include <pawl/hold.h>
#include <pawl/lockable.h>
#include <pawl/mutex.h>
#include <pawl/once_per.h>
#include <pawl/recursive_mutex.h>
#include <pawl/shared_mutex.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace pawl::sim {

// The data that all participants of a run share.
struct stage {
    const plan& what;
    pawl::sim::world& world;
    pawl::sim::server& server;
    pawl::sim::checker& checker;
    std::array<std::uint64_t, fault_count>& fired;  // how often each fault happened
    bool draining = false;                          // the faults have ended
    std::stop_source drain{};                       // wakes sleeping threads at that time
};

class participant {
public:
    participant(stage& stage, unsigned number, drifting_clock clock, dice dice);
    ~participant();
    participant(const participant&) = delete;
    participant& operator=(const participant&) = delete;

    void start();
    void crash();

    // After the faults: whether each thread got the locks that it still wanted.
    [[nodiscard]] bool has_what_it_wanted() const noexcept { return satisfied_ == threads_; }

    // Destroys the client, in a thread of the process.
    void leave();

    [[nodiscard]] sim::process& process() noexcept { return *process_; }
    [[nodiscard]] sim::network& network() noexcept { return network_; }
    [[nodiscard]] sim::transport& transport() noexcept { return *transport_; }

private:
    // One way to enter a lock.
    struct door {
        acquirable* what = nullptr;
        lockable* locks = nullptr;  // null if a thread cannot lock() it
        way_in how{};
    };
    struct lock_here {
        std::optional<mutex> plain;
        std::optional<recursive_mutex> recursive;
        std::optional<fair_mutex> fair;
        std::optional<shared_mutex> shared;
        std::optional<counting_semaphore> semaphore;
        std::optional<once_per> once;
        lock_options options;
        std::vector<door> doors;
    };
    // What a thread wants: to enter this lock by this door.
    struct wish {
        std::size_t lock = 0;
        door by{};
        nanoseconds since{};
    };

    void make_client();
    void make_lock(const lock_plan& what);
    void make_doors(lock_here& made, const lock_plan& what);
    void run_thread(dice dice);
    void one_cycle(dice& dice);
    [[nodiscard]] wish choose(dice& dice);
    void lock_and_unlock(dice& dice, const wish& what);
    void last_cycle(dice& dice);
    void get_for_sure(dice& dice, const wish& what);
    [[nodiscard]] std::optional<hold> try_to_get(dice& dice, const wish& what);
    [[nodiscard]] entry entry_of(const wish& what) const;
    void critical_section(dice& dice, const wish& what, hold held);
    [[nodiscard]] std::optional<hold> change_sides(dice& dice, const wish& what, belief& mine,
                                                   hold& held);
    void work(dice& dice, belief& mine, hold& held);
    void enter_again(dice& dice, const belief& outer);
    void give_back(dice& dice, belief& mine, hold& held);
    void sleep(nanoseconds duration);

    // Jobs that run once per period: participant_once.cpp.
    void once_cycle(dice& dice);
    void last_once(dice& dice);
    [[nodiscard]] bool try_once(dice& dice, std::size_t lock, const std::stop_token& stop);
    void run_once(dice& dice, std::size_t lock, nanoseconds asked, once_per::turn turn);

    stage* stage_;
    std::shared_ptr<sim::process> process_;
    sim::network network_;
    dice dice_;
    sim::transport* transport_ = nullptr;
    std::unique_ptr<client> client_;
    std::vector<std::unique_ptr<lock_here>> locks_;
    unsigned threads_;
    unsigned satisfied_ = 0;
};

}  // namespace pawl::sim
