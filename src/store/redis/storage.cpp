#include "store/redis/storage.h"

#include "redis/resp.h"

#include <cstddef>

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
    case core::object_kind::exclusive:
    case core::object_kind::counted: break;
    }
    return what.layout == layout::plain ? storage::plain : storage::hash;
}

const script_set& scripts_of(storage how) noexcept
{
    static constexpr script_set plain{scripts::plain_acquire, scripts::plain_renew,
                                      scripts::plain_check, scripts::plain_release};
    static constexpr script_set hash{scripts::hash_acquire, scripts::hash_renew,
                                     scripts::hash_check, scripts::hash_release};
    static constexpr script_set members{scripts::members_acquire, scripts::members_renew,
                                        scripts::members_check, scripts::members_release};
    switch (how) {
    case storage::hash: return hash;
    case storage::members: return members;
    case storage::plain: break;
    }
    return plain;
}

void append_holder(std::string& out, const core::claim& who)
{
    if (storage_of(*who.what) != storage::members) {
        redis::append_word(out, who.holder);
        return;
    }
    const auto weight = std::to_string(weight_in(*who.what));
    redis::append_word_length(out, who.holder.size() + weight.size());
    out.append(who.holder).append(weight);
    redis::append_word_end(out);
}

std::string_view holder_in(std::string_view text) noexcept
{
    return text.size() > id_size && text.size() < long_id_size ? text.substr(0, id_size) : text;
}

void append_capacity(std::string& out, const core::object& what)
{
    const bool has_one = what.kind == core::object_kind::permits;
    redis::append_word(out, has_one ? std::to_string(what.capacity) : std::string{});
}

}  // namespace pawl::store
