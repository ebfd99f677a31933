#include "break_hold.h"

#include "exit_code.h"
#include "lock_text.h"
#include "operator_options.h"
#include "say.h"
#include "screen.h"
#include "usage.h"

#include <pawl/client.h>
#include <pawl/inspect.h>

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace pawl::cli {
namespace {

class break_command_line : public command_line {
public:
    break_command_line()
        : command_line{"pawl break",
                       "Ends a hold by force, and hands the lock over to the next waiter.",
                       {"pawl break [--holder ID] [--reason TEXT] [OPTIONS] KEY"}}
    {
        add_option("KEY", key, "The name of the lock")->type_name("")->required();
        add_option("--holder", holder,
                   "Whose hold: the id that pawl show prints (default: the only holder)")
            ->type_name("ID");
        add_option("--reason", reason, "Why, for the holder's program and the log")
            ->type_name("TEXT");
        add_flag("-y,--yes", yes, "Do not ask");
        add_json(*this, json, "Print the outcome as one JSON object");
        add_url(*this, server);
        explain(
            {{.title = "What happens",
              .blocks = {paragraph{
                             "Only the hold of this holder ends. If there is a waiter, it has "
                             "the lock at once. A client that listens is told at once: its "
                             "hold is lost, with the reason. Any other one notices when it "
                             "next renews the lock. Until then both may be at work, so only a "
                             "resource that checks the fence is safe. An entry in the stream "
                             "pawl:log says who broke which hold, and why."},
                         paragraph{"On a terminal, pawl shows the holder and asks first. Otherwise "
                                   "--holder or --yes is needed. A hold on a quorum cannot be "
                                   "broken."}}},
             operator_status("pawl break", {{"0", "the hold is over"},
                                            {"1", "there was nothing to break"},
                                            {"65", "the key is something else"},
                                            {"69", "no server answered"},
                                            {"75",
                                             "another holder has the lock, and keeps it; "
                                             "or the answer was no"}})});
    }

    std::string key;
    std::string holder;
    std::string reason;
    bool yes = false;
    bool json = false;
    server_options server;
};

[[nodiscard]] std::string operator_name()
{
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread of pawl reads the users.
    const auto* const user = ::getpwuid(::geteuid());
    const std::string name = user != nullptr ? user->pw_name : "uid " + std::to_string(::geteuid());
    return name + "@" + host.data();
}

[[nodiscard]] bool is_confirmed(const lock_info& lock, const holder_info& who)
{
    std::cerr << page_of(lock) << "\nEnd the hold of " << process_text(who.id, who.process) << " ("
              << printable(who.id) << ")? [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

[[nodiscard]] std::string_view word_of(break_outcome outcome)
{
    switch (outcome) {
    case break_outcome::broken: return "broken";
    case break_outcome::free: return "free";
    case break_outcome::other: return "other";
    }
    return "unknown";
}

[[nodiscard]] int tell(const break_command_line& app, const std::string& holder,
                       const break_report& report)
{
    if (!report.note.empty()) say(printable(report.note));
    if (app.json) {
        const nlohmann::ordered_json line{
            {"lock", app.key},
            {"holder", holder},
            {"outcome", word_of(report.outcome)},
            {"logged", report.outcome == break_outcome::broken && report.note.empty()}};
        std::cout << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n'
                  << std::flush;
    }
    switch (report.outcome) {
    case break_outcome::broken: return exit_code::ok;
    case break_outcome::free: say(in_quotes(app.key) + " has no holder"); return exit_code::nothing;
    case break_outcome::other:
        say("another holder has " + in_quotes(app.key) + " (see: pawl show)");
        return exit_code::not_acquired;
    }
    return exit_code::internal;
}

[[nodiscard]] int break_it(const break_command_line& app, const inspector& eye)
{
    const auto lock = eye.look(app.key);
    if (lock.kind == lock_kind::not_a_lock) {
        say(in_quotes(app.key) + " is not a lock: " + printable(lock.detail));
        return exit_code::not_a_lock;
    }
    if (lock.kind == lock_kind::unknown) {
        say(in_quotes(app.key) + " could not be read");
        for (const auto& note : lock.notes) say(printable(note));
        return exit_code::refused;
    }
    if (lock.holder_count == 0)
        return tell(app, app.holder, {.outcome = break_outcome::free, .note = {}});
    if (app.holder.empty() && lock.holder_count > 1) {
        say(in_quotes(app.key) + " has " + std::to_string(lock.holder_count) +
            " holders; name one of them with --holder (see: pawl show)");
        return exit_code::usage;
    }
    const auto who = app.holder.empty()
                         ? lock.holders.begin()
                         : std::ranges::find(lock.holders, app.holder, &holder_info::id);
    if (who == lock.holders.end()) {
        return tell(app, app.holder, {.outcome = break_outcome::other, .note = {}});
    }
    const bool asks = !app.yes && is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO);
    if (asks && !is_confirmed(lock, *who)) {
        say("nothing was changed");
        return exit_code::not_acquired;
    }
    return tell(
        app, who->id,
        eye.break_hold(app.key, {.holder = who->id, .reason = app.reason, .by = operator_name()}));
}

}  // namespace

int break_hold(const std::vector<std::string>& arguments)
{
    break_command_line app;
    std::string url;
    try {
        if (!app.understand(arguments)) return exit_code::ok;
        const bool asks = is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO);
        if (!asks && !app.yes && app.holder.empty()) {
            refuse("without a terminal to ask on, --holder or --yes is needed");
        }
        url = operator_url(app.server);
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl break");
    }
    client store{url};
    return break_it(app, inspector{store});
}

page break_hold_page()
{
    return break_command_line{}.describe();
}

}  // namespace pawl::cli
