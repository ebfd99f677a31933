// A store that is one Redis server.
#pragma once

#include "base/platform.h"
#include "redis/transport.h"
#include "store/redis/server_call.h"
#include "store/store.h"

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::store {

class single_server final : public store, private redis::listener {
public:
    single_server(std::shared_ptr<const base::platform> platform,
                  std::unique_ptr<redis::transport> way, double clock_drift,
                  server_settings settings = {});
    ~single_server() override;

    core::reply execute(const core::request& what, base::boot_time until,
                        const base::interrupt* stop) override;
    void submit(core::request what, std::chrono::milliseconds patience, still_wanted wanted,
                reply_handler done) override;
    std::optional<core::failure> prepare() override;
    void connect() override { way_->connect(); }
    void listen(std::string_view client, notice_listener& who) override;
    void doubt() override;
    std::optional<core::failure> ping(base::boot_time until) override;
    std::vector<server_answer> ask(const std::vector<server_question>& questions,
                                   base::boot_time until) override;
    [[nodiscard]] const std::string& shown() const noexcept override { return way_->shown(); }

    // The same for a request that another node of the Cluster has redirected with ASK. Only for requests with one call
    // of a script.
    [[nodiscard]] core::reply execute_asking(const core::request& what, base::boot_time until,
                                             const base::interrupt* stop);
    void submit_asking(core::request what, std::chrono::milliseconds patience, still_wanted wanted,
                       reply_handler done);

    // On the client's event loop only: reads a message that this server has sent, for `who`.
    void deliver(std::string_view text, notice_listener& who) const;

private:
    void heard(std::string_view text) override { deliver(text, *listener_); }
    void listening(bool now) override { listener_->listening(now); }

    [[nodiscard]] server_answer ask(const server_question& what, base::boot_time until);
    [[nodiscard]] core::reply execute(server_call& one, base::boot_time until,
                                      const base::interrupt* stop);
    struct submitted;
    [[nodiscard]] submitted& add(core::request what, std::chrono::milliseconds patience,
                                 still_wanted wanted, reply_handler done);
    void send(submitted& one);
    void give_up_or_start(submitted& one, const redis::failure& why);
    void count_sent() const;
    void count_failed() const;
    void count_answered(base::boot_time written) const;
    void finish(submitted& one, core::reply got);

    std::shared_ptr<const base::platform> platform_;
    server_memory memory_;
    notice_listener* listener_ = nullptr;
    std::list<submitted> submitted_;         // the requests that are not answered yet
    std::unique_ptr<redis::transport> way_;  // last, so that it is destroyed first: it calls us
};

}  // namespace pawl::store
