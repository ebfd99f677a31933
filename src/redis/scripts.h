// The Lua scripts of src/scripts/, embedded at build time.
#pragma once

#include <cstdint>
#include <string_view>

namespace pawl::redis {

struct script {
    std::string_view text;  // its first line is #!lua and the flags
    std::string_view sha;
    std::string_view sha_without_flags;  // for servers that do not know that line
    // For sharded channels. Empty if the script sends no messages.
    std::string_view sharded_text;
    std::string_view sharded_sha;

    [[nodiscard]] std::string_view text_without_flags() const noexcept
    {
        return text.substr(text.find('\n') + 1);
    }
};

namespace scripts {

extern const script plain_acquire;
extern const script plain_keep;
extern const script plain_renew;
extern const script plain_check;
extern const script plain_release;
extern const script plain_break;
extern const script hash_acquire;
extern const script hash_keep;
extern const script hash_set_count;
extern const script hash_renew;
extern const script hash_check;
extern const script hash_release;
extern const script hash_break;
extern const script members_acquire;
extern const script members_renew;
extern const script members_check;
extern const script members_release;
extern const script members_break;
extern const script members_exchange;
extern const script members_resize;
extern const script gate_arrive;
extern const script gate_wait;
extern const script gate_leave;
extern const script plain_cond_wait;
extern const script plain_cond_notify;
extern const script plain_cond_leave;
extern const script hash_cond_wait;
extern const script hash_cond_notify;
extern const script hash_cond_leave;
extern const script cond_look;
extern const script plain_many_acquire;
extern const script plain_many_renew;
extern const script plain_many_check;
extern const script plain_many_release;
extern const script hash_many_acquire;
extern const script hash_many_renew;
extern const script hash_many_check;
extern const script hash_many_release;
extern const script term_acquire;
extern const script term_renew;
extern const script term_check;
extern const script term_release;
extern const script term_break;
extern const script term_yield;
extern const script term_read;
extern const script term_watch;
extern const script once_acquire;
extern const script once_release;
extern const script once_due;
extern const script vote;
extern const script raise;
extern const script hand_back;
extern const script return_vote;
extern const script restore;

// How long the server keeps a fence after a script last wrote it. It is defined in parts/fence.lua.
extern const std::int64_t fence_lifetime_ms;

}  // namespace scripts
}  // namespace pawl::redis
