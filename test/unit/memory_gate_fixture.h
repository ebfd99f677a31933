// The fixture of tests of latches and barriers over a memory server.
#pragma once

#include "unit/memory_fixture.h"
#include "unit/queue_view.h"

#include <cstdint>
#include <future>
#include <string>
#include <type_traits>
#include <utility>

namespace pawl::test {

template <class Gate>
constexpr bool stays_where_it_is =
    !std::is_copy_constructible_v<Gate> && !std::is_move_constructible_v<Gate> &&
    !std::is_copy_assignable_v<Gate>;

class memory_gate : public with_memory {
protected:
    // Another thread waits. When this returns, it is in the server's queue, as the last of `all`.
    template <class Wait>
    [[nodiscard]] std::future<void> waiting(Wait wait, std::int64_t all = 1)
    {
        auto made = std::async(std::launch::async, std::move(wait));
        EXPECT_TRUE(eventually([&] { return queue_.length("gate") == all; }));
        return made;
    }

    [[nodiscard]] static bool is_ready(const std::future<void>& what)
    {
        return what.wait_for(0s) == std::future_status::ready;
    }

    template <class Call>
    [[nodiscard]] static std::string message_of(Call&& call)
    {
        try {
            call();
            return {};
        } catch (const error& problem) {
            return problem.what();
        }
    }

    queue_view queue_{server_.url()};
    client other_{options()};
    latch mine_{client_, "gate", 2};
    latch theirs_{other_, "gate", 2};
};

}  // namespace pawl::test
