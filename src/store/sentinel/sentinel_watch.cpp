#include "store/sentinel/sentinel_watch.h"

#include "base/mutant.h"

#include <algorithm>
#include <string>
#include <utility>

namespace pawl::store {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds shortest_pause{100};

std::vector<std::string> names_of(const std::vector<redis::server_config>& all)
{
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const auto& each : all) names.push_back(each.shown);
    return names;
}

}  // namespace

sentinel_watch::sentinel_watch(base::event_loop& loop, const redis::deployment& where,
                               redis::transport::limits within, std::function<void()> news)
    : loop_{&loop}, news_{std::move(news)}, choice_{where.service, names_of(where.servers)}
{
    lines_.reserve(where.servers.size());
    for (std::size_t i = 0; i < where.servers.size(); ++i) {
        lines_.push_back(std::make_unique<sentinel_line>(
            loop, where.servers[i], where.service, within,
            sentinel_line::handlers{
                .answered = [this, i](const sentinel_answer& what) { on_answer(i, what); },
                .switched = [this, i] { ask(i); }}));
    }
}

void sentinel_watch::start()
{
    for (const auto& each : lines_) each->start();
    search(true);
}

void sentinel_watch::search(bool now)
{
    if (now == searching_since_.has_value()) return;
    if (now) {
        searching_since_ = base::boot_clock::now();
    } else {
        searching_since_.reset();
    }
    plan(base::boot_clock::now());
}

void sentinel_watch::ask(std::size_t which)
{
    lines_.at(which)->ask();
}

void sentinel_watch::on_answer(std::size_t which, const sentinel_answer& what)
{
    if (base::is(base::mutant::stays_with_old_primary)) {
        const bool content = choice_.believed() && !searching_since_;
        if (content) return;
    }
    choice_.answered(which, what, base::boot_clock::now());
    tell();
}

void sentinel_watch::tell()
{
    if (std::exchange(news_posted_, true)) return;
    loop_->post([this] {
        news_posted_ = false;
        news_();
    });
}

void sentinel_watch::on_timer()
{
    timer_.reset();
    const auto now = base::boot_clock::now();
    for (const auto& each : lines_) {
        if (due(*each, now) <= now) each->ask();
    }
    choice_.look(now);
    if (searching_since_) tell();
    // An answer that does not come must not keep the loop busy.
    plan(now + shortest_pause / 2);
}

void sentinel_watch::plan(base::boot_time earliest)
{
    const auto now = base::boot_clock::now();
    auto next = searching_since_ ? now + pause(now) : base::boot_time::max();
    for (const auto& each : lines_) next = std::min(next, due(*each, now));
    if (timer_) loop_->cancel(*std::exchange(timer_, std::nullopt));
    timer_ = loop_->call_at(std::max(next, earliest), [this] { on_timer(); });
}

base::boot_time sentinel_watch::due(const sentinel_line& line, base::boot_time now) const
{
    constexpr std::chrono::seconds when_listening{5};
    constexpr std::chrono::seconds when_deaf{1};
    if (searching_since_) return line.asked_at() + pause(now);
    return line.asked_at() + (line.is_listening() ? when_listening : when_deaf);
}

// It grows, so that thousands of clients of a primary that stays away do not keep the sentinels busy.
milliseconds sentinel_watch::pause(base::boot_time now) const
{
    constexpr milliseconds longest{1'000};
    const auto since = std::chrono::duration_cast<milliseconds>(now - *searching_since_);
    return std::clamp(since / 10, shortest_pause, longest);
}

}  // namespace pawl::store
