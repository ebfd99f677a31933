// Dialogues with all nodes of a quorum at once, over one bare socket for each node. A request goes to all nodes. The
// next one follows when a majority has answered. The other answers are read when they arrive.
#pragma once

#include "dialogue.h"
#include "raw_connection.h"
#include "spoken_cycle.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::bench {

class spoken_majority {
public:
    // One cycle at a time.
    struct lock {
        std::vector<spoken_cycle> at_node{};
        std::size_t place = 0;  // for the caller
        std::size_t turn = 0;
        std::size_t answers = 0;   // to the current request
        std::size_t told_by = 0;   // the node that completed the last majority
        std::uint64_t serial = 0;  // of the current request
    };

    // With one dialogue for each node. They must outlive it.
    spoken_majority(const std::vector<std::string>& nodes, const std::vector<dialogue>& what);

    [[nodiscard]] lock make_lock(std::string_view name, std::size_t holder_number,
                                 std::size_t place) const;

    // The lock must not move afterwards.
    void begin(lock& which);

    // Returns a lock whose cycle has ended. Throws if a node replies otherwise than in the dialogue, or if no node
    // replies for seconds.
    [[nodiscard]] lock& await_end();

private:
    struct asked {
        lock* whose;
        std::size_t turn;
        std::uint64_t serial;
    };
    struct node {
        explicit node(const std::string& url) : connection{url} {}

        raw_connection connection;
        std::string unsent{};
        std::deque<asked> waiting{};  // replies come in the order of requests
        std::size_t line = 0;         // of the reply that comes next
    };

    void say(lock& which);
    void send();
    void receive();
    void hear(std::size_t number);
    void note_answer(std::size_t number, const asked& what);

    const std::vector<dialogue>& what_;
    std::vector<std::unique_ptr<node>> nodes_;
    std::deque<lock*> ended_;
};

}  // namespace pawl::bench
