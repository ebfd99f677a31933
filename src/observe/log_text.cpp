// A record of the log as text.
#include "base/json_text.h"

#include <pawl/log.h>

#include <algorithm>

namespace pawl {

std::string_view to_string(log_level level) noexcept
{
    switch (level) {
    case log_level::debug: return "debug";
    case log_level::info: return "info";
    case log_level::warning: return "warning";
    case log_level::error: return "error";
    }
    return "unknown";
}

std::string_view log_record::operator[](std::string_view key) const noexcept
{
    const auto found = std::ranges::find(fields, key, &log_field::key);
    return found == fields.end() ? std::string_view{} : found->value;
}

std::string to_json(const log_record& one)
{
    std::string line{"{\"level\":"};
    const auto add = [&line](std::string_view key, std::string_view value) {
        line.append(",\"").append(key).append("\":").append(base::json_text(value));
    };
    line.append(base::json_text(to_string(one.level)));
    add("event", one.name);
    add("text", one.text);
    for (const auto& each : one.fields) add(each.key, each.value);
    if (one.left_out > 0) line.append(",\"left_out\":").append(std::to_string(one.left_out));
    return line.append("}");
}

}  // namespace pawl
