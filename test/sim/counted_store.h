// A store in front of another one, which counts the renewals that pass.
#pragma once

#include "sim/own_count.h"
#include "store/store.h"

#include <memory>
#include <utility>
#include <variant>

namespace pawl::sim {

class counted_store final : public pawl::store::store {
public:
    // `counts` must outlive it.
    counted_store(std::shared_ptr<pawl::store::store> inner, own_count& counts)
        : inner_{std::move(inner)}, counts_{&counts}
    {
    }

    core::reply execute(const core::request& what, base::boot_time until,
                        const base::interrupt* stop) override
    {
        return inner_->execute(what, until, stop);
    }
    void submit(core::request what, std::chrono::milliseconds patience, still_wanted wanted,
                reply_handler done) override
    {
        if (const auto* const renewal = std::get_if<core::renew_request>(&what)) {
            counts_->renewals.sent += renewal->all.size();
            done = [counts = counts_, done = std::move(done)](core::reply got) {
                count(counts->renewals, std::get<core::renew_request::reply>(got));
                done(std::move(got));
            };
        }
        inner_->submit(std::move(what), patience, std::move(wanted), std::move(done));
    }
    std::optional<core::failure> prepare() override { return inner_->prepare(); }
    void connect() override { inner_->connect(); }
    void listen(std::string_view client, pawl::store::notice_listener& who) override
    {
        inner_->listen(client, who);
    }
    void on_moved(const std::function<void()>& moved) override { inner_->on_moved(moved); }
    void doubt() override { inner_->doubt(); }
    std::optional<core::failure> ping(base::boot_time until) override
    {
        return inner_->ping(until);
    }
    void drain(base::boot_time until) override { inner_->drain(until); }
    [[nodiscard]] std::size_t part_of(const core::object& what) const override
    {
        return inner_->part_of(what);
    }
    [[nodiscard]] const std::string& shown() const noexcept override { return inner_->shown(); }

private:
    static void count(renewal_metrics& all, const core::renew_request::reply& got)
    {
        for (const auto& each : got) {
            const auto* const status = std::get_if<core::hold_status>(&each);
            if (std::holds_alternative<core::failure>(each)) {
                ++all.failed;
            } else if (status != nullptr && *status != core::hold_status::done) {
                ++all.denied;
            } else {
                ++all.done;
            }
        }
    }

    std::shared_ptr<pawl::store::store> inner_;
    own_count* counts_;
};

}  // namespace pawl::sim
