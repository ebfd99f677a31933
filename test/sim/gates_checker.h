// The checks of latches and barriers.
#pragma once

#include "sim/gate_state.h"
#include "sim/run_checker.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace pawl::sim {

class gates_checker final : public run_checker {
public:
    gates_checker(const plan& plan, world& world, server& server, trace& trace);

    struct gate_record;

    // One call that arrives at a gate.
    struct arrival {
        gate_record* at = nullptr;
        const process* who = nullptr;
        unsigned count = 1;
        std::uint64_t life = 0;  // these three: of the gate, when the call began
        std::uint64_t openings = 0;
        std::uint64_t refusals = 0;
        std::set<std::string> requests;  // participant and number, if the caller's thread sent them
        std::optional<std::uint64_t> phase;  // in which it was counted, if that is known
        std::optional<std::error_code> ended;
        std::uint64_t openings_then = 0;  // of the gate, when the call ended
    };
    using arrival_ptr = std::shared_ptr<arrival>;

    // One call that waits.
    struct waiter {
        gate_record* at = nullptr;
        const process* who = nullptr;
        arrival_ptr mine;            // null for a latch
        std::uint64_t openings = 0;  // when the call began
        std::uint64_t life = 0;
        bool over = false;       // the gate was open when the call began
        bool over_seen = false;  // and when watch_waiting() was called last
        std::string id_before;   // the last id that the thread drew before
    };

    // ── The gates ───────────────────────────────────────────────────────────────────────────────

    // The gate of the series `lock` that is in use; rarely the one before it.
    [[nodiscard]] std::string choose(std::size_t lock, dice& dice);
    // After the faults: a gate for all threads, and their number.
    [[nodiscard]] std::string last_of(std::size_t lock) const;
    [[nodiscard]] unsigned number_of_threads() const;
    void takes_part(const process& who) { processes_.push_back(&who); }

    // ── Reports of the users ────────────────────────────────────────────────────────────────────

    [[nodiscard]] arrival_ptr arrives(const process& who, const std::string& name, unsigned count);
    void arrived_at(const arrival_ptr& mine, std::error_code why);
    // Of an arrival that has ended: whether it was counted, and its phase is over.
    [[nodiscard]] bool was_counted(const arrival& mine) const;
    // After the faults: a thread arrives again although its last arrival may yet be counted. Then the threads
    // are in different phases, and some would wait for ever: they stop when their time is over.
    void phases_may_shift() { phases_shifted_ = true; }
    [[nodiscard]] std::stop_token time_is_over() const { return time_is_over_.get_token(); }
    [[nodiscard]] bool is_over(const arrival& mine) const;
    // The same, if it is not known in which phase it was counted.
    [[nodiscard]] bool may_be_over(const arrival& mine) const;

    using waiting = std::list<waiter>::iterator;
    [[nodiscard]] waiting waits(const process& who, const std::string& name, arrival_ptr mine);
    void waited(waiting which, std::error_code why);

    // ── Reports of the network, of the server and of the faults ─────────────────────────────────

    void called(const process& who, std::span<const std::string_view> words) override;
    void before(const std::vector<std::string_view>& words) override;
    void after(const std::vector<std::string_view>& words, std::string_view reply) override;
    void told(std::string_view push) override;
    void server_forgot(std::optional<std::size_t> only_lock) override;
    void data_lost(bool known) override;

    void watch_waiting() override;
    [[nodiscard]] nanoseconds watch_period() const override;
    void too_late(const std::string& text) override
    {
        if (!phases_shifted_) run_checker::too_late(text);
        time_is_over_.request_stop();
    }
    void check_orphans() override;
    [[nodiscard]] std::string key_of(std::size_t lock) const override;
    [[nodiscard]] std::vector<std::string> keys_used() const override;

    struct gate_record {
        std::string name;
        std::size_t lock = 0;
        bool is_barrier = false;
        bool exists = false;                     // at the server, when it was last seen
        bool may_be_gone = false;                // the server may have forgotten it since
        bool numbers_unknown = false;            // it may have come back with old data
        std::chrono::microseconds last_used{0};  // by the server's clock
        std::uint64_t life = 1;                  // how often it was made
        std::uint64_t openings = 0;
        std::uint64_t refusals = 0;     // of arrivals, because fewer were missing
        std::set<std::uint64_t> ended;  // the phases
        // The last arrival of each participant that was counted, in this life.
        struct last_arrival {
            std::uint64_t number = 0;
            std::uint64_t phase = 0;
            std::chrono::microseconds when{0};
            bool refused = false;
        };
        std::map<std::string, last_arrival, std::less<>> arrived;
        // How often each request was counted, in all lives, and the call that sent it.
        struct request {
            std::uint64_t counted = 0;
            std::uint64_t phase = 0;
            std::weak_ptr<arrival> call;
        };
        std::map<std::string, request, std::less<>> requests;
    };

private:
    struct series {
        std::uint64_t number = 0;
        std::uint64_t openings_wanted = 1;  // after so many, the next gate follows
    };
    struct left_waiter {
        const process* who = nullptr;
        nanoseconds when{0};
        bool joined_late = false;
    };
    // A script, with the state of its gate before and after it.
    struct change {
        gate_record& gate;
        const script_call& call;
        std::int64_t code;     // of the reply
        std::uint64_t number;  // of the reply
        const gate_state& was;
        const gate_state& is;
    };

    [[nodiscard]] gate_record& record_of(std::string_view name);
    [[nodiscard]] bool is_told(std::string_view who) const;
    void look_for_loss(gate_record& gate, const std::optional<gate_state>& state);
    void check_arrival(const change& what);
    void count(const change& what, const gate_state& next);
    void check_wait(const change& what);
    void check_unchanged(const change& what);
    void check_queue(const change& what, bool opens);
    [[nodiscard]] bool is_over(const waiter& which);

    std::vector<series> series_;  // of each lock of the plan
    bool phases_shifted_ = false;
    std::stop_source time_is_over_;
    std::map<std::string, gate_record, std::less<>> gates_;
    std::list<waiter> waiting_;
    std::map<std::string, left_waiter, std::less<>> left_;  // waiters that do not wait any more
    std::vector<const process*> processes_;
    // The call that a thread is in.
    std::map<std::pair<const process*, std::uint64_t>, std::weak_ptr<arrival>> calls_;

    std::optional<gate_state> before_;  // these three: for the script that is being executed
    std::vector<server::waiter> queue_before_;
    std::set<std::string, std::less<>> told_;
};

}  // namespace pawl::sim
