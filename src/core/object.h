// What can be held or waited for: a name, a kind and a layout.
#pragma once

#include <pawl/options.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::core {

// Which holds may exist at the same time.
enum class object_kind : std::uint8_t {
    exclusive,  // one hold
    counted,    // several holds of one holder, which may enter again
    shared,     // one writer, or any number of readers
    permits,    // holds of one or more permits each, up to the capacity
    latch,      // no holds: waiters wait until as many have arrived as it expects
    barrier,    // the same, phase after phase
    once,       // one hold, a run; the next one may begin only in the next period
};

// A latch or a barrier: nobody holds it.
[[nodiscard]] constexpr bool is_gate(object_kind what) noexcept
{
    return what == object_kind::latch || what == object_kind::barrier;
}

// How a holder enters an object of the kind `shared`.
enum class entry_mode : std::uint8_t { writer, reader };

// What is held, and how it is entered. There may be a million of them. A store derives the rest, for example
// its keys, from the name.
struct object {
    std::string name;
    object_kind kind{};
    pawl::layout
        layout{};  // exclusive, counted: how the store writes it, to share it with other libraries
    entry_mode mode{};        // shared
    unsigned permits = 1;     // permits: how many each hold takes
    unsigned capacity = 0;    // permits: how many there are
    unsigned expected = 0;    // latch, barrier: how many arrivals open it
    std::uint64_t phase = 0;  // barrier: wait until this phase has ended

    // once
    std::chrono::milliseconds period{};
    bool aligned =
        false;  // periods begin at multiples of it by the store's clock, and not with a run
    bool retries = false;  // a run that fails does not count

    bool operator==(const object&) const = default;
};

// Throws pawl::error (bad_argument) unless `name` is 1 to 512 bytes without NUL. `what` is the word for it in
// the message: "lock name" or "holder".
void check_name(std::string_view what, std::string_view name);

// Makes a holder id from 32 random hexadecimal digits: the first becomes a `p`. The ids of other libraries
// have a digit there, or another length. So every client can tell which holders belong to pawl, and will
// tell the next waiter when they leave.
[[nodiscard]] std::string make_holder(std::string random_digits);

}  // namespace pawl::core
