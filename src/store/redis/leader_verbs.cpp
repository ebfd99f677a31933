#include "store/redis/leader_verbs.h"

#include "store/redis/announcement.h"
#include "store/redis/reading.h"

namespace pawl::store {

void append(std::string& out, const core::yield_request& what, const script_style& how,
            wall_time now)
{
    open_call(out, redis::scripts::term_yield, how, *what.mine.what, 5);
    redis::append_word(out, what.mine.holder);
    append_number(out, what.used);
    append_announcement(out, what.mine, what.announce, now);
    redis::append_word(out, what.candidate);
    append_number(out, what.number);
}

void append(std::string& out, const core::read_request& what, const script_style& how)
{
    open_call(out, redis::scripts::term_read, how, 1, 0);
    redis::append_word(out, what.what->name);
}

core::yield_reply read(const core::yield_request& /*what*/, const redis::reply_view& reply)
{
    if (reply.is_error()) {
        auto got = failure_of_error(reply.text());
        if (got.what == core::failure_kind::not_a_lock) return core::hold_status::not_a_lock;
        return got;
    }
    if (reply.type() == redis::resp_type::integer) {
        switch (reply.integer()) {
        case 1: return core::handed_over{};
        case 2: return core::no_candidate{};
        case 0: return core::hold_status::vanished;
        case -1: return core::hold_status::taken;
        default: break;
        }
    }
    return senseless(reply);
}

core::read_reply read(const core::read_request& /*what*/, const redis::reply_view& reply)
{
    if (reply.is_error()) return failure_of_error(reply.text());
    if (reply.type() != redis::resp_type::bulk) return senseless(reply);
    auto text = reply.text();
    if (text.empty()) return core::term_seen{};
    const auto fence = fence_in(take_number(text).value_or(0));
    const auto left = take_number(text);
    if (!fence || !left) return senseless(reply);
    return core::term_seen{
        .fence = *fence, .left = time_left_in(*left), .candidate = std::string{text}};
}

}  // namespace pawl::store
