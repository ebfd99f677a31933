#include "store/redis/storage.h"

#include "redis/resp.h"

#include <cstddef>
#include <string>
#include <utility>

namespace pawl::store {

namespace scripts = redis::scripts;

namespace {

// Without a weight, an id has 32 characters, or 48 if the lock may linger. A weight has at most ten digits,
// and an object with weights does not linger.
constexpr std::size_t id_size = 32;
constexpr std::size_t long_id_size = 48;

// As in parts/census.lua.
constexpr unsigned shared_capacity = 1'000'000'000;

unsigned weight_in(const core::object& what) noexcept
{
    if (what.kind == core::object_kind::permits) return what.permits;
    return what.mode == core::entry_mode::reader ? 1 : shared_capacity;
}

}  // namespace

storage storage_of(const core::object& what) noexcept
{
    switch (what.kind) {
    case core::object_kind::shared:
    case core::object_kind::permits: return storage::members;
    case core::object_kind::latch:
    case core::object_kind::barrier: return storage::gate;
    case core::object_kind::many:
        return what.layout == layout::plain ? storage::set_of_plain : storage::set_of_hash;
    case core::object_kind::leader: return storage::term;
    case core::object_kind::watch: return storage::watch;
    case core::object_kind::once: return storage::once;
    case core::object_kind::exclusive:
    case core::object_kind::counted: break;
    }
    return what.layout == layout::plain ? storage::plain : storage::hash;
}

const script_set& scripts_of(storage how) noexcept
{
    static constexpr script_set plain{scripts::plain_acquire, scripts::plain_release,
                                      &scripts::plain_renew, &scripts::plain_check};
    static constexpr script_set hash{scripts::hash_acquire, scripts::hash_release,
                                     &scripts::hash_renew, &scripts::hash_check};
    static constexpr script_set members{scripts::members_acquire, scripts::members_release,
                                        &scripts::members_renew, &scripts::members_check};
    static constexpr script_set gate{scripts::gate_wait, scripts::gate_leave, nullptr, nullptr};
    static constexpr script_set set_of_plain{
        scripts::plain_many_acquire, scripts::plain_many_release, &scripts::plain_many_renew,
        &scripts::plain_many_check};
    static constexpr script_set set_of_hash{scripts::hash_many_acquire, scripts::hash_many_release,
                                            &scripts::hash_many_renew, &scripts::hash_many_check};
    static constexpr script_set term{scripts::term_acquire, scripts::term_release,
                                     &scripts::term_renew, &scripts::term_check};
    static constexpr script_set watch{scripts::term_watch, scripts::gate_leave, nullptr, nullptr};
    static constexpr script_set once{scripts::once_acquire, scripts::once_release,
                                     &scripts::plain_renew, &scripts::plain_check};
    switch (how) {
    case storage::hash: return hash;
    case storage::members: return members;
    case storage::gate: return gate;
    case storage::term: return term;
    case storage::watch: return watch;
    case storage::once: return once;
    case storage::set_of_plain: return set_of_plain;
    case storage::set_of_hash: return set_of_hash;
    case storage::plain: break;
    }
    return plain;
}

std::string holder_text(const core::claim& who)
{
    std::string text{who.holder};
    if (storage_of(*who.what) == storage::members) text += std::to_string(weight_in(*who.what));
    return text;
}

void append_holder(std::string& out, const core::claim& who)
{
    if (storage_of(*who.what) == storage::members) {
        redis::append_word(out, holder_text(who));
    } else {
        redis::append_word(out, who.holder);
    }
}

std::string_view holder_in(std::string_view text) noexcept
{
    return text.size() > id_size && text.size() < long_id_size ? text.substr(0, id_size) : text;
}

std::string capacity_text(const core::object& what)
{
    return what.kind == core::object_kind::permits ? std::to_string(what.capacity) : std::string{};
}

std::string made_as(const core::object& gate)
{
    const bool once = gate.kind == core::object_kind::latch;
    return (once ? "latch " : "barrier ") + std::to_string(gate.expected);
}

core::failure wrong_number(const core::object& what, std::int64_t stored)
{
    const auto number = std::to_string(stored);
    if (core::is_gate(what.kind)) {
        return {.what = core::failure_kind::refused,
                .detail = "the server expects " + number + " arrivals, and not " +
                          std::to_string(what.expected)};
    }
    return {.what = core::failure_kind::refused,
            .detail = "the capacity at the server is " + number + ", and this caller gave " +
                      std::to_string(what.capacity) + ": all callers must give the same"};
}

core::failure other_kind(const core::object& what)
{
    std::string detail = "it is a shared_mutex";
    if (what.kind == core::object_kind::shared) detail = "it is a counting_semaphore";
    if (what.kind == core::object_kind::latch) detail = "it is a barrier";
    if (what.kind == core::object_kind::barrier) detail = "it is a latch";
    return {.what = core::failure_kind::not_a_lock, .detail = std::move(detail)};
}

}  // namespace pawl::store
