#include "cycle_dialogues.h"

#include "raw_connection.h"

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

// KEYS 1 lock; ARGV 1 holder. Reply: 1 if it was held.
constexpr std::string_view check_and_delete = R"(
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
)";

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

}  // namespace

dialogue dialogue_of_pawl(const std::string& url, const std::function<void(mutex&)>& cycle)
{
    // All names have the same length, so that recordings differ only in their contents.
    constexpr std::array<std::string_view, 3> names{"heard-a", "heard-b", "heard-c"};
    constexpr int uses_before = 20;  // a new client, or a new lock, may send more at first
    recorder proxy{url};
    client client{proxy.url()};
    std::vector<recording> recordings;
    for (const std::string_view each : names) {
        mutex lock{client, each};
        for (int i = 0; i < uses_before; ++i) cycle(lock);
        std::this_thread::sleep_for(3ms);  // so that no two recordings have the same time
        (void)proxy.take();
        const std::int64_t now = milliseconds_since_epoch();
        cycle(lock);
        recordings.push_back({.name = std::string{each}, .at_ms = now, .exchanges = proxy.take()});
    }
    return learn(recordings);
}

dialogue dialogue_of_pawl(const std::string& url)
{
    return dialogue_of_pawl(url, lock_and_unlock);
}

dialogue least_dialogue(const std::string& url)
{
    raw_connection connection{url};
    const std::string script = connection.ask_text(request({"SCRIPT", "LOAD", check_and_delete}));
    const command acquire{text("SET"), name, holder, text("NX"), text("PX"), text("30000")};
    const command release{text("EVALSHA"), text(script), text("1"), name, holder};
    return {.turns = {{.commands = {acquire}, .reply = {"+OK"}},
                      {.commands = {release}, .reply = {":1"}}},
            .echoes = {},
            .holder = std::string(32, '0')};
}

}  // namespace pawl::bench
