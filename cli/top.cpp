#include "top.h"

#include "ending.h"
#include "exit_code.h"
#include "lock_text.h"
#include "operator_options.h"
#include "screen.h"
#include "signals.h"
#include "top_table.h"
#include "usage.h"
#include "wake_up.h"

#include <pawl/client.h>
#include <pawl/error.h>
#include <pawl/inspect.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <string>

namespace pawl::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t rows_in_output = 50;  // if it is no terminal

class top_command_line : public command_line {
public:
    top_command_line()
        : command_line{"pawl top",
                       "Shows the locks in use live: those with the most waiters first, then "
                       "those that are held the longest.",
                       {"pawl top [OPTIONS] [PATTERN]"}}
    {
        add_pattern(*this, which);
        add_duration(*this, "-i,--interval", "How often to look (default 2s, at least 100ms)",
                     [this](milliseconds value) { interval = value; });
        add_option("--count", count,
                   "End after so many looks (default: without end on a terminal, otherwise 1)")
            ->type_name("N")
            ->check(CLI::Range(1U, 1'000'000U));
        add_json(*this, json, "One JSON object on a line for each lock, at each look");
        add_url(*this, server);
        explain({{.title = "On a terminal",
                  .blocks = {paragraph{"The page fills the screen and is drawn anew at each look. "
                                       "Ctrl-C ends it. Otherwise pawl prints a table of up to 50 "
                                       "locks for each look, with an empty line between them."}}},
                 operator_notes(),
                 operator_status("pawl top",
                                 {{"0", "all looks were made"}, {"69", "no server answered"}})});
    }

    // Throws CLI::ParseError.
    void check() const
    {
        constexpr milliseconds shortest{100};
        if (interval < shortest) {
            refuse("--interval " + std::to_string(interval.count()) +
                   "ms is too short (allowed: 100ms or more)");
        }
    }

    list_options which;
    milliseconds interval{2'000};
    std::optional<unsigned> count;
    bool json = false;
    server_options server;
};

// The page on a terminal: another screen, which leaves the user's one as it was.
class full_screen {
public:
    explicit full_screen(bool on) : on_{on}
    {
        if (on_) std::cout << "\033[?1049h\033[?25l";
    }
    ~full_screen()
    {
        if (on_) std::cout << "\033[?25h\033[?1049l" << std::flush;
    }
    full_screen(const full_screen&) = delete;
    full_screen& operator=(const full_screen&) = delete;

    // Line by line, so that nothing flickers.
    void draw(const std::string& text) const
    {
        if (!on_) {
            std::cout << text << std::flush;
            return;
        }
        std::string drawn = "\033[H";
        for (const char c : text) {
            if (c == '\n') drawn += "\033[K";
            drawn += c == '\n' ? std::string{"\r\n"} : std::string(1, c);
        }
        std::cout << drawn << "\033[J" << std::flush;
    }

private:
    bool on_;
};

class top_session {
public:
    top_session(const top_command_line& app, const inspector& eye, const signals& all)
        : app_{app}, eye_{eye}, signals_{all}, terminal_{!app.json && can_redraw(STDOUT_FILENO)}
    {
    }

    [[nodiscard]] ending run();

private:
    void look(const full_screen& screen);
    [[nodiscard]] bool is_interrupted();
    [[nodiscard]] std::optional<ending> pause(boot_time until);

    const top_command_line& app_;
    const inspector& eye_;
    const signals& signals_;
    bool terminal_;
    unsigned looks_ = 0;
    int signal_ = 0;  // that ends pawl
};

ending top_session::run()
{
    const full_screen screen{terminal_};
    const auto most = app_.count.value_or(terminal_ ? 0U : 1U);
    for (boot_time next = boot_now();; next += app_.interval) {
        look(screen);
        if (signal_ != 0) return ending::by(signal_);
        ++looks_;
        if ((most > 0 && looks_ >= most) || !std::cout) return ending::with(exit_code::ok);
        if (const auto over = pause(next + app_.interval)) return *over;
        next = std::max(next, boot_now() - app_.interval);
    }
}

void top_session::look(const full_screen& screen)
{
    if (app_.json) {
        static_cast<void>(eye_.list(app_.which, [this](const lock_info& lock) {
            std::cout << json_of(lock) << '\n';
            return std::cout && !is_interrupted();
        }));
        std::cout << std::flush;
        return;
    }
    // The line above, the heading, and one that stays empty.
    constexpr std::size_t other_lines = 3;
    const auto lines = lines_of(STDOUT_FILENO);
    top_table table{terminal_ ? std::max(lines, other_lines + 1) - other_lines : rows_in_output};
    const auto summary = eye_.list(app_.which, [&](const lock_info& lock) {
        table.add(lock);
        return !is_interrupted();
    });
    if (signal_ != 0) return;
    const auto columns = terminal_ ? std::optional{columns_of(STDOUT_FILENO)} : std::nullopt;
    screen.draw((looks_ > 0 && !terminal_ ? "\n" : "") + table.text(summary, columns));
}

// A look at many locks takes seconds.
bool top_session::is_interrupted()
{
    const int signal = signals_.next();
    if (signals::ends_process(signal)) signal_ = signal;
    return signal_ != 0;
}

// Returns how pawl ends, or nothing if it goes on.
std::optional<ending> top_session::pause(boot_time until)
{
    alarm_clock alarm;
    alarm.set(until);
    while (boot_now() < until) {
        wait_for_any({signals_.fd(), alarm.fd()});
        const int signal = signals_.next();
        if (signals::ends_process(signal)) return ending::by(signal);
        if (signal == SIGTSTP) signals::stop_here();
        if (signal == SIGWINCH) break;
    }
    return std::nullopt;
}

}  // namespace

int top(const std::vector<std::string>& arguments)
{
    top_command_line app;
    std::string url;
    try {
        if (!app.understand(arguments)) return exit_code::ok;
        app.check();
        url = operator_url(app.server);
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl top");
    }
    const signals all;
    const auto how = [&] {
        client store{url};
        const inspector eye{store};
        store.ping();  // before the screen changes
        return top_session{app, eye, all}.run();
    }();
    return end_as(how);
}

page top_page()
{
    return top_command_line{}.describe();
}

}  // namespace pawl::cli
