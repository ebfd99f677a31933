#include "store/redis/message.h"

#include "store/redis/reading.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace pawl::store {

std::optional<message> read_message(std::string_view text)
{
    const auto next_word = [&text] {
        const auto end = std::min(text.find(' '), text.size());
        const auto word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        return word;
    };
    const auto next_number = [&next_word]() -> std::int64_t {
        const auto word = next_word();
        std::int64_t number = 0;
        const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
        return problem == std::errc{} && end == word.data() + word.size() ? number : 0;
    };
    const auto kind = next_word();
    message got;
    if (kind == "grant") {
        got.what = message::kind::grant;
        got.holder = next_word();
        const auto fence = fence_in(next_number());
        const auto time = server_time_in(next_number());
        if (got.holder.empty() || !fence || !time) return std::nullopt;
        got.fence = *fence;
        got.time = *time;
    } else if (kind == "wanted") {
        got.what = message::kind::wanted;
    } else {
        return std::nullopt;
    }
    got.lock = text;
    if (got.lock.empty()) return std::nullopt;
    return got;
}

std::string channel_of(std::string_view client)
{
    return "pawl:client:" + std::string{client};
}

}  // namespace pawl::store
