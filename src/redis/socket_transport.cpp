#include "redis/socket_transport.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace pawl::redis {

socket_transport::socket_transport(base::event_loop& loop, server_config config,
                                   std::size_t pool_size, limits within)
    : loop_{&loop},
      server_{std::move(config)},
      connect_limit_{within.connect},
      starter_{loop, within.connect},
      pool_{server_, pool_size, within.connect},
      pipeline_{loop, server_, within, [this] { pool_.drop_idle(); }},
      apart_{loop, server_, within, [this] {
                 pool_.drop_idle();
                 pipeline_.leave(base::boot_clock::now());
             }}
{
}

std::optional<failure> socket_transport::call(const writer& request, const waiting& how,
                                              const std::function<void(const reply_view&)>& read)
{
    auto taken = pool_.take(how.until, how.stop, how.may_start);
    if (auto* problem = std::get_if<failure>(&taken)) {
        problem->sent = false;
        return std::move(*problem);
    }
    auto& connection = std::get<pool::loan>(taken);
    auto role = server_role::unknown;
    for (auto replies = connection->send(request); replies > 0; --replies) {
        const auto reply = connection->next_reply(how.until, how.stop);
        if (!reply) {
            // The idle connections may have the same problem.
            pool_.drop_idle();
            return connection->problem();
        }
        if (reply->is_error()) role = std::max(role, role_in_error(reply->text()));
        read(*reply);
    }
    if (role != server_role::unknown) connection->leave();
    if (role == server_role::replica) {
        // All other connections to it lead to the replica too, and its listener would hear nothing.
        pool_.drop_idle();
        loop_->post([this, now = base::boot_clock::now()] {
            pipeline_.leave(now);
            apart_.leave(now);
        });
    }
    return std::nullopt;
}

std::optional<failure> socket_transport::prepare()
{
    if (prepared_) return std::nullopt;
    auto problem = server_.prepare(connect_limit_);
    prepared_ = !problem;
    return problem;
}

bool socket_transport::start_server(const start_handler& done)
{
    if (!server_.is_local()) return false;
    starter_.start(done);
    return true;
}

void socket_transport::submit(writer request, std::chrono::milliseconds patience, reader done)
{
    pipeline_.call(std::move(request), patience, std::move(done));
}

void socket_transport::submit_apart(writer request, std::chrono::milliseconds patience, reader done)
{
    apart_.call(std::move(request), patience, std::move(done));
}

void socket_transport::listen(std::string channel, listener& who)
{
    pipeline_.listen(std::move(channel), who);
}

void socket_transport::end(failure why)
{
    pool_.drop_idle();
    apart_.end(why);
    pipeline_.end(std::move(why));
}

void socket_transport::hang_up()
{
    pool_.drop_idle();
    apart_.hang_up();
    pipeline_.hang_up();
    apart_.hang_up();
}

}  // namespace pawl::redis
