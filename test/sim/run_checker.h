// What a run needs from the checker of its family: it sees every request at the server, is told of the faults, and
// reports what must never happen. docs/simulator.md lists the checks.
#pragma once

#include "sim/plan.h"
#include "sim/process.h"
#include "sim/script_call.h"
#include "sim/server.h"
#include "sim/trace.h"
#include "sim/world.h"

#include <pawl/event.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

struct violation {
    std::string check;
    std::string text;
    nanoseconds when{};
    std::optional<std::size_t> lock;  // unset if it concerns all locks
};

class run_checker : public server::witness {
public:
    // ── Reports of the clients and of the network ───────────────────────────────────────────────

    virtual void heard(process& /*who*/, const event& /*what*/) {}
    // A request is written to a connection.
    virtual void sent(const process& /*who*/, std::span<const std::string_view> /*words*/) {}
    // A request, before there is a connection: by a thread that waits for the answer, or in the
    // background.
    virtual void called(const process& /*who*/, std::span<const std::string_view> /*words*/) {}
    virtual void submitted(const process& /*who*/, std::span<const std::string_view> /*words*/) {}
    virtual void arrived(const process& /*who*/) {}
    void lease_asked(std::chrono::milliseconds length);

    // ── Reports of the faults ───────────────────────────────────────────────────────────────────

    // The server may have lost data, of one lock or of all, or its clock goes ahead.
    virtual void server_forgot(std::optional<std::size_t> only_lock) = 0;
    // The server has no data any more. If `known` is false, it has those of an earlier time.
    virtual void data_lost(bool known) = 0;

    // This node of a quorum has lost a lock, or its clock goes ahead, so that leases end early there. It does not notice.
    virtual void node_forgot(unsigned /*node*/, std::optional<std::size_t> only_lock)
    {
        server_forgot(only_lock);
    }
    // This node of a quorum has lost its data, or has those of an earlier time.
    virtual void node_lost(unsigned /*node*/) {}
    // This node of a quorum was started again, or emptied: it is in quarantine.
    virtual void node_began(unsigned /*node*/) {}

    // ── As time passes, and at the end ──────────────────────────────────────────────────────────

    virtual void after_step() {}
    // Is called again and again, after watch_period(): when the faults have ended, or all the time in a calm run.
    // Detects a waiter that was forgotten.
    virtual void watch_waiting() = 0;
    [[nodiscard]] virtual nanoseconds watch_period() const;
    // How long a thread may sleep after the faults, although what it waits for is there.
    [[nodiscard]] virtual nanoseconds longest_sleep() const { return nanoseconds{0}; }
    // Within this time a client gives back what it gave up, if it can.
    [[nodiscard]] virtual nanoseconds time_to_clean_up() const;
    virtual void check_orphans() = 0;
    // The key of this lock of the plan, for the fault `deletions`; and all keys that were used, which must expire.
    [[nodiscard]] virtual std::string key_of(std::size_t lock) const;
    [[nodiscard]] virtual std::vector<std::string> keys_used() const;
    virtual void check_leftovers() { check_leftovers_at(*server_); }
    // The metrics of the client in this process do not say what happened there.
    void wrong_metrics(const process& who, const std::string& text);
    void does_not_end() { fail("liveness", std::nullopt, "it does not end"); }
    virtual void too_late(const std::string& text) { fail("liveness", std::nullopt, text); }

    [[nodiscard]] const std::optional<violation>& found() const noexcept { return found_; }
    [[nodiscard]] std::uint64_t grants() const noexcept { return grants_; }
    [[nodiscard]] std::uint64_t losses() const noexcept { return losses_; }
    [[nodiscard]] std::uint64_t stale_writes() const noexcept { return stale_writes_; }
    [[nodiscard]] std::chrono::milliseconds longest_lease() const noexcept { return longest_; }

protected:
    run_checker(const plan& plan, world& world, server& server, trace& trace);

    void fail(std::string_view check, std::optional<std::size_t> lock, const std::string& text);
    void check_leftovers_at(server& where);
    // Every request that the server has executed.
    void count_script(const std::optional<script_call>& call, std::string_view reply);

    const plan* plan_;
    world* world_;
    server* server_;
    trace* trace_;
    std::chrono::milliseconds longest_{0};
    std::uint64_t grants_ = 0;
    std::uint64_t losses_ = 0;
    std::uint64_t stale_writes_ = 0;

private:
    std::uint64_t unknown_scripts_ = 0;
    std::uint64_t scripts_in_full_ = 0;
    std::optional<violation> found_;
};

}  // namespace pawl::sim
