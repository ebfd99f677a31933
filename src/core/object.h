// What can be held or waited for: a name, a kind and a layout.
#pragma once

#include <pawl/options.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::core {

// Which holds may exist at the same time.
enum class object_kind : std::uint8_t {
    exclusive,  // one hold
    counted,    // several holds of one holder, which may enter again
    shared,     // one writer, or any number of readers
    permits,    // holds of one or more permits each, up to the capacity
    latch,      // no holds: waiters wait until as many have arrived as it expects
    barrier,    // the same, phase after phase
    many,       // one hold of several exclusive locks at once
    leader,     // one hold, which shows others the payload of its holder
    watch,      // no holds: a waiter waits until there is another leader
    once,       // one hold, a run; the next one may begin only in the next period
};

// What nobody holds: a latch, a barrier, or the watch for another leader.
[[nodiscard]] constexpr bool is_gate(object_kind what) noexcept
{
    return what == object_kind::latch || what == object_kind::barrier || what == object_kind::watch;
}

// How a holder enters an object of the kind `shared`.
enum class entry_mode : std::uint8_t { writer, reader };

// What is held, and how it is entered. There may be a million of them. A store derives the rest, for example
// its keys, from the name.
struct object {
    std::string name;
    object_kind kind{};
    pawl::layout
        layout{};  // exclusive, counted, many: how the store writes it, to share it with other libraries
    entry_mode mode{};        // shared
    unsigned permits = 1;     // permits: how many each hold takes
    unsigned capacity = 0;    // permits: how many there are
    unsigned expected = 0;    // latch, barrier: how many arrivals open it
    std::uint64_t phase = 0;  // barrier: wait until this phase has ended
    // exclusive: the name of the condition that a waiter of this lock waits for, or that is notified. It lives
    // as long as the object.
    const std::string* condition = nullptr;
    // many: the names of the locks, each once. `name` is then for messages only.
    std::vector<std::string> parts{};
    std::uint64_t seen = 0;   // watch: the fence of the leader that was seen; 0 if there was none
    std::string candidate{};  // leader: the text of core/candidate.h

    // once
    std::chrono::milliseconds period{};
    bool aligned =
        false;  // periods begin at multiples of it by the store's clock, and not with a run
    bool retries = false;  // a run that fails does not count

    bool operator==(const object&) const = default;
};

// The names of the locks: those of many, or the one of any other object.
[[nodiscard]] std::span<const std::string> names_of(const object& what) noexcept;

// Throws pawl::error (bad_argument) unless `name` is 1 to 512 bytes without NUL. `what` is the word for it in
// the message: "lock name" or "holder".
void check_name(std::string_view what, std::string_view name);

// The digits of a client's id that name its channel. They are enough: no two clients share them.
inline constexpr std::size_t channel_digits = 16;
[[nodiscard]] inline std::string_view channel_of(std::string_view client)
{
    return client.substr(0, channel_digits);
}

// Makes a holder id from 32 random hexadecimal digits. The first becomes a `p`. The ids of other libraries
// have a digit there, or another length. So every client can tell which holders belong to pawl, and will
// tell the next waiter when they leave. The last ones become those of the client's channel, so that an
// operator can find the process that holds a lock.
[[nodiscard]] std::string make_holder(std::string random_digits, std::string_view channel);

// A waiter for many locks may be handed one of them. It then has a part, for which it has another id: its own
// in capital letters. So that the two differ, the second character of its own is an `a`.
[[nodiscard]] std::string make_holder_of_many(std::string random_digits, std::string_view channel);
[[nodiscard]] std::string part_holder(std::string_view holder);

// The id of the waiter, from any of the two.
[[nodiscard]] std::string whole_holder(std::string_view holder);

// How long a part is held at most: until the waiter has heard of it, and has asked for the others.
inline constexpr std::chrono::milliseconds part_lease{1'000};

}  // namespace pawl::core
