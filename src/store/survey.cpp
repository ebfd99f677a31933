#include "store/survey.h"

#include "store/blocking_call.h"
#include "store/redis/reading.h"

#include <chrono>

namespace pawl::store {

using base::boot_time;

namespace {

core::failure silence()
{
    return {.what = core::failure_kind::no_reply, .detail = "no answer within the limit"};
}

}  // namespace

void survey::start(const std::vector<target>& targets, boot_time until)
{
    answers_.resize(targets.size());
    for (const auto& each : targets) open_ += each.what.is_empty() ? 0U : 1U;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (!targets[i].what.is_empty()) send(i, targets[i]);
    }
    if (open_ == 0) {
        finish();
        return;
    }
    around_.loop.call_at(until, [self = weak_from_this()] {
        if (const auto here = self.lock()) here->finish();
    });
}

void survey::send(std::size_t index, const target& to)
{
    answers_[index].sent = around_.platform.now();
    auto left = std::make_shared<std::size_t>(to.what.commands.size() + (to.what.script ? 1 : 0));
    to.way->submit(
        [noted = around_.noted, index, what = to.what](const auto& server, std::string& out) {
            if (noted) noted(index, server.run_id);
            return append(out, what, server);
        },
        around_.patience,
        [self = shared_from_this(), index, left](const auto* reply, const auto* problem) {
            auto& mine = self->answers_[index];
            if (problem != nullptr) {
                mine.problem = failure_of(*problem);
                *left = 0;
            } else {
                mine.replies.push_back(read_command_reply(*reply));
                --*left;
            }
            if (*left > 0) return;
            mine.received = self->around_.platform.now();
            if (--self->open_ == 0) self->finish();
        });
}

void survey::finish()
{
    if (!done_) return;
    auto got = answers_;
    for (auto& each : got) {
        if (each.sent == boot_time{} || each.received != boot_time{}) continue;
        each.problem = silence();
    }
    std::exchange(done_, nullptr)(std::move(got));
}

std::vector<server_answer> survey::ask(const surroundings& around, std::vector<target> targets,
                                       boot_time until)
{
    using all = std::vector<server_answer>;
    const auto count = targets.size();
    auto begin = [around, targets = std::move(targets), until](answered done) {
        std::make_shared<survey>(around, std::move(done))->start(targets, until);
    };
    // The loop is never late by more than that.
    constexpr std::chrono::milliseconds slack{200};
    auto got = blocking_call<all>::run(around.platform, around.loop, std::move(begin),
                                       until + slack, nullptr);
    if (got) return std::move(*got);
    const server_answer none{.problem = silence()};
    all silent(count, none);
    return silent;
}

}  // namespace pawl::store
