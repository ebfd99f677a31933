// GET, GETRANGE, SET, INCR, INCRBY.
#include "store/memory/arguments.h"
#include "store/memory/lifetime.h"
#include "store/memory/numbers.h"

#include <algorithm>

namespace pawl::store::memory {
namespace {

void get(call& what)
{
    const auto found = look_up<std::string>(what, what.words[1]);
    if (found.refused) return;
    if (found.data) {
        what.out.bulk(*found.data);
    } else {
        what.out.null();
    }
}

void getrange(call& what)
{
    const auto first = whole_argument(what, what.words[2]);
    if (!first) return;
    const auto last = whole_argument(what, what.words[3]);
    if (!last) return;
    const auto found = look_up<std::string>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.bulk("");
    // As in Redis: two negative positions in the wrong order are an empty range, and an end before the first byte is the
    // first byte.
    const auto size = found.data->size();
    const auto from_end = [size](std::int64_t at) {
        return std::max<std::int64_t>(at < 0 ? at + static_cast<std::int64_t>(size) : at, 0);
    };
    if (*first < 0 && *last < 0 && *first > *last) return what.out.bulk("");
    const auto begin = static_cast<std::size_t>(from_end(*first));
    const auto end = std::min(static_cast<std::size_t>(from_end(*last)) + 1, size);
    what.out.bulk(begin < end ? std::string_view{*found.data}.substr(begin, end - begin) : "");
}

struct set_options {
    bool only_new = false;
    bool only_old = false;
    bool keeps_end = false;
    bool wants_old = false;
    std::optional<time_form> form;
    std::string_view time;
};

// False if the options are wrong.
bool read_options(std::span<const std::string_view> words, set_options& options)
{
    for (std::size_t at = 0; at < words.size(); ++at) {
        const auto word = words[at];
        if (is_word(word, "NX") && !options.only_old) {
            options.only_new = true;
        } else if (is_word(word, "XX") && !options.only_new) {
            options.only_old = true;
        } else if (is_word(word, "GET")) {
            options.wants_old = true;
        } else if (is_word(word, "KEEPTTL") && !options.form) {
            options.keeps_end = true;
        } else if (const auto form = time_form_of(word);
                   form && at + 1 < words.size() && !options.keeps_end &&
                   (!options.form || *options.form == *form)) {
            options.form = form;
            options.time = words[++at];
        } else {
            return false;
        }
    }
    return true;
}

// When the key will end, if ever. The outer optional is empty if the value was refused.
std::optional<std::optional<instant>> end_of(call& what, const set_options& options)
{
    using some_end = std::optional<instant>;
    if (!options.form) return some_end{};
    const auto number = whole_argument(what, options.time);
    if (!number) return std::nullopt;
    const auto end =
        *number > 0 ? end_at(*number, *options.form, what.server.data.now()) : std::nullopt;
    if (!end) {
        refuse_time(what, "set");
        return std::nullopt;
    }
    return some_end{end};
}

void set(call& what)
{
    set_options options;
    if (!read_options(what.words.subspan(3), options)) return what.out.error(refusal::syntax);
    const auto end = end_of(what, options);
    if (!end) return;

    entry* found = what.server.data.find(what.words[1]);
    const bool applies = found ? !options.only_new : !options.only_old;
    if (options.wants_old) {
        if (look_up<std::string>(what, what.words[1]).refused) return;
        get(what);
    } else if (applies) {
        what.out.status("OK");
    } else {
        what.out.null();
    }
    if (!applies) return;

    if (found) {
        if (auto* const old = std::get_if<std::string>(&found->data)) {
            *old = what.words[2];
        } else {
            found->data = std::string{what.words[2]};
        }
    } else {
        found = &what.server.data.add(what.words[1], std::string{what.words[2]});
    }
    if (!options.keeps_end) found->ends = *end;
}

void add_number(call& what, std::int64_t by)
{
    const auto found = look_up<std::string>(what, what.words[1]);
    if (found.refused) return;
    auto number = found.data ? to_whole(*found.data) : 0;
    if (!number) return what.out.error(refusal::not_whole);
    if (__builtin_add_overflow(*number, by, &*number)) return what.out.error(refusal::overflow);
    const number_text text{*number};
    if (found.data) {
        *found.data = text.view();
    } else {
        what.server.data.add(what.words[1], std::string{text.view()});
    }
    what.out.integer(*number);
}

void incr(call& what)
{
    add_number(what, 1);
}

void incrby(call& what)
{
    if (const auto by = whole_argument(what, what.words[2])) add_number(what, *by);
}

constexpr auto grows = command::writes | command::deny_oom;

constexpr command table[] = {
    {"get", 2, command::reads, get}, {"getrange", 4, command::reads, getrange},
    {"incr", 2, grows, incr},        {"incrby", 3, grows, incrby},
    {"set", -3, grows, set},
};

}  // namespace

std::span<const command> string_commands() noexcept
{
    return table;
}

}  // namespace pawl::store::memory
