// The command line of `pawl bench`, understood and checked.
#pragma once

#include "page.h"
#include "server_choice.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::cli {

// In the order in which they are measured.
enum class bench_part { ping, lock, hand_off, threads, linger };

// The word for it in --only.
[[nodiscard]] std::string_view word_of(bench_part part) noexcept;

struct bench_options {
    server_choice server;
    std::chrono::milliseconds per_part{2'000};
    unsigned threads = 16;
    std::vector<bench_part> parts;   // at least one, in order
    bool leaves_out_linger = false;  // all parts were wanted, but the server is a quorum
    std::string prefix = "pawl-bench:";
    bool json = false;
    bool histogram = false;  // even if stdout is not a terminal
};

// `arguments` are the words after `bench`. Returns nothing if --help or --version was given: the
// text has been printed then. Throws CLI::ParseError for a mistake.
[[nodiscard]] std::optional<bench_options> parse_bench_options(
    const std::vector<std::string>& arguments);

// The text of --help.
[[nodiscard]] page bench_page();

}  // namespace pawl::cli
