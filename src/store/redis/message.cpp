#include "store/redis/message.h"

#include "common/printable.h"
#include "store/redis/reading.h"
#include "store/redis/storage.h"

namespace pawl::store {
namespace {

// To as much as an operator may say. No character of UTF-8 is cut in two.
std::string_view shortened(std::string_view text)
{
    constexpr std::size_t longest_reason = 1'000;
    constexpr std::size_t most_following = 3;
    if (text.size() <= longest_reason) return text;
    auto end = longest_reason;
    const auto follows = [text](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    };
    while (end > longest_reason - most_following && follows(end)) --end;
    return text.substr(0, end);
}

}  // namespace

std::optional<message> read_message(std::string_view text)
{
    const auto kind = take_word(text);
    message got;
    if (kind == "grant") {
        got.what = message::kind::grant;
        got.holder = holder_in(take_word(text));
        const auto fence = fence_in(take_number(text).value_or(0));
        const auto time = server_time_in(take_number(text).value_or(0));
        if (got.holder.empty() || !fence || !time) return std::nullopt;
        got.fence = *fence;
        got.time = *time;
    } else if (kind == "broken") {
        got.what = message::kind::broken;
        got.holder = holder_in(take_word(text));
        const auto end = text.find('\0');
        if (got.holder.empty() || end == std::string_view::npos) return std::nullopt;
        got.reason = common::printable(shortened(text.substr(end + 1)));
        text = text.substr(0, end);
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

std::string channel_of(std::string_view client, std::string_view tag)
{
    return std::string{"pawl:client:"}.append(tag).append(":").append(client);
}

}  // namespace pawl::store
