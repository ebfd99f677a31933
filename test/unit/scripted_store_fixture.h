// The fixture of tests of a whole client with a store that answers as the test says.
#pragma once

#include "base/event_loop.h"
#include "sync/client_access.h"

#include <pawl/client.h>
#include <pawl/mutex.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::sync {

// The real platform, whose random numbers can fail.
class fragile_platform final : public base::platform {
public:
    [[nodiscard]] base::boot_time now() const noexcept override { return real_.now(); }
    [[nodiscard]] std::chrono::system_clock::time_point wall_time() const noexcept override
    {
        return real_.wall_time();
    }
    [[nodiscard]] double random_unit() override { return real_.random_unit(); }
    [[nodiscard]] std::string random_id() override
    {
        if (fails) throw std::system_error{std::make_error_code(std::errc::io_error), "no random"};
        return real_.random_id();
    }
    [[nodiscard]] std::uint64_t thread_mark() const noexcept override
    {
        return real_.thread_mark();
    }
    [[nodiscard]] bool pause(base::boot_time until, const base::interrupt* stop) override
    {
        return real_.pause(until, stop);
    }
    [[nodiscard]] bool sleep(base::boot_time until, const std::stop_token& woken) override
    {
        return real_.sleep(until, woken);
    }

    std::atomic<bool> fails = false;

private:
    base::system_platform real_;
};

// Answers acquires with the replies of the test, in order. Without one, an acquire gets no answer.
class scripted_store final : public store::store {
public:
    explicit scripted_store(base::scheduler& loop) : loop_{loop} {}

    core::reply execute(const core::request& what, base::boot_time /*until*/,
                        const base::interrupt* /*stop*/) override
    {
        return next(what).value_or(core::failed(what, {.what = core::failure_kind::no_reply}));
    }
    void submit(core::request what, std::chrono::milliseconds /*patience*/, still_wanted /*wanted*/,
                reply_handler done) override
    {
        if (std::holds_alternative<core::renew_request>(what)) {
            const std::scoped_lock guard{mutex_};
            renewals_.push_back(std::move(done));
            return;
        }
        if (auto got = next(what)) {
            loop_.post([done = std::move(done), got = std::move(*got)] { done(got); });
        }
    }
    void connect() override {}
    void listen(std::string_view /*client*/, pawl::store::notice_listener& who) override
    {
        listener_ = &who;
        who.listening(true);
    }
    void doubt() override {}
    std::optional<core::failure> ping(base::boot_time /*until*/) override { return std::nullopt; }
    [[nodiscard]] const std::string& shown() const noexcept override { return shown_; }

    [[nodiscard]] pawl::store::server_list servers(std::string_view /*lock*/,
                                                   base::boot_time /*until*/) override
    {
        return {.names = names};
    }
    [[nodiscard]] std::vector<pawl::store::server_answer> ask(
        const std::vector<pawl::store::server_question>& questions,
        base::boot_time /*until*/) override
    {
        std::vector<pawl::store::server_answer> all;
        for (const auto& each : questions) all.push_back(answer(each));
        return all;
    }

    // The answer to the first renewal that has none, of one lease. False if there is no such renewal.
    [[nodiscard]] bool answer_renewal(core::hold_reply got)
    {
        const std::scoped_lock guard{mutex_};
        if (renewals_.empty()) return false;
        loop_.post([done = std::move(renewals_.front()), got = std::move(got)] {
            done(core::renew_request::reply{got});
        });
        renewals_.pop_front();
        return true;
    }

    void answer_with(core::acquire_reply got)
    {
        const std::scoped_lock guard{mutex_};
        replies_.push_back(std::move(got));
    }

    // The last waiter was granted the lock so long ago that most of its lease is over.
    void send_old_grant()
    {
        loop_.post([this] {
            std::string holder;
            {
                const std::scoped_lock guard{mutex_};
                holder = holder_;
            }
            listener_->granted({.holder = holder, .fence = 7, .at = {}});
        });
    }

    std::atomic<int> acquires = 0;
    std::atomic<int> releases = 0;
    // Of ask().
    std::vector<std::string> names{"scripted"};
    std::function<pawl::store::server_answer(const pawl::store::server_question&)> answer;

private:
    std::optional<core::reply> next(const core::request& what)
    {
        const auto* const asked = std::get_if<core::acquire_request>(&what);
        if (asked == nullptr) {
            const auto* const question = std::get_if<core::exchange_request>(&what);
            if (question != nullptr && std::holds_alternative<core::release_request>(*question)) {
                ++releases;
            }
            return core::hold_reply{core::hold_status::done};
        }
        const std::scoped_lock guard{mutex_};
        holder_ = asked->mine.holder;
        ++acquires;
        if (replies_.empty()) return std::nullopt;
        auto got = std::move(replies_.front());
        replies_.pop_front();
        return got;
    }

    base::scheduler& loop_;
    pawl::store::notice_listener* listener_ = nullptr;  // on the loop only
    std::string shown_ = "scripted";
    std::mutex mutex_;
    std::deque<core::acquire_reply> replies_;
    std::deque<reply_handler> renewals_;
    std::string holder_;
};

class with_scripted_store : public testing::Test {
protected:
    with_scripted_store()
    {
        auto loop = std::make_unique<base::event_loop>(*platform_);
        store_ = std::make_shared<scripted_store>(*loop);
        client_.reset(new client(
            client_access::make({}, {.client = platform_->random_id(),
                                     .platform = platform_,
                                     .stops = std::make_unique<observe::dispatcher_thread>(),
                                     .handlers = std::make_unique<observe::dispatcher_thread>(),
                                     .loop = std::move(loop),
                                     .store = store_})));
        lock_.emplace(*client_, "job");
    }

    std::shared_ptr<fragile_platform> platform_ = std::make_shared<fragile_platform>();
    std::shared_ptr<scripted_store> store_;
    std::unique_ptr<client> client_;
    std::optional<mutex> lock_;
};

}  // namespace pawl::sync
