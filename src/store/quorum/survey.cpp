#include "store/quorum/survey.h"

#include "redis/resp.h"
#include "store/quorum/blocking_call.h"
#include "store/quorum/node.h"
#include "store/redis/reading.h"

#include <algorithm>

namespace pawl::store {

using base::boot_time;

namespace {

void append_texts(const redis::reply_view& reply, std::vector<std::string>& out)
{
    switch (reply.type()) {
    case redis::resp_type::null: return;
    case redis::resp_type::integer: out.push_back(std::to_string(reply.integer())); return;
    case redis::resp_type::array:
        reply.for_each([&](const auto& each) { append_texts(each, out); });
        return;
    default: out.emplace_back(reply.text());
    }
}

command_reply read(const redis::reply_view& reply)
{
    command_reply got;
    if (reply.is_error()) {
        got.problem = failure_of_error(reply.text());
    } else {
        append_texts(reply, got.texts);
    }
    return got;
}

}  // namespace

std::optional<core::failure> quorum_store::survey::answer::problem_in_first(std::size_t count) const
{
    if (problem) return problem;
    for (std::size_t i = 0; i < count && i < replies.size(); ++i) {
        if (replies[i].problem) return replies[i].problem;
    }
    return std::nullopt;
}

void quorum_store::survey::start(const std::vector<std::vector<command>>& commands, boot_time until)
{
    answers_.resize(commands.size());
    for (const auto& each : commands) open_ += each.empty() ? 0U : 1U;
    for (unsigned i = 0; i < commands.size(); ++i) {
        if (!commands[i].empty()) send(i, commands[i]);
    }
    if (open_ == 0) {
        finish();
        return;
    }
    owner_->loop_->call_at(until, [self = weak_from_this()] {
        if (const auto here = self.lock()) here->finish();
    });
}

void quorum_store::survey::send(unsigned node, const std::vector<command>& commands)
{
    answers_[node].sent = owner_->platform_->now();
    auto left = std::make_shared<std::size_t>(commands.size());
    owner_->servers_[node]->way().submit(
        [nodes = &owner_->nodes_, node, commands](const auto& server, std::string& out) {
            nodes->connected(node, server.run_id);
            for (const auto& each : commands) {
                const std::vector<std::string_view> words{each.begin(), each.end()};
                redis::append_request(out, words);
            }
            return static_cast<unsigned>(commands.size());
        },
        owner_->how_.command_limit,
        [self = shared_from_this(), node, left](const auto* reply, const auto* problem) {
            auto& mine = self->answers_[node];
            if (problem != nullptr) {
                mine.problem = failure_of(*problem);
                *left = 0;
            } else {
                mine.replies.push_back(read(*reply));
                --*left;
            }
            if (*left > 0) return;
            mine.received = self->owner_->platform_->now();
            if (--self->open_ == 0) self->finish();
        });
}

void quorum_store::survey::finish()
{
    if (!done_) return;
    auto got = answers_;
    for (auto& each : got) {
        if (each.sent == boot_time{} || each.received != boot_time{}) continue;
        each.problem = core::failure{.what = core::failure_kind::no_reply,
                                     .detail = "no answer within the limit"};
    }
    std::exchange(done_, nullptr)(std::move(got));
}

std::vector<quorum_store::survey::answer> quorum_store::survey::ask(
    quorum_store& owner, std::vector<std::vector<command>> commands, boot_time until)
{
    using all = std::vector<answer>;
    const auto count = commands.size();
    auto begin = [&owner, commands = std::move(commands), until](answered done) {
        std::make_shared<survey>(owner, std::move(done))->start(commands, until);
    };
    // The loop is never late by more than that.
    constexpr std::chrono::milliseconds slack{200};
    auto got = blocking_call<all>::run(*owner.platform_, *owner.loop_, std::move(begin),
                                       until + slack, nullptr);
    if (got) return std::move(*got);
    const answer none{.problem = core::failure{.what = core::failure_kind::no_reply,
                                               .detail = "no answer within the limit"}};
    all silent(count, none);
    return silent;
}

}  // namespace pawl::store
