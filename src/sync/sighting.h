// Asks servers for portraits of locks: a bounded number of commands in one write, several servers at the same time.
#pragma once

#include "core/failure.h"
#include "store/redis/portrait.h"
#include "store/redis/processes.h"
#include "sync/client_state.h"

#include <pawl/inspect.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pawl::sync {

// The portraits that one server is asked for.
struct sighting {
    std::string server{};
    std::vector<store::portrait> of{};
    std::optional<core::failure> problem{};  // it did not answer
    bool moved = false;                      // another server of the store has one of the locks now
    std::chrono::microseconds now{};         // its time

    // Adds the next commands. Returns whether there are any.
    [[nodiscard]] bool ask(store::server_question& to);
    void read(const store::server_answer& said);

private:
    struct part {
        std::size_t portrait;
        std::size_t commands;
    };
    std::vector<part> asked_{};
};

// Asks until all portraits are complete.
void complete(client_state& state, std::vector<sighting>& all);

// The processes behind the holders and waiters, as far as the servers tell.
class process_finder {
public:
    explicit process_finder(client_state& state) noexcept : state_{&state} {}

    void read(const std::vector<std::string>& servers);
    void name(lock_info& lock) const;

    // Why some servers did not tell.
    [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

private:
    client_state* state_;
    store::process_map known_;
    std::vector<std::string> notes_;
};

}  // namespace pawl::sync
