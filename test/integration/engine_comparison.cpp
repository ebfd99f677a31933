#include "integration/engine_comparison.h"

#include "redis/resp.h"
#include "redis/resp_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

using redis::reply_view;
using redis::resp_type;

constexpr std::int64_t least_epoch_ms = 1'000'000'000'000;
constexpr std::int64_t least_epoch_us = 1'000'000'000'000'000;

class comparer {
public:
    explicit comparer(const comparison& how) noexcept : how_{how} {}

    // NOLINTNEXTLINE(misc-no-recursion)
    bool same(const reply_view& left, const reply_view& right) const
    {
        if (left.type() != right.type() || left.size() != right.size()) return false;
        if (left.is_aggregate()) return same_children(left, right);
        if (left.type() == resp_type::integer) return same(left.integer(), right.integer());
        return left.text() == right.text() || same_apart_from_times(left, right);
    }

private:
    bool same_children(const reply_view& left, const reply_view& right) const
    {
        std::vector<reply_view> lefts;
        std::vector<reply_view> rights;
        left.for_each([&](const auto& child) { lefts.push_back(child); });
        right.for_each([&](const auto& child) { rights.push_back(child); });
        if (how_.any_order) {
            std::ranges::sort(lefts, {}, &reply_view::text);
            std::ranges::sort(rights, {}, &reply_view::text);
        }
        if (how_.time == time_in_reply::clock) return same_clock(lefts, rights);
        if (left.type() == resp_type::map) {
            sort_pairs(lefts);
            sort_pairs(rights);
        }
        return std::ranges::equal(lefts, rights,
                                  [&](const auto& a, const auto& b) { return same(a, b); });
    }

    // A script returns the entries of a map in no particular order.
    static void sort_pairs(std::vector<reply_view>& parts)
    {
        std::vector<std::pair<reply_view, reply_view>> pairs;
        for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
            pairs.emplace_back(parts[i], parts[i + 1]);
        }
        std::ranges::sort(pairs, {}, [](const auto& each) { return each.first.text(); });
        parts.clear();
        for (const auto& [key, value] : pairs) {
            parts.push_back(key);
            parts.push_back(value);
        }
    }

    // Seconds and microseconds.
    bool same_clock(const std::vector<reply_view>& left, const std::vector<reply_view>& right) const
    {
        const auto time = [](const std::vector<reply_view>& parts) {
            return redis::to_integer(parts.at(0).text()).value() * 1'000'000 +
                   redis::to_integer(parts.at(1).text()).value();
        };
        return same(time(left), time(right));
    }

    bool same_apart_from_times(const reply_view& left, const reply_view& right) const
    {
        if (left.is_error()) return false;
        return same_scores(left.text(), right.text()) || same_texts(left.text(), right.text());
    }

    // A fence or a time in a queue. A fraction may have been added, or it is so large that digits
    // are lost.
    bool same_scores(std::string_view left, std::string_view right) const
    {
        const auto a = to_double(left);
        const auto b = to_double(right);
        if (!a || !b || !is_from_epoch(*a) || !is_from_epoch(*b)) return false;
        constexpr double digits = 1e-15;
        const auto most = static_cast<double>(how_.tolerance.count()) + std::abs(*a) * digits;
        return std::abs(*a - *b) <= most;
    }

    // Texts that contain times: places in a queue, messages.
    bool same_texts(std::string_view left, std::string_view right) const
    {
        while (!left.empty() && !right.empty()) {
            const auto a = next_run(left);
            const auto b = next_run(right);
            if (a != b && !same_times(a, b)) return false;
        }
        return left.empty() && right.empty();
    }

    bool same_times(std::string_view left, std::string_view right) const
    {
        const auto a = redis::to_integer(left);
        const auto b = redis::to_integer(right);
        // What is left of a lease, in the answer to an acquire, is a time too.
        const bool is_time = how_.time == time_in_reply::milliseconds;
        return a && b && (is_time || std::min(*a, *b) >= least_epoch_ms) && same(*a, *b);
    }

    // The next run of digits, or of other characters.
    static std::string_view next_run(std::string_view& text)
    {
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const bool digits = is_digit(text.front());
        std::size_t length = 0;
        while (length < text.size() && is_digit(text[length]) == digits) ++length;
        const auto run = text.substr(0, length);
        text.remove_prefix(length);
        return run;
    }

    static std::optional<double> to_double(std::string_view text)
    {
        double number = 0;
        const auto* const end = text.data() + text.size();
        const auto [read, problem] = std::from_chars(text.data(), end, number);
        if (problem != std::errc{} || read != end) return std::nullopt;
        return number;
    }

    bool same(std::int64_t left, std::int64_t right) const
    {
        if (left == right) return true;
        const auto least = std::min(left, right);
        const auto milliseconds = how_.tolerance / std::chrono::milliseconds{1} + 1;
        if (is_from_epoch(left) && is_from_epoch(right) && (left < 0) == (right < 0)) {
            return differ_by(left, right, how_.tolerance.count());
        }
        if (least >= least_epoch_ms) return differ_by(left, right, milliseconds);
        if (how_.time == time_in_reply::milliseconds && least > least_left.count()) {
            return differ_by(left, right, milliseconds);
        }
        return how_.time == time_in_reply::seconds && least >= 0 &&
               differ_by(left, right, milliseconds / 1000 + 1);
    }

    // In microseconds, like fences, perhaps with a small number added.
    template <class Number>
    static bool is_from_epoch(Number number)
    {
        constexpr auto least = static_cast<Number>(least_epoch_us);
        return number >= least || number <= -least;
    }

    static bool differ_by(std::int64_t left, std::int64_t right, std::int64_t most)
    {
        return std::abs(left - right) <= most;
    }

    const comparison& how_;
};

}  // namespace

bool comparison::same(std::string_view left, std::string_view right) const
{
    redis::reply_parser of_left;
    redis::reply_parser of_right;
    return of_left.parse(left) == redis::parse_status::complete &&
           of_right.parse(right) == redis::parse_status::complete &&
           of_left.consumed() == left.size() && of_right.consumed() == right.size() &&
           comparer{*this}.same(of_left.reply(left), of_right.reply(right));
}

std::string readable(std::string_view bytes)
{
    std::string text;
    for (const char c : bytes) {
        if (c == '\r') continue;
        if (c == '\n') {
            text += "\\n";
        } else if (c >= ' ' && c <= '~') {
            text += c;
        } else {
            text += '?';
        }
    }
    return text;
}

}  // namespace pawl::test
