#include "store/sentinel/primary_transport.h"

#include <array>
#include <utility>

namespace pawl::store {
namespace {

using redis::failure_kind;

redis::failure another_primary(bool sent)
{
    return {failure_kind::replica, "the sentinels name another primary", sent};
}

}  // namespace

primary_transport::primary_transport(base::event_loop& loop, redis::server_config config,
                                     std::size_t pool_size, limits within,
                                     std::function<void()> trouble)
    : trouble_{std::move(trouble)}, inner_{loop, std::move(config), pool_size, within}
{
}

std::optional<redis::failure> primary_transport::call(
    const writer& request, const waiting& how,
    const std::function<void(const redis::reply_view&)>& read)
{
    std::stop_source ended;
    const auto end = [&ended] { ended.request_stop(); };
    const auto token = how.stop != nullptr ? how.stop->token() : std::stop_token{};
    const std::stop_callback by_caller{token, end};
    const std::stop_callback by_us{left_.get_token(), end};
    const base::interrupt stop{ended.get_token()};
    auto problem = inner_.call(request, {how.until, &stop, how.may_start}, [&](const auto& reply) {
        note(reply);
        read(reply);
    });
    if (!problem) return std::nullopt;
    if (problem->what == failure_kind::cancelled && !token.stop_requested()) {
        return with_address(another_primary(problem->sent));
    }
    note(*problem);
    return with_address(std::move(*problem));
}

void primary_transport::submit(writer request, std::chrono::milliseconds patience, reader done)
{
    inner_.submit(std::move(request), patience, noting(std::move(done)));
}

void primary_transport::submit_apart(writer request, std::chrono::milliseconds patience,
                                     reader done)
{
    inner_.submit_apart(std::move(request), patience, noting(std::move(done)));
}

primary_transport::reader primary_transport::noting(reader done) const
{
    return [this, done = std::move(done)](const auto* reply, const auto* problem) {
        if (problem == nullptr) {
            note(*reply);
            done(reply, nullptr);
            return;
        }
        note(*problem);
        const auto told = with_address(*problem);
        done(nullptr, &told);
    };
}

void primary_transport::probe(std::function<void(const redis::failure*)> done)
{
    constexpr std::chrono::seconds patience{1};
    inner_.submit(
        [](const auto&, auto& out) {
            redis::append_request(out, std::array<std::string_view, 1>{"PING"});
            return 1U;
        },
        patience,
        [this, done = std::move(done)](const auto* reply, const auto* problem) {
            if (problem != nullptr && problem->what != failure_kind::refused) {
                const auto told = with_address(*problem);
                done(&told);
            } else if (reply != nullptr && reply->is_error() &&
                       redis::role_in_error(reply->text()) != redis::server_role::unknown) {
                const auto told = with_address(redis::failure_of_error(reply->text()));
                done(&told);
            } else {
                done(nullptr);
            }
        });
}

void primary_transport::leave()
{
    left_.request_stop();
    inner_.end(another_primary(true));
}

redis::failure primary_transport::with_address(redis::failure what) const
{
    if (what.detail.ends_with('.')) what.detail.pop_back();
    what.detail += ", primary " + inner_.shown();
    return what;
}

void primary_transport::note(const redis::reply_view& reply) const
{
    if (!reply.is_error()) return;
    if (redis::role_in_error(reply.text()) != redis::server_role::unknown) trouble_();
}

void primary_transport::note(const redis::failure& problem) const
{
    if (problem.what != failure_kind::refused && problem.what != failure_kind::cancelled) {
        trouble_();
    }
}

}  // namespace pawl::store
