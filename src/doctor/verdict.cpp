#include "doctor/verdict.h"

#include <string_view>

namespace pawl::doctor {
namespace {

// Servers before 7.0, from 7.0 on, and ACL DRYRUN each have their own sentence, and all of these name what is refused.
// They end in "access a key", "one of the channels used as arguments" or "access the 'NAME' channel". The names in them
// may contain any words, so only what follows the last name counts, or all if there is none.
verdict verdict_of_refusal(std::string_view text)
{
    const auto quote = text.rfind('\'');
    if (quote != text.npos) text.remove_prefix(quote + 1);
    const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
    if (has("channel")) return verdict::channel_denied;
    if (has("key")) return verdict::key_denied;
    return verdict::denied;
}

}  // namespace

verdict verdict_of(const store::command_reply& reply)
{
    if (!reply.problem) return verdict::allowed;
    const std::string_view text = reply.problem->detail;
    if (text.find("NOPERM") != text.npos) return verdict_of_refusal(text);
    if (text.find("unknown command") != text.npos || text.find("unknown subcommand") != text.npos) {
        return verdict::missing;
    }
    // The server has looked at the arguments, so the command was allowed.
    return verdict::allowed;
}

verdict verdict_of_dry_run(const store::command_reply& reply)
{
    if (reply.problem) {
        const std::string_view text = reply.problem->detail;
        return text.find("not found") != text.npos ? verdict::missing : verdict::unknown;
    }
    if (reply.texts.empty()) return verdict::unknown;
    const std::string_view text = reply.texts.front();
    if (text == "OK") return verdict::allowed;
    if (text.find("permission") == text.npos) return verdict::unknown;
    return verdict_of_refusal(text);
}

}  // namespace pawl::doctor
