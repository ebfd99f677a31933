#include "cycle_dialogues.h"

#include "raw_connection.h"
#include "raw_lock.h"
#include "raw_shares.h"

#include <pawl/pawl.h>

#include <array>
#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

phrase text(std::string_view value)
{
    return {{.text = std::string{value}}};
}

const phrase name{{.what = piece::kind::name}};
const phrase holder{{.what = piece::kind::holder}};

void lock_and_unlock(mutex& what)
{
    what.lock();
    std::error_code ec;
    what.unlock(ec);
    if (ec) throw std::system_error{ec, "unlock"};
}

// `make` makes the lock of that name. `cycle` acquires and releases it.
template <class Make, class Cycle>
dialogue learn_from(const std::string& url, const Make& make, const Cycle& cycle)
{
    // All names have the same length, so that recordings differ only in their contents.
    constexpr std::array<std::string_view, 3> names{"heard-a", "heard-b", "heard-c"};
    constexpr int uses_before = 20;  // a new client, or a new lock, may send more at first
    recorder proxy{url};
    client client{proxy.url()};
    std::vector<recording> recordings;
    for (const std::string_view each : names) {
        auto lock = make(client, each);
        for (int i = 0; i < uses_before; ++i) cycle(lock);
        std::this_thread::sleep_for(3ms);  // so that no two recordings have the same time
        (void)proxy.take();
        const std::int64_t now = milliseconds_since_epoch();
        cycle(lock);
        recordings.push_back({.name = std::string{each}, .at_ms = now, .exchanges = proxy.take()});
    }
    return learn(recordings);
}

}  // namespace

dialogue dialogue_of_pawl(const std::string& url, const std::function<void(mutex&)>& cycle)
{
    return learn_from(
        url, [](client& own, std::string_view each) { return mutex{own, each}; }, cycle);
}

dialogue dialogue_of_pawl(const std::string& url)
{
    return dialogue_of_pawl(url, lock_and_unlock);
}

dialogue dialogue_of_permits(const std::string& url, unsigned capacity)
{
    return learn_from(
        url,
        [capacity](client& own, std::string_view each) {
            return counting_semaphore{own, each, capacity};
        },
        [](counting_semaphore& permits) { permits.acquire().release(); });
}

dialogue least_dialogue_of_permits(const std::string& url, unsigned capacity)
{
    raw_connection connection{url};
    const auto load = [&](std::string_view script) { return text(connection.load(script)); };
    phrase queue = text("queue:");
    queue.push_back(name.front());
    const phrase lease = text(lease_ms);
    const command take{
        text("EVALSHA"), load(take_permit()),           text("2"), name, queue, holder,
        lease,           text(std::to_string(capacity))};
    const command give{text("EVALSHA"), load(give_permit()),         text("2"), name, queue, holder,
                       lease,           text(raw_connection::notice)};
    return {.turns = {{.commands = {take}, .reply = {":1"}}, {.commands = {give}, .reply = {":1"}}},
            .echoes = {},
            .holder = std::string(32, '0')};
}

dialogue least_dialogue(const std::string& url)
{
    raw_connection connection{url};
    const std::string script = connection.load(check_and_delete);
    const command acquire{text("SET"), name, holder, text("NX"), text("PX"), text(lease_ms)};
    const command release{text("EVALSHA"), text(script), text("1"), name, holder};
    return {.turns = {{.commands = {acquire}, .reply = {"+OK"}},
                      {.commands = {release}, .reply = {":1"}}},
            .echoes = {},
            .holder = std::string(32, '0')};
}

}  // namespace pawl::bench
