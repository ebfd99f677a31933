// EVAL, EVALSHA, SCRIPT.
#include "store/memory/arguments.h"
#include "store/memory/numbers.h"
#include "store/memory/sha1.h"

namespace pawl::store::memory {
namespace {

// The word before the keys is their number.
std::optional<script_host::arguments> read_arguments(call& what)
{
    const auto count = whole_argument(what, what.words[2]);
    if (!count) return std::nullopt;
    const auto words = what.words.subspan(3);
    if (*count > static_cast<std::int64_t>(words.size())) {
        what.out.error("ERR Number of keys can't be greater than number of args");
        return std::nullopt;
    }
    if (*count < 0) {
        what.out.error("ERR Number of keys can't be negative");
        return std::nullopt;
    }
    const auto keys = static_cast<std::size_t>(*count);
    return script_host::arguments{words.first(keys), words.subspan(keys)};
}

void eval(call& what)
{
    auto& scripts = what.server.scripts;
    const auto text = what.words[1];
    const auto sha = sha1(text);
    const script* found = scripts.find(sha.view());
    if (what.server.memory_full &&
        (found ? found->header : read_header(text)).is_denied_when_full()) {
        return what.out.error(refusal::no_memory);
    }
    const auto arguments = read_arguments(what);
    if (!arguments) return;
    if (!found) found = scripts.add(text, sha.view(), what.out);
    if (found) scripts.run(*found, what.from, *arguments, what.out);
}

void evalsha(call& what)
{
    constexpr std::string_view unknown = "NOSCRIPT No matching script. Please use EVAL.";
    auto& scripts = what.server.scripts;
    if (what.words[1].size() != sha1_text{}.digits.size()) return what.out.error(unknown);
    const script* const found = scripts.find(what.words[1]);
    if (found && what.server.memory_full && found->header.is_denied_when_full()) {
        return what.out.error(refusal::no_memory);
    }
    const auto arguments = read_arguments(what);
    if (!arguments) return;
    if (!found) return what.out.error(unknown);
    scripts.run(*found, what.from, *arguments, what.out);
}

void script_load(call& what)
{
    const auto sha = sha1(what.words[2]);
    auto& scripts = what.server.scripts;
    if (scripts.find(sha.view()) || scripts.add(what.words[2], sha.view(), what.out)) {
        what.out.bulk(sha.view());
    }
}

void script_exists(call& what)
{
    what.out.array(what.words.size() - 2);
    for (const auto sha : what.words.subspan(2)) {
        what.out.integer(what.server.scripts.find(sha) ? 1 : 0);
    }
}

void script_flush(call& what)
{
    const auto options = what.words.subspan(2);
    if (options.size() > 1 ||
        (options.size() == 1 && !is_word(options[0], "ASYNC") && !is_word(options[0], "SYNC"))) {
        return what.out.error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
    }
    what.server.scripts.flush();
    what.out.status("OK");
}

constexpr command table[] = {
    {"eval", -3, command::no_script | command::runs_script, eval},
    {"evalsha", -3, command::no_script | command::runs_script, evalsha},
    {"script", -2, command::container, nullptr},
    {"script|exists", -3, command::no_script, script_exists},
    {"script|flush", -2, command::no_script, script_flush},
    {"script|load", 3, command::no_script, script_load},
};

}  // namespace

std::span<const command> script_commands() noexcept
{
    return table;
}

}  // namespace pawl::store::memory
