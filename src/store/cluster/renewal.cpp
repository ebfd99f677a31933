#include "store/cluster/renewal.h"

#include "store/redis/keys.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pawl::store {
namespace {

constexpr unsigned most_rounds = 5;

}  // namespace

renewal::renewal(const journey::surroundings& around, core::renew_request what,
                 std::chrono::milliseconds patience, store::still_wanted wanted,
                 store::reply_handler done)
    : around_{around},
      what_{std::move(what)},
      patience_{patience},
      wanted_{std::move(wanted)},
      done_{std::move(done)},
      got_(what_.all.size()),
      open_(what_.all.size())
{
    std::iota(open_.begin(), open_.end(), std::size_t{0});
}

void renewal::go()
{
    if (!wanted_()) return;
    ++rounds_;
    std::map<node_address, indexes> parts;
    for (const auto each : std::exchange(open_, {})) {
        const auto slot = hash_slot(core::names_of(*what_.all[each].mine.what).front());
        if (const auto owner = around_.nodes.map().owner(slot)) {
            parts[*owner].push_back(each);
        } else {
            got_[each] = around_.nodes.owner(slot).why;
            around_.nodes.map().reload();
        }
    }
    outstanding_ = parts.size() + 1;
    for (const auto& [where, which] : parts) ask(where, which);
    end_part();
}

void renewal::ask(const node_address& where, const indexes& which)
{
    const auto found = around_.nodes.at(where);
    if (found.node == nullptr) {
        for (const auto each : which) got_[each] = found.why;
        return end_part();
    }
    core::renew_request part;
    part.all.reserve(which.size());
    for (const auto each : which) part.all.push_back(what_.all[each]);
    found.node->server.submit(
        std::move(part), std::min(patience_, around_.nodes.longest_try()), wanted_,
        [self = shared_from_this(), node = found.node, which](const core::reply& got) {
            self->on_part(node->address, which, std::get<core::renew_request::reply>(got));
        });
}

void renewal::on_part(const node_address& from, const indexes& which,
                      const core::renew_request::reply& got)
{
    using kind = itinerary::next::kind;
    for (std::size_t i = 0; i < which.size(); ++i) {
        const auto each = which[i];
        got_[each] = got[i];
        const auto* const why = std::get_if<core::failure>(&got[i]);
        if (why == nullptr) continue;
        const bool one_key = core::names_of(*what_.all[each].mine.what).size() == 1;
        const auto next = itinerary{one_key}.on_failure(*why, from);
        around_.nodes.note(next);
        if (next.what == kind::again) again_.push_back(each);
        if (next.what == kind::ask) ask_there(next.where, each);
    }
    end_part();
}

void renewal::ask_there(const node_address& where, std::size_t which)
{
    const auto there = around_.nodes.at(where);
    if (there.node == nullptr) return;
    ++outstanding_;
    there.node->server.submit_asking(core::exchange_request{what_.all[which]},
                                     std::min(patience_, around_.nodes.longest_try()), wanted_,
                                     [self = shared_from_this(), which](const core::reply& got) {
                                         self->got_[which] = std::get<core::hold_reply>(got);
                                         self->end_part();
                                     });
}

void renewal::end_part()
{
    if (--outstanding_ > 0) return;
    if (again_.empty() || rounds_ >= most_rounds) return done_(std::move(got_));
    open_ = std::exchange(again_, {});
    go();
}

}  // namespace pawl::store
