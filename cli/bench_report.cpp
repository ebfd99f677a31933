#include "bench_report.h"

#include "bars.h"
#include "figures.h"
#include "json_text.h"

#include <pawl/version.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pawl::cli {
namespace {

using cells = std::vector<std::string>;

// Nothing where it would not be the measure of anything.
[[nodiscard]] std::optional<std::uint64_t> per_second(const measurement& line)
{
    if (line.elapsed <= line.elapsed.zero()) return std::nullopt;
    const double seconds = std::chrono::duration<double>{line.elapsed}.count();
    return static_cast<std::uint64_t>(
        std::llround(static_cast<double>(line.times.count()) / seconds));
}

[[nodiscard]] cells cells_of(const measurement& line, charset chars)
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

[[nodiscard]] std::string lay_out(const std::vector<cells>& rows)
{
    std::vector<std::size_t> widths(rows.front().size());
    for (const cells& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], width_of(row[i]));
        }
    }
    std::string text;
    for (const cells& row : rows) {
        text += left_aligned(row[0], widths[0]);
        for (std::size_t i = 1; i < row.size(); ++i) {
            text += "  " + right_aligned(row[i], widths[i]);
        }
        text += "\n";
    }
    return text;
}

[[nodiscard]] std::string field(std::string_view name, std::string_view value)
{
    return json_text(name).append(":").append(value);
}

[[nodiscard]] std::string json_of(const measurement& line)
{
    const auto ns = [](std::string_view name, std::chrono::nanoseconds value) {
        return field(name, std::to_string(value.count())) + ",";
    };
    const auto rate = per_second(line);
    return "{" + field("count", std::to_string(line.times.count())) + "," +
           ns("min_ns", line.times.min()) + ns("p50_ns", line.times.quantile(0.5)) +
           ns("p90_ns", line.times.quantile(0.9)) + ns("p99_ns", line.times.quantile(0.99)) +
           ns("max_ns", line.times.max()) +
           field("per_second", rate ? std::to_string(*rate) : "null") + "}";
}

}  // namespace

std::string bench_report::as_json() const
{
    std::string parts;
    for (const measurement& line : lines) {
        if (!parts.empty()) parts += ",";
        parts += field(line.word, json_of(line));
    }
    return "{" + field("pawl", json_text(version())) + "," + field("server", json_text(server)) +
           "," + field("names", json_text(prefix)) + "," +
           field("part_ms", std::to_string(per_part.count())) + "," +
           field("threads", std::to_string(threads)) + "," +
           field("complete", problem.empty() ? "true" : "false") + "," +
           field("problem", problem.empty() ? "null" : json_text(problem)) + "," +
           field("parts", "{" + parts + "}") + "}\n";
}

std::string bench_report::as_table(charset chars) const
{
    std::vector<cells> rows{{"", "p50", "p90", "p99", "max", "per second", "measured"}};
    for (const measurement& line : lines) rows.push_back(cells_of(line, chars));
    return lay_out(rows);
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
