// A listener that stores what it is told, so that a test can read it from its own thread.
#pragma once

#include "redis/transport.h"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

class ear final : public redis::listener {
public:
    void heard(std::string_view message) override
    {
        const std::scoped_lock guard{mutex_};
        heard_.emplace_back(message);
        if (on_message) on_message();
    }
    void listening(bool now) override
    {
        const std::scoped_lock guard{mutex_};
        told_.push_back(now);
    }

    [[nodiscard]] std::vector<std::string> messages() const
    {
        const std::scoped_lock guard{mutex_};
        return heard_;
    }
    [[nodiscard]] std::vector<bool> told() const
    {
        const std::scoped_lock guard{mutex_};
        return told_;
    }
    [[nodiscard]] bool listens() const
    {
        const auto all = told();
        return !all.empty() && all.back();
    }

    std::function<void()> on_message;  // set before the loop starts

private:
    mutable std::mutex mutex_;
    std::vector<std::string> heard_;
    std::vector<bool> told_;
};

}  // namespace pawl::test
