#include "round.h"

#include "crew.h"

namespace pawl::bench {

sent_by_clients round::listen(std::chrono::milliseconds how_long)
{
    server_.flush();
    crew workers{what_, kind_, url_};
    workers.go();
    sent_by_clients sent = server_.listen(how_long);
    workers.stop();
    return sent;
}

round_result round::measure(std::chrono::milliseconds how_long, const sent_by_clients& sent)
{
    using clock = std::chrono::steady_clock;
    server_.flush();
    crew workers{what_, kind_, url_};
    server_.reset();

    const auto began = clock::now();
    workers.go();
    workers.run_until(began + how_long);

    // Read while they still run, so that the time that they take to end counts nowhere.
    round_result result;
    for (std::size_t i = 0; i < workers.seats(); ++i) {
        result.grants.push_back(workers.results().seats[i].grants.load());
        result.hand_offs += workers.results().seats[i].hand_offs.load();
    }
    result.seconds = std::chrono::duration<double>(clock::now() - began).count();
    result.load = server_.load(sent);
    workers.stop();

    for (std::size_t i = 0; i < workers.seats(); ++i) {
        const seat& each = workers.results().seats[i];
        result.wait.add(each.wait);
        result.hand_off.add(each.hand_off);
        result.round_trip.add(each.round_trip);
    }
    return result;
}

}  // namespace pawl::bench
