// A dialogue as it is spoken for one lock: as much of its bytes as possible is made beforehand.
#pragma once

#include "dialogue.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::bench {

class spoken_cycle {
public:
    // The dialogue must outlive it.
    spoken_cycle(const dialogue& what, std::string_view name, std::size_t holder_number);

    [[nodiscard]] std::size_t turns() const noexcept { return requests_.size(); }

    // The bytes of a request, added to `out`.
    void say(std::size_t turn, std::string& out) const;

    // How many lines the reply has.
    [[nodiscard]] std::size_t lines(std::size_t turn) const
    {
        return what_->turns[turn].reply.size();
    }

    // Takes a line of the reply. Throws when it is not what was learned.
    void hear(std::size_t turn, std::size_t line, std::string_view text);

private:
    // Bytes, and what has to be put in behind them.
    struct part {
        std::string bytes;
        piece gap;  // `text`: nothing
    };

    [[nodiscard]] static std::vector<part> prepare(const turn& what, std::string_view name,
                                                   std::string_view holder);

    const dialogue* what_;
    std::vector<std::vector<part>> requests_;
    std::vector<std::string> echoes_;
};

}  // namespace pawl::bench
