// The names of outcomes, states and causes, and the version.
#include <pawl/error.h>
#include <pawl/event.h>
#include <pawl/inspect.h>
#include <pawl/node.h>
#include <pawl/version.h>

namespace pawl {
namespace {

class category final : public std::error_category {
public:
    [[nodiscard]] const char* name() const noexcept override { return "pawl"; }

    [[nodiscard]] std::string message(int code) const override
    {
        switch (static_cast<errc>(code)) {
        case errc::busy: return "busy: another holder has the lock";
        case errc::timed_out: return "timed out: another holder had the lock all the time";
        case errc::cancelled: return "cancelled";
        case errc::lost: return "the lock was lost";
        case errc::not_owner: return "not the owner";
        case errc::unreachable: return "server unreachable";
        case errc::refused: return "refused by the server";
        case errc::not_a_lock: return "not a lock";
        case errc::bad_argument: return "bad argument";
        case errc::would_deadlock: return "this thread holds the lock already";
        case errc::wrong_process: return "the client belongs to the parent process";
        case errc::not_due: return "not due: a run has begun in this period";
        case errc::no_quorum: return "no quorum";
        }
        return "unknown pawl error " + std::to_string(code);
    }
};

}  // namespace

const std::error_category& error_category() noexcept
{
    static const category the_category;
    return the_category;
}

error::error(errc code, const std::string& message)
    : std::system_error{make_error_code(code)}, message_{message}
{
}

error::~error() = default;

const char* error::what() const noexcept
{
    return message_.what();
}

std::string_view to_string(hold_state state) noexcept
{
    switch (state) {
    case hold_state::held: return "held";
    case hold_state::jeopardy: return "jeopardy";
    case hold_state::lost: return "lost";
    case hold_state::released: return "released";
    }
    return "unknown";
}

std::string_view to_string(cause why) noexcept
{
    switch (why) {
    case cause::none: return "none";
    case cause::no_reply: return "no reply";
    case cause::unreachable: return "unreachable";
    case cause::refused: return "refused";
    case cause::expired: return "expired";
    case cause::vanished: return "vanished";
    case cause::taken: return "taken";
    case cause::not_a_lock: return "not a lock";
    case cause::closed: return "client closed";
    case cause::held_too_long: return "held too long";
    case cause::no_beat: return "no beat";
    case cause::bare_majority: return "bare majority";
    case cause::broken: return "broken by an operator";
    }
    return "unknown";
}

std::string_view to_string(lock_kind kind) noexcept
{
    switch (kind) {
    case lock_kind::free: return "free";
    case lock_kind::mutex: return "mutex";
    case lock_kind::recursive_mutex: return "recursive_mutex";
    case lock_kind::shared_mutex: return "shared_mutex";
    case lock_kind::counting_semaphore: return "counting_semaphore";
    case lock_kind::latch: return "latch";
    case lock_kind::barrier: return "barrier";
    case lock_kind::leader: return "leader";
    case lock_kind::once_per: return "once_per";
    case lock_kind::foreign: return "foreign";
    case lock_kind::not_a_lock: return "not_a_lock";
    case lock_kind::unknown: return "unknown";
    }
    return "unknown";
}

std::string_view to_string(node_state state) noexcept
{
    switch (state) {
    case node_state::voting: return "voting";
    case node_state::quarantined: return "in quarantine";
    case node_state::clock_stepped: return "clock stepped";
    case node_state::duplicate: return "duplicate";
    case node_state::unreachable: return "unreachable";
    }
    return "unknown";
}

std::string_view version() noexcept
{
    return PAWL_VERSION;
}

}  // namespace pawl
