#include "bench.h"

#include "bench_options.h"
#include "bench_parts.h"
#include "bench_report.h"
#include "duration.h"
#include "ending.h"
#include "exit_code.h"
#include "interruption.h"
#include "progress.h"
#include "say.h"
#include "screen.h"
#include "signals.h"
#include "url_option.h"
#include "usage.h"

#include <pawl/client.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <random>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

// 128 bits from the system, so that no other lock has such a name.
[[nodiscard]] std::string random_digits()
{
    std::random_device source;
    std::string digits;
    for (int i = 0; i < 4; ++i) {
        std::array<char, 9> text{};
        std::snprintf(text.data(), text.size(), "%08x", source());
        digits += text.data();
    }
    return digits;
}

[[nodiscard]] client_options client_options_of(const bench_options& options)
{
    client_options result;
    result.url = options.server.url;
    result.pool_size = std::max<std::size_t>(result.pool_size, options.threads);
    return result;
}

// The signals are blocked while there is only one thread. The client starts threads, so it is
// constructed afterwards.
class bench_session {
public:
    explicit bench_session(bench_options options)
        : options_{std::move(options)},
          prefix_{options_.prefix + random_digits()},
          client_{client_options_of(options_)}
    {
    }

    [[nodiscard]] ending run();

private:
    void introduce() const;
    void measure_all();
    void show_progress(std::size_t part);
    [[nodiscard]] bench_report report() const;
    [[nodiscard]] bool print() const;

    bench_options options_;
    std::string prefix_;
    signals signals_;
    interruption interruption_{signals_, interruption::ends_process::second_signal};
    client client_;
    progress progress_;
    std::vector<measurement> lines_;
    std::exception_ptr problem_;
};

ending bench_session::run()
{
    introduce();
    measure_all();
    progress_.clear();
    if (!print()) {
        say("cannot write the result to stdout");
        return ending::with(exit_code::internal);
    }
    if (const int signal = interruption_.signal(); signal != 0) {
        say("interrupted");
        return ending::by(signal);
    }
    if (problem_) std::rethrow_exception(problem_);
    return ending::with(exit_code::ok);
}

void bench_session::introduce() const
{
    say("measuring " + client_.server() + " for about " +
        describe(options_.per_part * options_.parts.size()) + "; it uses only its own locks, " +
        in_quotes(options_.prefix + "..."));
    if (options_.leaves_out_linger) {
        say("the part linger is left out: the locks of a quorum do not linger");
    }
}

void bench_session::measure_all()
{
    std::size_t part = 0;
    const bench_setting setting{.shared = client_,
                                .second = client_options_of(options_),
                                .prefix = prefix_,
                                .threads = options_.threads,
                                .orders = {.how_long = options_.per_part,
                                           .interrupted = interruption_.token(),
                                           .tick = [&] { show_progress(part); }}};
    for (; part < options_.parts.size(); ++part) {
        if (interruption_.signal() != 0 || problem_) return;
        show_progress(part);
        bench_result result = measure(options_.parts[part], setting);
        problem_ = result.problem;
        for (measurement& line : result.lines) {
            if (line.times.count() > 0) lines_.push_back(std::move(line));
        }
    }
}

void bench_session::show_progress(std::size_t part)
{
    progress_.show("part " + std::to_string(part + 1) + " of " +
                   std::to_string(options_.parts.size()) + ": " +
                   std::string{word_of(options_.parts[part])});
}

bench_report bench_session::report() const
{
    bench_report result{.server = client_.server(),
                        .prefix = prefix_,
                        .per_part = options_.per_part,
                        .threads = options_.threads,
                        .lines = lines_,
                        .problem = {}};
    if (interruption_.signal() != 0) {
        result.problem = "interrupted";
    } else if (problem_) {
        try {
            std::rethrow_exception(problem_);
        } catch (const std::exception& why) {
            result.problem = why.what();
        }
    }
    return result;
}

// False if the result cannot be written to stdout.
bool bench_session::print() const
{
    const bench_report result = report();
    if (options_.json) {
        std::cout << result.as_json();
    } else if (!lines_.empty()) {
        const charset chars = charset_of_locale();
        std::cout << result.as_table(chars);
        if (options_.histogram || is_terminal(STDOUT_FILENO)) {
            std::cout << result.as_histograms(columns_of(STDOUT_FILENO), chars);
        }
    }
    return static_cast<bool>(std::cout.flush());
}

}  // namespace

int bench(const std::vector<std::string>& arguments)
{
    std::optional<bench_options> options;
    try {
        options = parse_bench_options(arguments);
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl bench");
    }
    if (!options) return exit_code::ok;
    tell_default(options->server, "measuring this machine's private server (local:)");
    const ending how = bench_session{std::move(*options)}.run();
    return end_as(how);
}

}  // namespace pawl::cli
