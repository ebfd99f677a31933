#include "bench_report.h"

#include "bars.h"
#include "common/columns.h"
#include "figures.h"

#include <pawl/version.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace pawl::cli {
namespace {

using json = nlohmann::ordered_json;

// Nothing if a rate has no meaning for this line.
[[nodiscard]] std::optional<std::uint64_t> per_second(const measurement& line)
{
    if (line.elapsed <= line.elapsed.zero()) return std::nullopt;
    const double seconds = std::chrono::duration<double>{line.elapsed}.count();
    return static_cast<std::uint64_t>(
        std::llround(static_cast<double>(line.times.count()) / seconds));
}

[[nodiscard]] common::row row_of(const measurement& line, charset chars)
{
    const auto rate = per_second(line);
    const auto text = [chars](std::chrono::nanoseconds value) {
        return latency_text(value, chars);
    };
    return {line.title,
            text(line.times.quantile(0.5)),
            text(line.times.quantile(0.9)),
            text(line.times.quantile(0.99)),
            text(line.times.max()),
            rate ? count_text(*rate) : "-",
            count_text(line.times.count())};
}

[[nodiscard]] json json_of(const measurement& line)
{
    const auto rate = per_second(line);
    return {{"count", line.times.count()},
            {"min_ns", line.times.min().count()},
            {"p50_ns", line.times.quantile(0.5).count()},
            {"p90_ns", line.times.quantile(0.9).count()},
            {"p99_ns", line.times.quantile(0.99).count()},
            {"max_ns", line.times.max().count()},
            {"per_second", rate ? json(*rate) : json(nullptr)}};
}

}  // namespace

std::string bench_report::as_json() const
{
    json parts = json::object();
    for (const measurement& line : lines) parts[line.word] = json_of(line);
    const json all{{"pawl", version()},
                   {"server", server},
                   {"names", prefix},
                   {"part_ms", per_part.count()},
                   {"threads", threads},
                   {"complete", problem.empty()},
                   {"problem", problem.empty() ? json(nullptr) : json(problem)},
                   {"parts", parts}};
    // Names and messages may contain any bytes. JSON may not.
    return all.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string bench_report::as_table(charset chars) const
{
    std::vector<common::row> rows{{"", "p50", "p90", "p99", "max", "per second", "measured"}};
    for (const measurement& line : lines) rows.push_back(row_of(line, chars));
    return common::lay_out(rows);
}

std::string bench_report::as_histograms(std::size_t columns, charset chars) const
{
    std::string text;
    for (const measurement& line : lines) {
        if (line.drawn) text += "\n" + line.title + "\n" + draw_bars(line.times, columns, chars);
    }
    return text;
}

}  // namespace pawl::cli
