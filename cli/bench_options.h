// The command line of `pawl bench`, understood and checked.
#pragma once

#include "page.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::cli {

// In the order in which they are measured.
enum class bench_part { ping, lock, hand_off, threads, linger };

// As --only has it.
[[nodiscard]] std::string_view word_of(bench_part part) noexcept;

struct bench_options {
    std::string url;
    bool url_is_default = false;  // nothing named a server
    std::chrono::milliseconds per_part{2'000};
    unsigned threads = 16;
    std::vector<bench_part> parts;  // one at least, in order
    std::string prefix = "pawl-bench:";
    bool json = false;
    bool histogram = false;  // even where there is no terminal
};

// `arguments` are those after `bench`. Nothing when only help was asked for, and was given. Throws
// CLI::ParseError with what is wrong.
[[nodiscard]] std::optional<bench_options> parse_bench_options(
    const std::vector<std::string>& arguments);

// What --help says.
[[nodiscard]] page bench_page();

}  // namespace pawl::cli
