// The store that is examined: asks its servers and collects facts. It decides nothing.
#pragma once

#include "doctor/facts.h"
#include "doctor/right_trials.h"
#include "redis/deployment.h"
#include "sync/client_state.h"

#include <pawl/doctor.h>

#include <vector>

namespace pawl::doctor {

class patient {
public:
    patient(sync::client_state& state, const doctor_options& options);

    // One for each server, or one for the store if its servers are not known.
    [[nodiscard]] std::vector<server_facts> examine_servers();

    // One for each sentinel of the URL.
    [[nodiscard]] std::vector<sentinel_facts> ask_sentinels();

    [[nodiscard]] const circumstances& at() const noexcept { return at_; }
    [[nodiscard]] const redis::deployment& where() const noexcept { return where_; }

private:
    // Only servers that answer are asked more.
    using subjects = std::vector<server_facts*>;
    [[nodiscard]] std::vector<store::server_answer> ask(
        const subjects& servers, const std::vector<std::vector<store::command>>& commands);
    void try_rights(const subjects& servers);
    void try_listening(const subjects& servers, std::vector<right_trials>& trials,
                       const std::string& channel);
    void measure(const subjects& servers);

    sync::client_state* state_;
    std::chrono::milliseconds duration_;
    redis::deployment where_;
    circumstances at_;
};

}  // namespace pawl::doctor
