// A store that is the primary of a service, which sentinels name.
//
// Each primary is a single_server of its own, because each server has its own clock. When another server becomes
// the primary, all connections to the old one are closed at once. Requests under way fail, and their callers
// repeat them at the new one.
//
//   state       how it begins                                    requests
//   searching   the first request; a connection to the primary   wait for the primary, within their limits
//               broke; a reply says that it is none
//   ready       the server that the sentinels name answers       go to it
//
// In both states, an answer of any sentinel that names a newer primary leads there: primary_choice.h.
#pragma once

#include "base/event_loop.h"
#include "base/platform.h"
#include "common/mutex.h"
#include "redis/deployment.h"
#include "redis/transport.h"
#include "store/redis/single_server.h"
#include "store/sentinel/primary_transport.h"
#include "store/sentinel/sentinel_watch.h"
#include "store/store.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::store {

class sentinel_store final : public store, private notice_listener {
public:
    struct settings {
        std::size_t pool_size;
        redis::transport::limits within;
        double clock_drift;
        acknowledging acks;
        std::shared_ptr<observe::request_counters> counted_in{};
    };
    // `loop` must outlive the store. Stop the loop before the store is destroyed. Throws pawl::error
    // (bad_argument).
    sentinel_store(std::shared_ptr<const base::platform> platform, base::event_loop& loop,
                   redis::deployment where, settings how);

    core::reply execute(const core::request& what, base::boot_time until,
                        const base::interrupt* stop) override;
    void submit(core::request what, std::chrono::milliseconds patience, still_wanted wanted,
                reply_handler done) override;
    void connect() override { begin(); }
    void listen(std::string_view client, notice_listener& who) override;
    void on_moved(const std::function<void()>& moved) override { moved_ = moved; }
    void doubt() override;
    std::optional<core::failure> ping(base::boot_time until) override;
    server_list servers(std::string_view lock, base::boot_time until) override;
    std::vector<server_answer> ask(const std::vector<server_question>& questions,
                                   base::boot_time until) override;
    [[nodiscard]] const std::string& shown() const noexcept override { return where_.shown; }

private:
    struct primary {
        unsigned number;         // of primary_choice::primary
        primary_transport* way;  // of `server`
        single_server server;
    };
    using primary_ptr = std::shared_ptr<primary>;

    // A request on the loop that waits for a primary.
    struct queued {
        core::request what;
        base::boot_time until;
        still_wanted wanted;
        reply_handler done;
        base::event_loop::timer timer;
    };

    void granted(const core::grant_notice& what) override { listener_->granted(what); }
    void wanted(std::string_view lock) override { listener_->wanted(lock); }
    void broken(std::string_view holder, std::string_view reason) override
    {
        listener_->broken(holder, reason);
    }
    void listening(bool now) override;

    void begin();
    [[nodiscard]] std::variant<primary_ptr, core::failure> wait_for_primary(
        base::boot_time until, const base::interrupt* stop);
    [[nodiscard]] core::failure still_searching() const PAWL_REQUIRES(mutex_);
    void trouble(unsigned number);
    void set_hopeless(std::optional<core::failure> why);
    [[nodiscard]] bool is_ready() const;
    [[nodiscard]] primary_ptr current() const;

    // On the loop only.
    void on_news();
    void search();
    void switch_to(const primary_choice::primary& next);
    [[nodiscard]] primary_ptr connected_to(const primary_choice::primary& next);
    void probe();
    void on_probed(const redis::failure* problem);
    void wait_in_queue(core::request what, std::chrono::milliseconds patience, still_wanted wanted,
                       reply_handler done);
    void send_queued();
    void fail_queued(const core::failure& why);

    std::shared_ptr<const base::platform> platform_;
    base::event_loop* loop_;
    redis::deployment where_;
    settings how_;
    std::atomic<bool> begun_{false};

    mutable common::mutex mutex_;
    std::condition_variable_any changed_;
    primary_ptr current_ PAWL_GUARDED_BY(mutex_);  // null: none was found so far
    bool ready_ PAWL_GUARDED_BY(mutex_) = false;   // current_ answers
    // There is no primary, and waiting a little would not help.
    std::optional<core::failure> hopeless_ PAWL_GUARDED_BY(mutex_);
    std::string last_problem_ PAWL_GUARDED_BY(mutex_);

    // Only touched on the loop.
    notice_listener* listener_ = nullptr;
    std::string client_;
    std::function<void()> moved_ = [] {};
    bool has_moved_ = false;  // since the last time that a primary was found
    bool probing_ = false;
    base::boot_time probed_at_{};
    std::map<std::uint64_t, queued> queue_;  // in the order of their arrival
    std::uint64_t last_queued_ = 0;
    sentinel_watch watch_;  // last, so that it is destroyed first: it calls us
};

}  // namespace pawl::store
