#include "store/quorum/lock_at_node.h"

#include "store/redis/keys.h"
#include "store/redis/tokens.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace pawl::store {
namespace {

// The order of the questions, and how many there are.
enum question : std::size_t { of_holder, of_lease, of_fence, of_waiters, questions };

// Nothing unless the whole text is a number.
template <class Number>
std::optional<Number> number_in(const command_reply& said)
{
    Number number{};
    if (said.texts.size() != 1) return std::nullopt;
    const auto& text = said.texts.front();
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return number;
}

}  // namespace

std::vector<command> questions_about(std::string_view lock)
{
    const std::string name{lock};
    std::vector<command> all(questions);
    all[of_holder] = {"GET", name};
    all[of_lease] = {"PTTL", name};
    all[of_fence] = {"GET", fence_key(lock)};
    all[of_waiters] = {"ZRANGE", tickets_key(lock), "0", "-1"};
    return all;
}

lock_at_node read_lock(std::span<const command_reply> said)
{
    lock_at_node got;
    if (said.size() != questions) return got;
    const auto failed =
        std::ranges::find_if(said, [](const auto& each) { return each.problem.has_value(); });
    if (failed != said.end()) got.problem = failed->problem->detail;
    got.fence = number_in<std::uint64_t>(said[of_fence]).value_or(0);
    got.waiters = said[of_waiters].texts.size();
    const auto& problem = said[of_holder].problem;
    if (problem && problem->what == core::failure_kind::not_a_lock) {
        got.is_lock = false;
        got.problem = "not a lock: the key has another type";
    }
    if (said[of_holder].texts.empty()) return got;
    const auto& value = said[of_holder].texts.front();
    // What PTTL says: -1 without an expiry, -2 without a key. The key may have expired since its value was read.
    const auto left = number_in<std::int64_t>(said[of_lease]);
    if (left == -2) return got;
    if (left == -1 && !looks_like_holder(value)) {
        got.is_lock = false;
        got.problem =
            "not a lock: its value has no expiry and does not look like the token of a lock";
        return got;
    }
    got.holder = value;
    if (left >= 0) got.lease_left = std::chrono::milliseconds{*left};
    return got;
}

}  // namespace pawl::store
