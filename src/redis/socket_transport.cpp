#include "redis/socket_transport.h"

#include <string>
#include <utility>
#include <variant>

namespace pawl::redis {

socket_transport::socket_transport(base::event_loop& loop, server_config config,
                                   std::size_t pool_size, pipeline::limits limits)
    : server_{std::move(config)},
      connect_limit_{limits.connect},
      starter_{loop, limits.connect},
      pool_{server_, pool_size, limits.connect},
      pipeline_{loop, server_, limits}
{
}

std::optional<transport::unanswered> socket_transport::call(
    const writer& request, const waiting& how, const std::function<void(const reply_view&)>& read)
{
    auto taken = pool_.take(how.until, how.stop, how.may_start);
    if (auto* problem = std::get_if<failure>(&taken)) return unanswered{std::move(*problem), false};
    auto& connection = std::get<pool::loan>(taken);
    for (auto replies = connection->send(request); replies > 0; --replies) {
        const auto reply = connection->next_reply(how.until, how.stop);
        if (!reply) {
            // Whatever befell this connection may have befallen all that were idle.
            pool_.drop_idle();
            return unanswered{connection->problem(), true};
        }
        read(*reply);
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

bool socket_transport::start_server(start_handler done)
{
    if (!server_.is_local()) return false;
    starter_.start(std::move(done));
    return true;
}

void socket_transport::submit(writer request, std::chrono::milliseconds patience, reader done)
{
    pipeline_.call(std::move(request), patience, std::move(done));
}

void socket_transport::listen(std::string channel, listener& who)
{
    pipeline_.listen(std::move(channel), who);
}

}  // namespace pawl::redis
