#include "doctor/right_trials.h"

#include "store/redis/keys.h"

#include <cstddef>
#include <utility>

namespace pawl::doctor {

right_trials::right_trials(const circumstances& at, std::int64_t major, std::string user,
                           trial_names names)
    : at_{at}, names_{std::move(names)}, rights_{rights_for(at, major)}
{
    got_.user = std::move(user);
}

std::vector<store::command> right_trials::first() const
{
    return {{"SET", names_.key, "doctor", "PX", "10000"},
            {"DEL", names_.key},
            {"ACL", "DRYRUN", got_.user, "PING"}};
}

void right_trials::read_first(const store::server_answer& answer)
{
    if (answer.problem || answer.replies.size() < 3) return;
    const auto& written = answer.replies[0];
    const auto may_set = verdict_of(written);
    const bool is_elsewhere =
        written.problem && written.problem->what == core::failure_kind::elsewhere;
    may_create_ = !written.problem || is_elsewhere || may_set == verdict::key_denied ||
                  verdict_of(answer.replies[1]) == verdict::key_denied;
    if (written.problem && !is_elsewhere && may_set == verdict::allowed) {
        got_.write_problem = written.problem->detail;
    }
    got_.dry_run = !answer.replies[2].problem;
}

store::command right_trials::in_this_way(store::command what) const
{
    if (got_.dry_run) what.insert(what.begin(), {"ACL", "DRYRUN", got_.user});
    return what;
}

std::vector<std::string> right_trials::lock_keys() const
{
    if (at_.lock.empty()) return {};
    if (at_.kind == store_kind::quorum) {
        return {at_.lock, store::fence_key(at_.lock), store::tickets_key(at_.lock),
                store::places_key(at_.lock), std::string{store::node_key}};
    }
    return {at_.lock, store::fence_key(at_.lock), store::queue_key(at_.lock)};
}

// The key is deleted last, so that all other commands find it.
std::vector<right_trials::step> right_trials::steps() const
{
    std::vector<step> all;
    const store::command end{"DEL", names_.key};
    for (const right& each : rights_) {
        const bool can_be_tried =
            each.how == trial::harmless || (each.how == trial::creates && may_create_);
        if (each.name == "del" && !got_.dry_run) continue;
        if (!can_be_tried && !got_.dry_run) continue;
        all.push_back(
            {step::about::right, std::string{each.name}, in_this_way(trial_of(each, names_))});
    }
    for (const auto& key : lock_keys()) {
        all.push_back({step::about::key, key, in_this_way({"PEXPIRE", key, "x"})});
    }
    all.push_back({got_.dry_run ? step::about::nothing : step::about::right, "del", end});
    return all;
}

std::vector<store::command> right_trials::second() const
{
    std::vector<store::command> commands;
    for (auto& each : steps()) commands.push_back(std::move(each.command));
    return commands;
}

void right_trials::read_second(const store::server_answer& answer)
{
    const auto asked = steps();
    for (std::size_t i = 0; i < asked.size() && i < answer.replies.size(); ++i) {
        const auto& reply = answer.replies[i];
        const auto what = got_.dry_run ? verdict_of_dry_run(reply) : verdict_of(reply);
        if (asked[i].what == step::about::right) note(asked[i].name, what);
        // If the command itself is denied, nothing is known of the key.
        const bool tells = what != verdict::denied && what != verdict::missing;
        if (asked[i].what == step::about::key && tells) got_.keys.push_back({asked[i].name, what});
    }
}

void right_trials::note(std::string_view right, verdict what)
{
    got_.commands.push_back({std::string{right}, what});
}

}  // namespace pawl::doctor
