#include "store/redis/gate_verb.h"

#include "store/redis/reading.h"
#include "store/redis/storage.h"

#include <cstdint>

namespace pawl::store {

void append(std::string& out, const core::arrive_request& what, const script_style& how)
{
    open_call(out, redis::scripts::gate_arrive, how, *what.what, 5);
    redis::append_word(out, what.participant);
    append_number(out, what.number);
    append_number(out, what.count);
    redis::append_word(out, made_as(*what.what));
    redis::append_word(out, what.drops_out ? "1" : "");
}

core::arrive_reply read(const core::arrive_request& what, const redis::reply_view& reply)
{
    if (reply.is_error()) {
        auto got = failure_of_error(reply.text());
        // It does not say whether an earlier try was counted.
        got.maybe_executed = got.what == core::failure_kind::refused;
        return got;
    }
    const auto answer = read_answer(reply, 3);
    if (!answer) return senseless(reply);
    switch (answer->code) {
    case 1:
        if (answer->number < 0) return senseless(reply);
        return core::arrived{.phase = static_cast<std::uint64_t>(answer->number)};
    case -4: return wrong_number(*what.what, answer->number);
    case -5:
        return core::failure{.what = core::failure_kind::refused,
                             .detail = std::to_string(what.count) + " arrivals are more than the " +
                                       std::to_string(answer->number) + " that are missing"};
    case -6: return other_kind(*what.what);
    default: return senseless(reply);
    }
}

}  // namespace pawl::store
