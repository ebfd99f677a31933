#include "store/redis/announcement.h"

#include "base/json_text.h"
#include "redis/resp.h"

namespace pawl::store {
namespace {

void append_json(std::string& out, std::string_view text)
{
    if (base::is_plain_json(text)) {
        out.append("\"").append(text).append("\"");
    } else {
        out.append(base::json_text(text));
    }
}

}  // namespace

std::string announcement(std::string_view lock, std::string_view holder,
                         std::chrono::system_clock::time_point now)
{
    const auto since_epoch =
        std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch()).count();
    std::string text;
    text.reserve(64 + lock.size() + holder.size());
    text.append("{\"lockKey\":");
    append_json(text, lock);
    text.append(",\"releaseTime\":").append(std::to_string(since_epoch)).append(",\"holder\":");
    append_json(text, holder);
    return text.append("}");
}

void append_announcement(std::string& out, const core::claim& mine, bool announce,
                         std::chrono::system_clock::time_point now)
{
    redis::append_word(out, announce ? announcement(mine.what->name, mine.holder, now) : "");
}

}  // namespace pawl::store
