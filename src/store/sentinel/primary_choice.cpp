#include "store/sentinel/primary_choice.h"

#include <algorithm>

namespace pawl::store {

using kind = sentinel_answer::kind;

void primary_choice::answered(std::size_t which, sentinel_answer what, base::boot_time now)
{
    if (what.what == kind::primary && !first_answer_) first_answer_ = now;
    answers_.at(which) = std::move(what);
    look(now);
}

void primary_choice::look(base::boot_time now)
{
    if (!believed_) {
        choose_first(now);
        return;
    }
    const auto* const best = newest();
    if (best != nullptr && best->epoch > believed_->epoch) {
        believe(best->primary, best->epoch);
        return;
    }
    follow_majority(now);
}

void primary_choice::choose_first(base::boot_time now)
{
    const auto* const best = newest();
    if (best == nullptr) return;
    const bool all =
        std::ranges::all_of(answers_, [](const auto& each) { return each.has_value(); });
    const bool late = first_answer_ && now - *first_answer_ >= longest_wait_for_others;
    if (all || late || is_majority(count(kind::primary))) believe(best->primary, best->epoch);
}

void primary_choice::follow_majority(base::boot_time now)
{
    const auto named = named_by_majority();
    if (!named || *named == believed_->where) {
        other_.reset();
        return;
    }
    if (!other_ || other_->first != *named) other_.emplace(*named, now);
    if (now - other_->second < trust_in_majority_after) return;
    overrule(*named);
}

// Another sentinel may say the same again, with its greater number. It must not win again.
void primary_choice::overrule(const server_address& by)
{
    std::uint64_t epoch = 0;
    std::erase_if(overruled_, [&](const auto& each) { return each.primary == by; });
    for (const auto& each : answers_) {
        if (!each || each->what != kind::primary) continue;
        if (each->primary == by) {
            epoch = std::max(epoch, each->epoch);
        } else if (!is_overruled(*each)) {
            overruled_.push_back(*each);
        }
    }
    believe(by, epoch);
}

bool primary_choice::is_overruled(const sentinel_answer& what) const
{
    return std::ranges::find(overruled_, what) != overruled_.end();
}

void primary_choice::believe(const server_address& where, std::uint64_t epoch)
{
    const auto number = believed_ ? believed_->number + 1 : 1;
    believed_ = {where, epoch, number};
    other_.reset();
}

// Of equal numbers, the server that most sentinels name.
const sentinel_answer* primary_choice::newest() const
{
    const sentinel_answer* best = nullptr;
    for (const auto& each : answers_) {
        if (!each || each->what != kind::primary || is_overruled(*each)) continue;
        const auto rank = [this](const sentinel_answer& one) {
            return std::pair{one.epoch, named_by(one.primary)};
        };
        if (best == nullptr || rank(*each) > rank(*best)) best = &*each;
    }
    return best;
}

std::size_t primary_choice::named_by(const server_address& where) const
{
    return static_cast<std::size_t>(std::ranges::count_if(answers_, [&](const auto& each) {
        return each && each->what == kind::primary && each->primary == where;
    }));
}

std::size_t primary_choice::count(kind what) const
{
    return static_cast<std::size_t>(std::ranges::count_if(
        answers_, [&](const auto& each) { return each && each->what == what; }));
}

std::optional<server_address> primary_choice::named_by_majority() const
{
    for (const auto& each : answers_) {
        if (each && each->what == kind::primary && is_majority(named_by(each->primary))) {
            return each->primary;
        }
    }
    return std::nullopt;
}

std::size_t primary_choice::reachable() const
{
    return count(kind::primary) + count(kind::unknown_service);
}

std::optional<core::failure> primary_choice::problem() const
{
    const bool complete =
        std::ranges::all_of(answers_, [](const auto& each) { return each.has_value(); });
    if (believed_ || !complete) return std::nullopt;
    const auto of_all = std::to_string(reachable()) + " of " + std::to_string(answers_.size());
    if (count(kind::unknown_service) > 0) {
        auto text = "the sentinels know no service '" + service_ + '\'';
        if (reachable() < answers_.size()) text += " (" + of_all + " answered)";
        return core::failure{.what = core::failure_kind::refused, .detail = std::move(text)};
    }
    const auto first = [this](kind what) {
        std::size_t at = 0;
        while (answers_.at(at)->what != what) ++at;
        auto text = answers_.at(at)->detail;
        if (text.ends_with('.')) text.pop_back();
        return text + ", sentinel " + names_.at(at);
    };
    if (count(kind::refused) > 0) {
        return core::failure{.what = core::failure_kind::refused, .detail = first(kind::refused)};
    }
    const bool no_server =
        std::ranges::all_of(answers_, [](const auto& each) { return each->nobody_listens; });
    return core::failure{.what = core::failure_kind::unreachable,
                         .detail = "no sentinel answered: " + first(kind::no_answer),
                         .no_server = no_server};
}

}  // namespace pawl::store
