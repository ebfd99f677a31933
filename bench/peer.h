// Other libraries, each used by a separate program in bench/peers/NAME/run:
//
//   run install                       installs it; on failure one line on stderr says why
//   run WORKLOAD HOST PORTS SECONDS   one round; prints one line of JSON. Status 3: does not apply
//
// bench/peers/README.md has the details.
#pragma once

#include "all_counts.h"
#include "interruption.h"
#include "round.h"

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace pawl::bench {

struct peer {
    std::string name;
    std::string program;
};

// In alphabetical order.
[[nodiscard]] std::vector<peer> all_peers();

// Throws with the reason if it cannot be installed.
void install(const peer& who);

class does_not_apply : public std::runtime_error {
public:
    does_not_apply() : std::runtime_error{"does not apply"} {}
};

class peer_round {
public:
    // `word` is the peers' word for the workload. `who` and `server` must outlive it.
    peer_round(const peer& who, std::string word, std::string ports, all_counts& server)
        : who_{who}, word_{std::move(word)}, ports_{std::move(ports)}, server_{server}
    {
    }

    // Like those of `round`. Both throw does_not_apply, or an error with the output of the program.
    [[nodiscard]] sent_by_clients listen(std::chrono::milliseconds how_long);
    [[nodiscard]] round_result measure(std::chrono::milliseconds how_long,
                                       const sent_by_clients& sent);

private:
    [[nodiscard]] std::vector<std::string> command(std::chrono::milliseconds how_long) const;

    const peer& who_;
    std::string word_;
    std::string ports_;
    all_counts& server_;
};

}  // namespace pawl::bench
