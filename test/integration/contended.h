// Helpers for tests of waiting: the waiters in the server's queue, and a thread that asks for a
// lock.
#pragma once

#include "integration/fixture.h"
#include "support/any_lock.h"

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

// How often a waiter looks, in case its message got lost.
[[nodiscard]] constexpr std::chrono::milliseconds look_interval(std::chrono::milliseconds lease)
{
    return std::max(lease / 3, std::chrono::milliseconds{500});
}

// With the lease that most of these tests use, no waiter looks for 10 s. A grant that comes sooner
// was caused by a message.
inline constexpr std::chrono::milliseconds long_lease{30'000};
inline constexpr std::chrono::milliseconds soon{3'000};

// An acquire that waits in its own thread.
class asking {
public:
    explicit asking(lockable& lock, std::chrono::milliseconds limit = 2 * patience)
    {
        got_ = std::async(std::launch::async, [this, &lock, limit] {
            return lock.try_acquire_for(limit, stop_.get_token(), told_);
        });
    }
    ~asking() { stop_.request_stop(); }  // so that a failed test does not wait for it
    asking(const asking&) = delete;
    asking& operator=(const asking&) = delete;

    [[nodiscard]] bool ends_within(std::chrono::milliseconds limit) const
    {
        return got_.wait_for(limit) == std::future_status::ready;
    }

    void cancel() { stop_.request_stop(); }

    // Waits for the end: the hold, and the reason if there is none. May be called once.
    [[nodiscard]] std::optional<hold> result() { return got_.get(); }
    [[nodiscard]] std::error_code told() const { return told_; }

private:
    std::stop_source stop_;
    std::error_code told_;
    // Last, so that it is destroyed first and waits for the thread.
    std::future<std::optional<hold>> got_;
};

class contended : public with_server {
protected:
    contended() = default;
    explicit contended(server_options options) : with_server{std::move(options)} {}

    [[nodiscard]] static std::string queue_of(std::string_view name)
    {
        return "pawl:queue:{" + std::string{name} + "}";
    }

    // The number of waiters in the server's queue.
    [[nodiscard]] std::int64_t queued(std::string_view name = "job")
    {
        constexpr std::int64_t elements_each = 2;
        return probe_.must({"LLEN", queue_of(name)}).integer / elements_each;
    }

    [[nodiscard]] bool until_queued(std::int64_t count, std::string_view name = "job")
    {
        return eventually([&] { return queued(name) == count; });
    }

    // The holder of the lock at the server, in either layout. Empty if the lock is free.
    [[nodiscard]] std::string holder(std::string_view name = "job")
    {
        if (probe_.must({"TYPE", name}).text != "hash") return probe_.get(name);
        const auto fields = probe_.must({"HKEYS", name}).texts();
        return fields.empty() ? "" : fields.front();
    }

    // All keys except fences, which outlive their locks.
    [[nodiscard]] std::vector<std::string> leftovers()
    {
        std::vector<std::string> all = probe_.keys("*");
        std::erase_if(all, [](const std::string& key) { return key.starts_with("pawl:fence:"); });
        return all;
    }

    [[nodiscard]] bool until_nothing_is_left(std::chrono::milliseconds limit = soon)
    {
        return eventually(limit, [&] { return leftovers().empty(); });
    }

    client first_{options()};
    client second_{options()};
    client third_{options()};
};

// The same for every kind of lock.
class contended_of_kind : public contended, public testing::WithParamInterface<lock_kind> {
protected:
    [[nodiscard]] any_lock make(client& own, std::chrono::milliseconds lease = long_lease)
    {
        return any_lock{GetParam(), own, "job", quick(lease)};
    }

    // So that the loading of scripts is not counted later.
    void load_scripts()
    {
        any_lock lock = make(first_);
        lock->acquire().release();
    }
};

[[nodiscard]] inline std::string kind_name(const testing::TestParamInfo<lock_kind>& info)
{
    return std::string{to_string(info.param)};
}

[[nodiscard]] inline std::string layout_name(const testing::TestParamInfo<layout>& info)
{
    return info.param == layout::plain ? "plain" : "hash";
}

}  // namespace pawl::test
