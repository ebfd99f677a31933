#include "store/redis/script_call.h"

#include "redis/resp.h"
#include "store/redis/keys.h"

namespace pawl::store {
namespace {

void append_key(std::string& out, std::string_view prefix, const key_tail& tail)
{
    redis::append_word_length(out, prefix.size() + tail.size());
    out += prefix;
    tail.append_to(out);
    redis::append_word_end(out);
}

void append_keys(std::string& out, std::string_view lock, const key_tail& tail)
{
    redis::append_word(out, lock);
    append_key(out, fence_prefix, tail);
    append_key(out, queue_prefix, tail);
}

}  // namespace

void open_call(std::string& out, const redis::script& which, const script_style& how,
               std::size_t keys, std::size_t arguments)
{
    constexpr std::size_t command_script_and_count = 3;
    redis::append_word_count(out, command_script_and_count + keys + arguments);
    const bool flags = how.server.knows_script_flags();
    if (how.form == script_form::by_sha) {
        redis::append_word(out, "EVALSHA");
        redis::append_word(out, flags ? which.sha : which.sha_without_flags);
    } else {
        redis::append_word(out, "EVAL");
        redis::append_word(out, flags ? which.text : which.text_without_flags());
    }
    append_number(out, keys);
}

void open_call(std::string& out, const redis::script& which, const script_style& how,
               std::string_view lock, std::size_t arguments)
{
    open_call(out, which, how, keys_of_a_lock, arguments);
    append_keys(out, lock, key_tail{lock});
}

void open_marked_call(std::string& out, const redis::script& which, const script_style& how,
                      std::string_view lock, std::size_t arguments)
{
    open_call(out, which, how, keys_of_a_lock + 1, arguments);
    const key_tail tail{lock};
    append_keys(out, lock, tail);
    append_key(out, mark_prefix, tail);
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
