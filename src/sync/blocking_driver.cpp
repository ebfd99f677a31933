#include "sync/blocking_driver.h"

#include <memory>
#include <stop_token>
#include <string>

namespace pawl::sync {

// Makes a bell only when the machine wants one: a call that need not wait has none.
class blocking_driver::bells final : public bell_source {
public:
    [[nodiscard]] std::weak_ptr<bell> new_bell() override
    {
        last_ = std::make_shared<blocking_bell>();
        return last_;
    }

    // The last one, or null.
    [[nodiscard]] blocking_bell* last() const noexcept { return last_.get(); }

private:
    std::shared_ptr<blocking_bell> last_;
};

void blocking_driver::run(core::machine& what, const base::interrupt* stop)
{
    run(what, nullptr, stop);
}

void blocking_driver::run(call& what, const base::interrupt* stop)
{
    bells mine;
    what.use(mine);
    run(what, &mine, stop);
}

void blocking_driver::run(core::machine& what, const bells* woken_by, const base::interrupt* stop)
{
    using kind = core::step::kind;
    const base::call_under_way mark{platform_};
    auto step = what.start(platform_.now());
    while (step.what != kind::finish) {
        if (step.what == kind::send) {
            const auto got = execute(step, stop);
            step = what.on_reply(got, platform_.now());
        } else if (wait(step, woken_by != nullptr ? woken_by->last() : nullptr, stop)) {
            step = what.on_time(platform_.now());
        } else {
            step = what.on_cancel(platform_.now(), {});
        }
    }
}

core::reply blocking_driver::execute(const core::step& step, const base::interrupt* stop)
{
    if (const auto store = store_.get()) return store->execute(step.request, step.until, stop);
    return core::failed(step.request, {.what = core::failure_kind::refused,
                                       .detail = std::string{core::client_destroyed}});
}

// False if `stop` was requested first.
bool blocking_driver::wait(const core::step& step, blocking_bell* woken_by,
                           const base::interrupt* stop)
{
    if (woken_by == nullptr) return platform_.pause(step.until, stop);
    std::stop_source woken;
    if (!woken_by->on_ring([woken]() mutable { woken.request_stop(); })) return true;
    const auto cancelled = stop != nullptr ? stop->token() : std::stop_token{};
    {
        const std::stop_callback watch{cancelled, [&woken] { woken.request_stop(); }};
        // A grant by the server is heard by the event loop: most likely in this thread, which lends
        // itself to the loop. A pause needs no loop.
        const bool may_help = step.what == core::step::kind::wait;
        static_cast<void>(may_help ? loop_.help(platform_, step.until, woken.get_token())
                                   : platform_.sleep(step.until, woken.get_token()));
    }
    woken_by->silence();
    return !cancelled.stop_requested();
}

}  // namespace pawl::sync
