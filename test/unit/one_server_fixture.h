// The fixture of tests of a single_server: its requests, and answers from a list.
#pragma once

#include "store/redis/single_server.h"
#include "unit/scripted_transport.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::store {

using namespace std::chrono_literals;
class one_server : public testing::Test {
protected:
    [[nodiscard]] core::acquire_request asked(base::boot_time now, std::uint64_t known = 0) const
    {
        return {.mine = {&object_, "me"},
                .lease = 30s,
                .sent = now,
                .until = now + 1s,
                .hint = {.value = known}};
    }

    core::acquire_reply acquire(const core::acquire_request& what)
    {
        platform_->time = what.sent;
        return std::get<core::acquire_reply>(server_.execute(what, what.until, nullptr));
    }
    core::acquire_reply acquire(base::boot_time now, std::uint64_t known = 0)
    {
        return acquire(asked(now, known));
    }

    // The result of an acquire with such an answer.
    core::granted granted(base::boot_time now, std::uint64_t known = 0)
    {
        return std::get<core::granted>(acquire(now, known));
    }
    core::busy busy(base::boot_time now, std::uint64_t known = 0)
    {
        return std::get<core::busy>(acquire(now, known));
    }
    core::failure failed(base::boot_time now, std::uint64_t known = 0)
    {
        return std::get<core::failure>(acquire(now, known));
    }

    // The third argument of the request, after the script's name and the keys.
    std::string wanted_until(std::size_t request)
    {
        constexpr std::size_t where = 7;
        return record_.requests.at(request).at(where);
    }

    // Its clock is where the test is.
    class still final : public base::platform {
    public:
        [[nodiscard]] base::boot_time now() const noexcept override { return time; }
        [[nodiscard]] std::chrono::system_clock::time_point wall_time() const noexcept override
        {
            return {};
        }
        [[nodiscard]] double random_unit() override { return 0; }
        [[nodiscard]] std::string random_id() override { return {}; }
        [[nodiscard]] std::uint64_t thread_mark() const noexcept override { return 0; }
        [[nodiscard]] bool pause(base::boot_time, const base::interrupt*) override { return true; }
        base::boot_time time{};
    };

    explicit one_server(server_settings settings = {})
        : server_{platform_, std::make_unique<scripted>(record_), 0, settings}
    {
    }

    scripted::record record_;
    std::shared_ptr<still> platform_ = std::make_shared<still>();
    single_server server_;
    core::object object_{.name = "a"};
};

}  // namespace pawl::store
