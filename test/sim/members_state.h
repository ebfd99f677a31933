// The state at the server of what several holders may enter: who is in, and who waits.
#pragma once

#include "sim/server.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

class members_state {
public:
    struct waiter {
        std::string holder;
        std::uint64_t weight = 0;
        bool reads = false;
        bool can_enter = false;  // its place is kept, and its client listens
    };

    // `capacity` is that of the programs. It counts as long as the server has no other.
    members_state(server& where, std::string_view name, std::uint64_t capacity);

    // Those whose lease has not ended.
    [[nodiscard]] const std::vector<server::member>& in() const noexcept { return in_; }
    [[nodiscard]] const std::vector<waiter>& queue() const noexcept { return queue_; }

    // Null if there is none.
    [[nodiscard]] const server::member* member(std::string_view holder) const;
    [[nodiscard]] const waiter* place(std::string_view holder) const;
    // The first one that is not gone. One that is asking at this moment is not.
    [[nodiscard]] const waiter* first(std::string_view asking = {}) const;

    [[nodiscard]] bool has_room_for(std::uint64_t weight) const noexcept
    {
        return weight_in_ + weight <= capacity_;
    }
    [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
    // The number of the last resize, 0 if there was none.
    [[nodiscard]] std::uint64_t last_resize() const noexcept { return last_resize_; }
    // The number at the server is right.
    [[nodiscard]] bool adds_up() const noexcept { return out_ == weight_stored_; }
    // Together they weigh more than the capacity. After a resize that may be so until enough of them have left.
    [[nodiscard]] bool is_too_full() const noexcept { return weight_in_ > capacity_; }
    [[nodiscard]] std::string describe() const;

private:
    std::uint64_t capacity_;
    std::uint64_t last_resize_ = 0;
    std::uint64_t out_ = 0;            // the number that the server has
    std::uint64_t weight_stored_ = 0;  // of all members
    std::uint64_t weight_in_ = 0;      // of those whose lease has not ended
    std::vector<server::member> in_;
    std::vector<waiter> queue_;
};

}  // namespace pawl::sim
