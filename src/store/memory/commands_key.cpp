// Keys of any type: existence and lifetime.
#include "store/memory/arguments.h"
#include "store/memory/glob.h"
#include "store/memory/lifetime.h"
#include "store/memory/numbers.h"

namespace pawl::store::memory {
namespace {

void del(call& what)
{
    std::int64_t count = 0;
    for (const auto key : what.words.subspan(1)) count += what.server.data.erase(key) ? 1 : 0;
    what.out.integer(count);
}

void exists(call& what)
{
    std::int64_t count = 0;
    for (const auto key : what.words.subspan(1)) count += what.server.data.find(key) ? 1 : 0;
    what.out.integer(count);
}

void type(call& what)
{
    const entry* const found = what.server.data.find(what.words[1]);
    what.out.status(found ? type_name(found->data) : "none");
}

void keys(call& what)
{
    auto all = what.server.data.keys();
    std::erase_if(all, [&](const auto& key) { return !matches(what.words[1], key.name); });
    what.out.array(all.size());
    for (const auto& key : all) what.out.bulk(key.name);
}

struct scan_options {
    std::optional<std::string_view> pattern;
    std::optional<std::string_view> type;
};

// False if the options are wrong. The reply is an error then.
bool read_options(call& what, scan_options& options)
{
    const auto words = what.words.subspan(2);
    for (std::size_t at = 0; at < words.size(); at += 2) {
        if (at + 1 == words.size()) {
            what.out.error(refusal::syntax);
            return false;
        }
        if (is_word(words[at], "COUNT")) {
            const auto count = whole_argument(what, words[at + 1]);
            if (!count) return false;
            if (*count < 1) {
                what.out.error(refusal::syntax);
                return false;
            }
        } else if (is_word(words[at], "MATCH")) {
            options.pattern = words[at + 1];
        } else if (is_word(words[at], "TYPE")) {
            options.type = words[at + 1];
        } else {
            what.out.error(refusal::syntax);
            return false;
        }
    }
    return true;
}

// All keys come at once, whatever the COUNT, so there is one cursor only.
void scan(call& what)
{
    const auto cursor = to_whole(what.words[1]);
    if (!cursor || *cursor < 0) return what.out.error("ERR invalid cursor");
    scan_options options;
    if (!read_options(what, options)) return;
    what.server.data.expire_all();
    auto all = *cursor == 0 ? what.server.data.keys() : std::vector<keyspace::key_info>{};
    std::erase_if(all, [&](const auto& key) {
        return (options.pattern && !matches(*options.pattern, key.name)) ||
               (options.type && *options.type != key.type);
    });
    what.out.array(2);
    what.out.bulk("0");
    what.out.array(all.size());
    for (const auto& key : all) what.out.bulk(key.name);
}

std::int64_t in_form(std::int64_t milliseconds, time_form form) noexcept
{
    return form.seconds ? (milliseconds + 500) / 1000 : milliseconds;
}

template <time_form Form>
void time_left(call& what)
{
    const entry* const found = what.server.data.find(what.words[1]);
    if (!found) return what.out.integer(-2);
    if (!found->ends) return what.out.integer(-1);
    const auto start = Form.absolute ? instant{0} : what.server.data.now();
    what.out.integer(in_form((*found->ends - start).count(), Form));
}

void persist(call& what)
{
    entry* const found = what.server.data.find(what.words[1]);
    const bool ended = found != nullptr && found->ends;
    if (ended) found->ends.reset();
    what.out.integer(ended ? 1 : 0);
}

struct expire_options {
    bool if_none = false;
    bool if_some = false;
    bool if_later = false;
    bool if_earlier = false;
};

// False if the options are wrong. The reply is an error then.
bool read_options(call& what, expire_options& options)
{
    for (const auto word : what.words.subspan(3)) {
        if (is_word(word, "NX")) {
            options.if_none = true;
        } else if (is_word(word, "XX")) {
            options.if_some = true;
        } else if (is_word(word, "GT")) {
            options.if_later = true;
        } else if (is_word(word, "LT")) {
            options.if_earlier = true;
        } else {
            what.out.error("ERR Unsupported option " + std::string{word});
            return false;
        }
    }
    if (options.if_none && (options.if_some || options.if_later || options.if_earlier)) {
        what.out.error("ERR NX and XX, GT or LT options at the same time are not compatible");
        return false;
    }
    if (options.if_later && options.if_earlier) {
        what.out.error("ERR GT and LT options at the same time are not compatible");
        return false;
    }
    return true;
}

// A key without an end counts as ending after all others.
bool applies(const expire_options& options, std::optional<instant> old, instant end) noexcept
{
    if (options.if_none && old) return false;
    if (options.if_some && !old) return false;
    if (options.if_later && (!old || end <= *old)) return false;
    return !(options.if_earlier && old && end >= *old);
}

void expire_in_form(call& what, time_form form, std::string_view name)
{
    expire_options options;
    if (!read_options(what, options)) return;
    const auto number = whole_argument(what, what.words[2]);
    if (!number) return;
    const auto now = what.server.data.now();
    const auto end = end_at(*number, form, now);
    if (!end) return refuse_time(what, name);

    entry* const found = what.server.data.find(what.words[1]);
    if (!found || !applies(options, found->ends, *end)) return what.out.integer(0);
    if (*end <= now) {
        what.server.data.erase(what.words[1]);
    } else {
        found->ends = *end;
    }
    what.out.integer(1);
}

void expire(call& what)
{
    expire_in_form(what, {.seconds = true, .absolute = false}, "expire");
}

void pexpire(call& what)
{
    expire_in_form(what, {.seconds = false, .absolute = false}, "pexpire");
}

void pexpireat(call& what)
{
    expire_in_form(what, {.seconds = false, .absolute = true}, "pexpireat");
}

constexpr command table[] = {
    {"del", -2, command::writes, del},
    {"exists", -2, command::reads, exists},
    {"expire", -3, command::writes, expire},
    {"keys", 2, command::reads, keys},
    {"persist", 2, command::writes, persist},
    {"pexpire", -3, command::writes, pexpire},
    {"pexpireat", -3, command::writes, pexpireat},
    {"pexpiretime", 2, command::reads, time_left<time_form{.seconds = false, .absolute = true}>},
    {"pttl", 2, command::reads, time_left<time_form{.seconds = false, .absolute = false}>},
    {"scan", -2, command::reads, scan},
    {"ttl", 2, command::reads, time_left<time_form{.seconds = true, .absolute = false}>},
    {"type", 2, command::reads, type},
    {"unlink", -2, command::writes, del},
};

}  // namespace

std::span<const command> key_commands() noexcept
{
    return table;
}

}  // namespace pawl::store::memory
