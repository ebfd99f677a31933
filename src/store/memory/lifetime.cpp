#include "store/memory/lifetime.h"

#include "store/memory/arguments.h"

#include <string>

namespace pawl::store::memory {

std::optional<time_form> time_form_of(std::string_view word) noexcept
{
    if (is_word(word, "PX")) return time_form{.seconds = false, .absolute = false};
    if (is_word(word, "EX")) return time_form{.seconds = true, .absolute = false};
    if (is_word(word, "PXAT")) return time_form{.seconds = false, .absolute = true};
    if (is_word(word, "EXAT")) return time_form{.seconds = true, .absolute = true};
    return std::nullopt;
}

std::optional<instant> end_at(std::int64_t number, time_form form, instant now) noexcept
{
    if (form.seconds && __builtin_mul_overflow(number, 1000, &number)) return std::nullopt;
    if (!form.absolute && __builtin_add_overflow(number, now.count(), &number)) return std::nullopt;
    return instant{number};
}

void refuse_time(call& what, std::string_view command_name)
{
    what.out.error("ERR invalid expire time in '" + std::string{command_name} + "' command");
}

}  // namespace pawl::store::memory
