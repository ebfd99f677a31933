#include "sync/server_lock.h"

#include "base/interrupt.h"
#include "core/exchange.h"
#include "sync/async_call.h"

#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

namespace pawl::sync {

taken take_from_server(client_state& client, const settings_ptr& settings, taking how,
                       const std::stop_token& stop)
{
    const base::interrupt interrupt{stop};
    acquisition wanted{client, settings, std::move(how)};
    client.run(wanted, interrupt);
    return wanted.conclude();
}

namespace {

// Something if it is over already.
maybe_trouble end_lease(client_state& client, const core::lease_ptr& lease)
{
    auto& leases = client.leases();
    if (leases.end(lease)) return std::nullopt;
    // Whoever worked under it is done now, so what may be left of it on the server can go.
    leases.give_back(lease, lease->wanted_until);
    return lost_because(lease->why);
}

maybe_trouble given(client_state& client, const core::lease_ptr& lease, const core::hold_reply& got)
{
    const auto* const problem = std::get_if<core::failure>(&got);
    const bool answered = problem == nullptr || core::is_answer(problem->what);
    const bool may_come = client.platform().now() <= lease->wanted_until;
    if (may_come || !answered) {
        client.leases().give_back(lease, lease->wanted_until, lease_keeper::giving::again);
    }
    if (problem != nullptr) return trouble_of(*problem);
    const auto status = std::get<core::hold_status>(got);
    if (status == core::hold_status::done) return std::nullopt;
    lease->why = core::cause_of(status);
    return lost_because(lease->why);
}

// A core::exchange_machine on the scheduler.
class question final : public async_call, public std::enable_shared_from_this<question> {
public:
    question(std::shared_ptr<client_state> client, core::lease_ptr lease, core::request request,
             answer_handler done)
        : client_{std::move(client)},
          lease_{std::move(lease)},
          machine_{std::move(request), client_->options().command_limit, client_->random()},
          done_{std::move(done)}
    {
    }

    void start() override { proceed(machine_.start(client_->platform().now())); }

    // It may be a release: the client waits for it, as it would for a thread.
    void cancel() override {}

    void abandon() override
    {
        tell(core::failed(machine_.asked(), {.what = core::failure_kind::cancelled,
                                             .detail = "the client was destroyed"}));
    }

private:
    using kind = core::exchange_step::kind;

    void proceed(const core::exchange_step& step)
    {
        const auto number = ++step_;
        if (timer_) client_->loop().cancel(*std::exchange(timer_, std::nullopt));
        if (step.what == kind::finish) {
            client_->calls().ended(*this);
            tell(machine_.result());
            return;
        }
        timer_ = client_->loop().call_at(step.until, [self = shared_from_this(), number] {
            if (number == self->step_) self->on_time();
        });
        if (step.what != kind::send) return;
        const auto patience =
            std::chrono::ceil<std::chrono::milliseconds>(step.until - client_->platform().now());
        const auto self = shared_from_this();
        client_->submit(
            machine_.asked(), patience, [self, number] { return number == self->step_; },
            [self, number](core::reply got) {
                if (number != self->step_) return;
                self->proceed(
                    self->machine_.on_reply(std::move(got), self->client_->platform().now()));
            });
    }

    // What hears of it goes with it: a late answer may be read by anyone's thread.
    void tell(core::reply got)
    {
        const auto done = std::exchange(done_, nullptr);
        done({std::move(got), machine_.sent()});
    }

    void on_time()
    {
        timer_.reset();
        proceed(machine_.on_time(client_->platform().now()));
    }

    std::shared_ptr<client_state> client_;
    core::lease_ptr lease_;  // to which the request points
    core::exchange_machine machine_;
    answer_handler done_;
    unsigned step_ = 0;  // what belongs to an earlier one is ignored
    std::optional<base::scheduler::timer> timer_;
};

// What is known already.
class news final : public async_call {
public:
    news(std::shared_ptr<client_state> client, maybe_trouble what, result_handler done)
        : client_{std::move(client)}, what_{std::move(what)}, done_{std::move(done)}
    {
    }

    void start() override
    {
        client_->calls().ended(*this);
        abandon();
    }
    void cancel() override {}
    void abandon() override { std::exchange(done_, nullptr)(what_); }

private:
    std::shared_ptr<client_state> client_;
    maybe_trouble what_;
    result_handler done_;
};

}  // namespace

maybe_trouble give_to_server(client_state& client, const core::lease_ptr& lease)
{
    if (auto over = end_lease(client, lease)) return over;
    core::hold_reply got;
    try {
        got = client.run(lease->release()).what;
    } catch (const std::system_error& e) {
        // Out of descriptors or memory: it is given back in the background, once that can be done.
        got = core::failure{.what = core::failure_kind::unreachable, .detail = e.what()};
    }
    return given(client, lease, got);
}

void give_to_server(const std::shared_ptr<client_state>& client, const core::lease_ptr& lease,
                    result_handler done)
{
    if (auto over = end_lease(*client, lease)) {
        tell_later(client, std::move(over), std::move(done));
        return;
    }
    ask_server(client, lease, lease->release(),
               [client = client.get(), lease, done = std::move(done)](const auto& got) {
                   done(given(*client, lease, got.what));
               });
}

void tell_later(const std::shared_ptr<client_state>& client, maybe_trouble what,
                result_handler done)
{
    client->calls().start(std::make_shared<news>(client, std::move(what), std::move(done)));
}

void ask_about(const std::shared_ptr<client_state>& client, const core::lease_ptr& lease,
               core::request request, answer_handler done)
{
    client->calls().start(
        std::make_shared<question>(client, lease, std::move(request), std::move(done)));
}

}  // namespace pawl::sync
