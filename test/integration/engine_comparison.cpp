#include "integration/engine_comparison.h"

#include "redis/resp.h"
#include "redis/resp_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
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
        return left.text() == right.text() || same_bulks(left, right);
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
        return std::ranges::equal(lefts, rights,
                                  [&](const auto& a, const auto& b) { return same(a, b); });
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

    bool same_bulks(const reply_view& left, const reply_view& right) const
    {
        if (left.type() != resp_type::bulk) return false;
        const auto a = redis::to_integer(left.text());
        const auto b = redis::to_integer(right.text());
        return a && b && is_from_epoch(*a) && is_from_epoch(*b) && same(*a, *b);
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

    // In microseconds, as fences are, perhaps with the smallest number added to it.
    static bool is_from_epoch(std::int64_t number)
    {
        return number >= least_epoch_us || number <= -least_epoch_us;
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
