#include "store/redis/script_call.h"

#include "base/mutant.h"
#include "redis/resp.h"
#include "store/redis/keys.h"
#include "store/redis/reading.h"

namespace pawl::store {
namespace {

void append_key(std::string& out, std::string_view prefix, const key_tail& tail)
{
    redis::append_word_length(out, prefix.size() + tail.size());
    out += prefix;
    tail.append_to(out);
    redis::append_word_end(out);
}

// The form of the script that this server understands.
struct script_words {
    std::string_view text;
    std::string_view sha;
};
script_words words_for(const redis::script& which, const redis::server_facts& server)
{
    if (!server.knows_script_flags()) return {which.text_without_flags(), which.sha_without_flags};
    if (server.shards_channels() && !which.sharded_text.empty()) {
        return {which.sharded_text, which.sharded_sha};
    }
    return {which.text, which.sha};
}

// The keys that every lock has.
void append_keys(std::string& out, std::string_view lock)
{
    const key_tail tail{lock};
    redis::append_word(out, lock);
    append_key(out, fence_prefix, tail);
    append_key(out, queue_prefix, tail);
}

}  // namespace

script_form first_form()
{
    const bool in_full = base::is(base::mutant::d34_script_in_full) || base::changes_scripts();
    return in_full ? script_form::in_full : script_form::by_sha;
}

bool must_be_sent_in_full(script_form form, const redis::reply_view& reply)
{
    return form == script_form::by_sha && is_unknown_script(reply) &&
           !base::is(base::mutant::d34_no_script);
}

void open_call(std::string& out, const redis::script& which, const script_style& how,
               std::size_t keys, std::size_t arguments)
{
    constexpr std::size_t command_script_and_count = 3;
    redis::append_word_count(out, command_script_and_count + keys + arguments);
    const auto words = words_for(which, how.server);
    const bool by_sha = how.form == script_form::by_sha;
    redis::append_word(out, by_sha ? "EVALSHA" : "EVAL");
    redis::append_word(out, by_sha ? words.sha : base::changed(words.text));
    append_number(out, keys);
}

void open_call(std::string& out, const redis::script& which, const script_style& how,
               const core::object& what, std::size_t arguments)
{
    const auto locks = core::names_of(what);
    const auto keys = keys_of_a_lock * locks.size();
    switch (what.kind) {
    case core::object_kind::leader:
        open_call(out, which, how, keys + 1, arguments);
        append_keys(out, what.name);
        append_key(out, watch_prefix, key_tail{what.name});
        return;
    case core::object_kind::watch:
        open_call(out, which, how, keys, arguments);
        redis::append_word(out, what.name);
        append_fence_key(out, what.name);
        append_key(out, watch_prefix, key_tail{what.name});
        return;
    case core::object_kind::once:
        open_call(out, which, how, keys + 1, arguments);
        append_keys(out, what.name);
        append_mark_key(out, what.name);
        return;
    case core::object_kind::exclusive:
    case core::object_kind::counted:
    case core::object_kind::shared:
    case core::object_kind::permits:
    case core::object_kind::latch:
    case core::object_kind::barrier:
    case core::object_kind::many:
        open_call(out, which, how, keys, arguments);
        for (const auto& lock : locks) append_keys(out, lock);
        return;
    }
}

void open_condition_call(std::string& out, const redis::script& which, const script_style& how,
                         const core::object& what, std::size_t arguments)
{
    open_call(out, which, how, keys_of_a_lock + 1, arguments);
    append_keys(out, what.name);
    redis::append_word(out, condition_key(what.name, *what.condition));
}

void append_fence_key(std::string& out, std::string_view lock)
{
    append_key(out, fence_prefix, key_tail{lock});
}

void append_mark_key(std::string& out, std::string_view lock)
{
    append_key(out, mark_prefix, key_tail{lock});
}

void append_milliseconds(std::string& out, std::chrono::milliseconds value)
{
    redis::append_word(out, value.count());
}

void append_number(std::string& out, std::uint64_t value)
{
    redis::append_word(out, static_cast<std::int64_t>(value));
}

}  // namespace pawl::store
