#include "store/cluster/journey.h"

#include <algorithm>
#include <utility>

namespace pawl::store {

core::request without_place(const core::acquire_request& what)
{
    auto changed = what;
    changed.wait.reset();
    return changed;
}

bool is_busy(const core::reply& got)
{
    const auto* const answer = std::get_if<core::acquire_reply>(&got);
    return answer != nullptr && std::holds_alternative<core::busy>(*answer);
}

bool is_without_place(const core::reply& got)
{
    return is_busy(got) && !std::get<core::busy>(std::get<core::acquire_reply>(got)).queued;
}

journey::journey(const surroundings& around, call what)
    : around_{around},
      call_{std::move(what)},
      until_{around.platform.now() + call_.patience},
      way_{has_one_key(call_.what)}
{
}

void journey::go()
{
    if (!call_.wanted()) return;
    const auto found = around_.nodes.owner(call_.slot);
    if (found.node == nullptr) {
        without_owner();
        return;
    }
    auto& at = *found.node;
    const auto client = around_.nodes.client();
    if (client.empty()) return ask(at, call_.what);
    if (const auto lingers = lingering_need_of(call_.what)) {
        if (at.ears.look(*lingers) == hearing::state::deaf) at.ears.want(client, *lingers);
    }
    const auto need = hearing_need_of(call_.what);
    const auto* const acquire = std::get_if<core::acquire_request>(&call_.what);
    if (!need) return ask(at, call_.what);
    if (at.ears.look(*need) == hearing::state::hears) {
        return acquire != nullptr ? ask_for_place(at, true) : ask(at, call_.what);
    }
    // Most locks are free, and then no channel is needed.
    if (acquire != nullptr && acquire->first) return ask_without_place(at, *need);
    listen_first(at, *need, std::nullopt);
}

void journey::without_owner()
{
    around_.nodes.when_loaded([self = shared_from_this()] {
        const auto found = self->around_.nodes.owner(self->call_.slot);
        if (found.node != nullptr) return self->go();
        if (self->call_.wanted()) self->call_.done(core::failed(self->call_.what, found.why));
    });
}

void journey::ask_without_place(cluster_node& at, const hearing_need& need)
{
    submit(at, without_place(std::get<core::acquire_request>(call_.what)),
           [self = shared_from_this(), &at, need](core::reply got) {
               if (!is_busy(got)) return self->on_reply(at, std::move(got));
               if (self->call_.wanted()) self->listen_first(at, need, std::move(got));
           });
}

// `got`: the answer to an acquire that did not join the queue.
void journey::listen_first(cluster_node& at, const hearing_need& need,
                           std::optional<core::reply> got)
{
    at.ears.want(around_.nodes.client(), need);
    at.ears.when_settled(need, [self = shared_from_this(), &at, got = std::move(got)](auto now) {
        if (!self->call_.wanted()) return;
        const auto* const acquire = std::get_if<core::acquire_request>(&self->call_.what);
        if (acquire == nullptr) return self->ask(at, self->call_.what);
        if (now == hearing::state::hears) return self->ask_for_place(at, true);
        if (got) return self->on_reply(at, *got);
        self->ask(at, without_place(*acquire));
    });
}

// The first request to a node does not join, because its clock is not known. The reply tells it.
void journey::ask_for_place(cluster_node& at, bool again)
{
    submit(at, call_.what, [self = shared_from_this(), &at, again](core::reply got) {
        const bool repeat = again && is_without_place(got) && self->call_.wanted();
        if (repeat) return self->ask_for_place(at, false);
        self->on_reply(at, std::move(got));
    });
}

void journey::ask(cluster_node& at, const core::request& what)
{
    submit(at, what, [self = shared_from_this(), &at](core::reply got) {
        self->on_reply(at, std::move(got));
    });
}

void journey::submit(cluster_node& at, const core::request& what, store::reply_handler done) const
{
    at.server.submit(what, std::min(call_.patience, around_.nodes.longest_try()), call_.wanted,
                     std::move(done));
}

void journey::on_reply(const cluster_node& from, core::reply got)
{
    const auto* const why = core::failure_in(got);
    if (why == nullptr) return call_.done(std::move(got));
    const auto next = way_.on_failure(*why, from.address);
    around_.nodes.note(next);
    on_failed(std::move(got), next);
}

void journey::on_failed(core::reply got, const itinerary::next& next)
{
    using kind = itinerary::next::kind;
    switch (next.what) {
    case kind::finish: return call_.done(std::move(got));
    case kind::again: return go();
    case kind::ask: return ask_there(next.where, got);
    case kind::pause: return pause(std::move(got));
    }
}

void journey::ask_there(const node_address& where, const core::reply& got)
{
    const auto there = around_.nodes.at(where);
    if (there.node == nullptr || !call_.wanted()) return call_.done(got);
    there.node->server.submit_asking(call_.what,
                                     std::min(call_.patience, around_.nodes.longest_try()),
                                     call_.wanted, [self = shared_from_this()](core::reply answer) {
                                         const auto* const why = core::failure_in(answer);
                                         if (why == nullptr)
                                             return self->call_.done(std::move(answer));
                                         const auto next = self->way_.on_failed_ask(*why);
                                         self->around_.nodes.note(next);
                                         self->on_failed(std::move(answer), next);
                                     });
}

void journey::pause(core::reply got)
{
    const auto when = around_.platform.now() + way_.pause();
    // If no node answers at all, the caller need not wait.
    if (when >= until_ || around_.nodes.map().problem()) return call_.done(std::move(got));
    static_cast<void>(around_.loop.call_at(when, [self = shared_from_this()] { self->go(); }));
}

}  // namespace pawl::store
