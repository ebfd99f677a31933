#include "store/memory/execution.h"

#include "store/memory/arguments.h"

#include <algorithm>
#include <string>

namespace pawl::store::memory {
namespace {

// Redis shows at most this much of a word.
constexpr std::size_t shown_bytes = 128;

// The text up to the first NUL, as C shows it.
std::string_view shown(std::string_view word, std::size_t most = shown_bytes)
{
    return word.substr(0, std::min(word.find('\0'), most));
}

std::string upper(std::string_view word)
{
    std::string text{word};
    for (char& c : text) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

void refuse_unknown(call& what)
{
    if (is_container(what.words[0])) {
        what.out.error("ERR unknown subcommand '" + std::string{shown(what.words[1])} + "'. Try " +
                       upper(what.words[0]) + " HELP.");
        return;
    }
    std::string arguments;
    for (const auto word : what.words.subspan(1)) {
        if (arguments.size() >= shown_bytes) break;
        arguments.append("'").append(shown(word, shown_bytes - arguments.size())).append("' ");
    }
    what.out.error("ERR unknown command '" + std::string{shown(what.words[0])} +
                   "', with args beginning with: " + arguments);
}

}  // namespace

void execute(call& what)
{
    const command* const found = find_command(what.words);
    if (!found) return refuse_unknown(what);
    if (!found->takes(what.words.size())) return wrong_number_of_words(what, found->name);
    const bool may_write = found->is(command::writes) || found->is(command::runs_script);
    if (!what.server.replication.primary && may_write) return what.out.error(refusal::read_only);
    if (what.server.memory_full && found->is(command::deny_oom)) {
        return what.out.error(refusal::no_memory);
    }
    found->run(what);
}

void execute_in_script(call& what, script_limits& limits)
{
    const command* const found = find_command(what.words);
    if (!found) return what.out.error("ERR Unknown Redis command called from script");
    if (!found->takes(what.words.size())) {
        return what.out.error("ERR Wrong number of args calling Redis command from script");
    }
    if (found->is(command::no_script)) {
        return what.out.error("ERR This Redis command is not allowed from script");
    }
    if (limits.read_only && (found->is(command::writes) || found->is(command::tells_others))) {
        return what.out.error("ERR Write commands are not allowed from read-only scripts.");
    }
    if (what.server.memory_full && found->is(command::deny_oom) && !limits.may_exceed_memory &&
        !limits.has_written) {
        return what.out.error(refusal::no_memory);
    }
    limits.has_written |= found->is(command::writes);
    found->run(what);
}

}  // namespace pawl::store::memory
