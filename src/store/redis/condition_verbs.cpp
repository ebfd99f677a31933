#include "store/redis/condition_verbs.h"

#include "store/redis/announcement.h"
#include "store/redis/place.h"
#include "store/redis/storage.h"

namespace pawl::store {

namespace scripts = redis::scripts;

namespace {

// More than any list has.
constexpr std::uint64_t all_waiters = 1'000'000'000;

const redis::script& script_for(const core::object& what, const redis::script& plain,
                                const redis::script& hash)
{
    return storage_of(what) == storage::plain ? plain : hash;
}

}  // namespace

void append(std::string& out, const core::wait_request& what, const script_style& how,
            wall_time now)
{
    const auto& object = *what.waiter.what;
    open_condition_call(out, script_for(object, scripts::plain_cond_wait, scripts::hash_cond_wait),
                        how, object, 7);
    redis::append_word(out, what.release.mine.holder);
    append_number(out, what.release.used);
    append_announcement(out, what.release.mine, what.release.announce, now);
    redis::append_word(out, what.release.has_reserve ? "1" : "");
    redis::append_word(out, what.waiter.holder);
    redis::append_word(out, place_text_after_time(*what.waiter.what, what.place));
    append_milliseconds(out, what.stay);
}

void append(std::string& out, const core::look_request& what, const script_style& how)
{
    open_condition_call(out, scripts::cond_look, how, *what.waiter.what, 4);
    redis::append_word(out, what.waiter.holder);
    redis::append_word(out, place_text_after_time(*what.waiter.what, what.place));
    append_milliseconds(out, what.stay);
    redis::append_word(out, what.leaves ? "1" : "");
}

void append(std::string& out, const core::notify_request& what, const script_style& how)
{
    const auto& script =
        script_for(*what.what, scripts::plain_cond_notify, scripts::hash_cond_notify);
    open_condition_call(out, script, how, *what.what, 1);
    append_number(out, what.all ? all_waiters : 1);
}

void append_leave(std::string& out, const core::release_request& what, const script_style& how,
                  wall_time now)
{
    const auto& object = *what.mine.what;
    open_condition_call(out,
                        script_for(object, scripts::plain_cond_leave, scripts::hash_cond_leave),
                        how, object, 3);
    redis::append_word(out, what.mine.holder);
    append_number(out, 0);
    append_announcement(out, what.mine, what.announce, now);
}

}  // namespace pawl::store
