#include "comparison.h"

#include "all_counts.h"
#include "interruption.h"

#include <algorithm>
#include <stdexcept>

namespace pawl::bench {
namespace {

constexpr std::chrono::milliseconds longest_listening{300};
// Long enough for a whole release of many waiters, with all its commands.
constexpr std::chrono::milliseconds listening_to_releases{2'000};

// One of the contestants, and how its rounds are run.
struct runner {
    contestant* who = nullptr;
    std::function<sent_by_clients(std::chrono::milliseconds)> listen;
    std::function<round_result(std::chrono::milliseconds, const sent_by_clients&)> measure;
    sent_by_clients sent{};
    bool applies = true;

    // Runs one step. A contestant that fails takes no further part.
    template <class Step>
    void attempt(const Step& step)
    {
        if (!applies || !who->failure.empty()) return;
        try {
            step();
        } catch (const interrupted&) {
            throw;
        } catch (const does_not_apply&) {
            applies = false;
        } catch (const std::exception& problem) {
            who->failure = problem.what();
        }
    }
};

class contest {
public:
    contest(const workload& what, const arena& where, const std::vector<peer>& peers)
        : what_{what}, where_{where}, server_{where.nodes}
    {
        const bool peers_apply = where.over == "tcp" && !what.peer_word.empty();
        result_ = {.what = &what, .over = where.over, .contestants = {}};
        result_.contestants.reserve(what.entries.size() + what.peer_variants.size() * peers.size());
        for (const entry& each : what.entries) add(each);
        for (const peer& each : peers) {
            if (!peers_apply) break;
            for (const std::string_view variant : what.peer_variants) add(each, variant);
        }
    }

    comparison run(const effort& how_much, const progress& tell)
    {
        const auto label = std::string{what_.word} + " over " + where_.over;
        for (runner& each : runners_) {
            tell(label + ", warming up: " + each.who->title);
            each.attempt([&] { each.sent = each.listen(listening(how_much)); });
        }
        for (unsigned number = 1; number <= how_much.rounds; ++number) {
            for (runner& each : runners_) {
                tell(label + ", round " + std::to_string(number) + " of " +
                     std::to_string(how_much.rounds) + ": " + each.who->title);
                each.attempt(
                    [&] { each.who->rounds.push_back(each.measure(how_much.length, each.sent)); });
            }
        }
        leave_out_those_who_do_not_apply();
        return std::move(result_);
    }

private:
    [[nodiscard]] std::chrono::milliseconds listening(const effort& how_much) const
    {
        return what_.what == pattern::release_all ? listening_to_releases
                                                  : std::min(how_much.length, longest_listening);
    }

    void add(const entry& each)
    {
        const contender kind = each.kind;
        contestant& who = result_.contestants.emplace_back(contestant{
            .kind = kind, .word = std::string{word_of(kind)}, .title = std::string{each.title}});
        const auto one = [this, kind] { return round{what_, kind, where_.url, server_}; };
        runners_.push_back(
            {.who = &who,
             .listen = [one](auto how_long) { return one().listen(how_long); },
             .measure = [one](auto how_long,
                              const auto& sent) { return one().measure(how_long, sent); }});
    }

    void add(const peer& each, std::string_view variant)
    {
        std::string title = each.name;
        if (!variant.empty()) title += ", " + std::string{variant.substr(1)};  // "-tuned"
        contestant& who = result_.contestants.emplace_back(contestant{
            .kind = contender::peer, .word = each.name + std::string{variant}, .title = title});
        const std::string word = std::string{what_.peer_word} + std::string{variant};
        const auto one = [this, word, &each] {
            return peer_round{each, word, where_.ports, server_};
        };
        runners_.push_back(
            {.who = &who,
             .listen = [one](auto how_long) { return one().listen(how_long); },
             .measure = [one](auto how_long,
                              const auto& sent) { return one().measure(how_long, sent); }});
    }

    void leave_out_those_who_do_not_apply()
    {
        std::vector<contestant> left;
        for (const runner& each : runners_) {
            if (each.applies) left.push_back(std::move(*each.who));
        }
        result_.contestants = std::move(left);
    }

    const workload& what_;
    const arena& where_;
    all_counts server_;
    comparison result_;
    std::vector<runner> runners_;
};

}  // namespace

std::optional<summary> contestant::of(metric what) const
{
    std::vector<double> values;
    for (const round_result& each : rounds) values.push_back(describe(what).of(each));
    return summarize(std::move(values));
}

std::optional<summary> contestant::compared_with(const contestant& other, metric what) const
{
    std::vector<double> values;
    for (std::size_t i = 0; i < std::min(rounds.size(), other.rounds.size()); ++i) {
        const double below = describe(what).of(other.rounds[i]);
        if (below > 0) values.push_back(describe(what).of(rounds[i]) / below);
    }
    return summarize(std::move(values));
}

const contestant& comparison::find(contender kind) const
{
    const auto found = std::ranges::find(contestants, kind, &contestant::kind);
    if (found == contestants.end()) throw std::logic_error{"the reference does not take part"};
    return *found;
}

bool comparison::failed() const
{
    return std::ranges::any_of(contestants, [](const contestant& each) {
        return !each.is_peer() && !each.failure.empty();
    });
}

comparison compare(const workload& what, const arena& where, const std::vector<peer>& peers,
                   const effort& how_much, const progress& tell)
{
    return contest{what, where, peers}.run(how_much, tell);
}

}  // namespace pawl::bench
