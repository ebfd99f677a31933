#include "wait_free.h"

#include "ending.h"
#include "exit_code.h"
#include "lock_text.h"
#include "operator_options.h"
#include "say.h"
#include "signals.h"
#include "usage.h"
#include "wake_up.h"

#include <pawl/client.h>
#include <pawl/inspect.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds first_pause{20};
constexpr milliseconds longest_pause{500};

class wait_command_line : public command_line {
public:
    wait_command_line()
        : command_line{"pawl wait",
                       "Waits until a lock is free, without taking it.",
                       {"pawl wait [OPTIONS] KEY"}}
    {
        add_option("KEY", key, "The name of the lock")->type_name("")->required();
        add_duration(*this, "-w,--wait", "Wait no longer than that (default: without limit)",
                     [this](milliseconds value) { limit = value; });
        add_json(*this, json, "Print the lock as it was seen last, as one JSON object");
        add_url(*this, server);
        explain({{.title = "How it waits",
                  .blocks = {paragraph{
                      "pawl looks at the lock again and again, with pauses that grow from 20 ms "
                      "to half a second. It takes no place in the queue. So it may miss that the "
                      "lock was free for a shorter time, and by the time pawl ends, another one "
                      "may have the lock."}}},
                 operator_status("pawl wait", {{"0", "it is free"},
                                               {"65", "the key is something else"},
                                               {"69", "no server answered"},
                                               {"75", "it was held all the time (--wait)"}})});
    }

    std::string key;
    std::optional<milliseconds> limit;
    bool json = false;
    server_options server;
};

// Sooner, if the lease ends sooner.
[[nodiscard]] milliseconds pause_before(const lock_info& lock, milliseconds usual)
{
    auto pause = usual;
    for (const auto& each : lock.holders) {
        if (each.lease_left) pause = std::min(pause, *each.lease_left + 1ms);
    }
    return pause;
}

// Nothing if it is held.
[[nodiscard]] std::optional<int> answer(const lock_info& lock)
{
    switch (lock.kind) {
    case lock_kind::not_a_lock: return exit_code::not_a_lock;
    case lock_kind::unknown: return exit_code::refused;
    case lock_kind::latch:
    case lock_kind::barrier:
        say(in_quotes(lock.name) + " is a " + std::string{to_string(lock.kind)} +
            ", which nobody holds; to wait for it, use: pawl " + std::string{to_string(lock.kind)});
        return exit_code::not_a_lock;
    default: break;
    }
    if (lock.holder_count == 0) return exit_code::ok;
    return std::nullopt;
}

[[nodiscard]] ending wait_for(const wait_command_line& app, const inspector& eye,
                              const signals& all)
{
    const auto until = app.limit ? boot_now() + *app.limit : never;
    alarm_clock alarm;
    for (milliseconds pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
        const auto lock = eye.look(app.key);
        auto over = answer(lock);
        if (!over && boot_now() >= until) over = exit_code::not_acquired;
        if (over) {
            if (app.json) std::cout << json_of(lock) << '\n' << std::flush;
            for (const auto& note : lock.notes) say(printable(note));
            return ending::with(*over);
        }
        alarm.set(std::min<boot_time>(boot_now() + pause_before(lock, pause), until));
        wait_for_any({all.fd(), alarm.fd()});
        const int signal = all.next();
        if (signals::ends_process(signal)) return ending::by(signal);
        if (signal == SIGTSTP) signals::stop_here();
    }
}

}  // namespace

int wait_free(const std::vector<std::string>& arguments)
{
    wait_command_line app;
    std::string url;
    try {
        if (!app.understand(arguments)) return exit_code::ok;
        url = operator_url(app.server);
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl wait");
    }
    const signals all;
    const auto how = [&] {
        client store{url};
        return wait_for(app, inspector{store}, all);
    }();
    return end_as(how);
}

page wait_free_page()
{
    return wait_command_line{}.describe();
}

}  // namespace pawl::cli
