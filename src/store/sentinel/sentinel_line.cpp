#include "store/sentinel/sentinel_line.h"

#include <memory>
#include <utility>

namespace pawl::store {

sentinel_line::sentinel_line(base::event_loop& loop, redis::server_config config,
                             std::string service, redis::transport::limits within, handlers tell)
    : service_{std::move(service)},
      server_{std::move(config)},
      tell_{std::move(tell)},
      pipeline_{loop, server_, within}
{
}

void sentinel_line::start()
{
    pipeline_.listen("+switch-master", *this);
}

void sentinel_line::ask()
{
    // A sentinel that is silent for longer is taken for dead. The others are asked at the same time.
    constexpr std::chrono::seconds patience{1};
    if (std::exchange(asking_, true)) return;
    asked_at_ = base::boot_clock::now();
    pipeline_.call(
        [this](const auto&, auto& out) {
            append_question(out, service_);
            return 2U;
        },
        patience,
        [this, reader = std::make_shared<answer_reader>()](const auto* reply, const auto* problem) {
            if (problem == nullptr && !reader->on_reply(*reply)) return;
            asking_ = false;
            tell_.answered(problem == nullptr ? reader->take() : answer_of(*problem));
        });
}

void sentinel_line::heard(std::string_view message)
{
    if (is_about(message, service_)) tell_.switched();
}

void sentinel_line::listening(bool now)
{
    listening_ = now;
    if (now) tell_.switched();
}

}  // namespace pawl::store
