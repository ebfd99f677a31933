// A dialogue for one lock. As many of its bytes as possible are prepared in advance. Each cycle has a new holder, as each
// acquisition of a real client has: the server works less with texts that it has seen before.
#pragma once

#include "dialogue.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::bench {

class spoken_cycle {
public:
    // The dialogue must outlive it.
    spoken_cycle(const dialogue& what, std::string_view name, std::size_t holder_number);

    [[nodiscard]] std::size_t turns() const noexcept { return requests_.size(); }

    // Appends the bytes of a request to `out`. The first turn begins a new cycle.
    void say(std::size_t turn, std::string& out);

    // The same, with this time and what another node has told: the requests to all nodes of a quorum are alike.
    void say(std::size_t turn, std::int64_t now_ms, const spoken_cycle& told, std::string& out);

    // The number of lines of the reply.
    [[nodiscard]] std::size_t lines(std::size_t turn) const
    {
        return what_->turns[turn].reply.size();
    }

    // Takes a line of the reply. Throws if it differs from the recording.
    void hear(std::size_t turn, std::size_t line, std::string_view text);

private:
    // Bytes, and the gap after them.
    struct part {
        std::string bytes;
        std::vector<std::size_t> cycle_numbers;  // where they are in the bytes
        piece gap;                               // `text`: no gap
    };

    [[nodiscard]] static std::vector<part> prepare(const turn& what, std::string_view name,
                                                   std::string_view holder);
    void begin_cycle();

    const dialogue* what_;
    std::uint32_t cycle_ = 0;
    std::vector<std::vector<part>> requests_;
    std::vector<std::string> echoes_;
};

}  // namespace pawl::bench
