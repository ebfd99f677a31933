// A request to the simulated server, parsed from its words.
#pragma once

#include "redis/scripts.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pawl::sim {

struct script_call {
    enum class kind {
        acquire,
        set_count,
        renew,
        check,
        keep,
        release,
        exchange,
        cond_wait,
        cond_look,
        cond_notify,
        cond_leave,
        yield,
        watch,        // for another leader
        arrive,       // at a gate
        wait_at,      // a gate
        leave_queue,  // of a gate, or of watchers
        resize,       // a semaphore
        vote,         // this and the following: to a node of a quorum
        raise,
        hand_back,
        return_vote,
        restore,
    };
    kind what{};
    bool in_full = false;
    bool many = false;  // of sets of locks
    std::span<const std::string_view> keys;
    std::span<const std::string_view> arguments;

    // The holder of the i-th lock. In a set of members, its weight follows the id.
    [[nodiscard]] std::string_view holder(std::size_t i = 0) const
    {
        if (what == kind::restore) return arguments[2 + 5 * i];
        return what == kind::renew ? arguments[(many ? 3 : 2) * i] : arguments[0];
    }

    // A renewal: how many leases it renews.
    [[nodiscard]] bool is_renewal() const { return what == kind::renew || what == kind::restore; }
    [[nodiscard]] std::size_t leases() const
    {
        if (what == kind::restore) return arguments.size() / 5;
        return arguments.size() / (many ? 3 : 2);
    }

    // To a node of a quorum: the locks. A restore has several.
    [[nodiscard]] std::vector<std::string_view> locks_on_node() const;

    // An exchange: the holder that leaves.
    [[nodiscard]] std::string_view old_holder() const { return arguments[5]; }

    // A resize: the capacity, and the number of the last resize. Without it, the call only asks for it.
    [[nodiscard]] std::uint64_t capacity() const;
    [[nodiscard]] std::optional<std::uint64_t> after_resize() const;

    // These are for an acquire, and the last one also for an exchange.
    [[nodiscard]] bool joins() const;
    [[nodiscard]] bool is_fair() const;
    // From its place: until when the place is kept, by the server's clock, and the client to tell.
    [[nodiscard]] std::chrono::milliseconds kept_until() const;
    [[nodiscard]] std::string_view client() const;
    [[nodiscard]] bool reads() const { return arguments[3][13] == 's'; }
    // Of a candidate for a lead: its name and payload, as they are stored.
    [[nodiscard]] std::string_view candidate() const;
};

// All scripts that the simulator knows.
struct known_script {
    const redis::script* text = nullptr;
    script_call::kind what{};
    bool many = false;
};
[[nodiscard]] std::span<const known_script> known_scripts();

[[nodiscard]] std::string_view name_of(script_call::kind what);

// The i-th number of a reply that is a list or a text of numbers, or the only one.
[[nodiscard]] std::int64_t code_of(std::string_view reply, std::size_t i = 0);

// The fence in the reply of an acquire or a keep.
[[nodiscard]] std::uint64_t fence_in(std::string_view reply);

// Nothing if the request is not a call of one of pawl's scripts.
[[nodiscard]] std::optional<script_call> read_call(std::span<const std::string_view> words);

}  // namespace pawl::sim
