// What the answer to a command tells about the rights of the user.
#pragma once

#include "store/question.h"

#include <cstdint>

namespace pawl::doctor {

enum class verdict : std::uint8_t {
    allowed,
    denied,          // the rule does not allow the command
    key_denied,      // it allows the command, but not this key
    channel_denied,  // it allows the command, but not this channel
    missing,         // the server does not have the command: it is renamed or disabled
    unknown,         // it was not tried, or there was no useful answer
};

// Of a command that was sent as it is.
[[nodiscard]] verdict verdict_of(const store::command_reply& reply);

// Of ACL DRYRUN, which answers "OK" or what the server would say.
[[nodiscard]] verdict verdict_of_dry_run(const store::command_reply& reply);

// Whether the command may be used: a key or channel of the doctor need not be allowed.
[[nodiscard]] constexpr bool may_use(verdict what) noexcept
{
    return what == verdict::allowed || what == verdict::key_denied ||
           what == verdict::channel_denied;
}

}  // namespace pawl::doctor
