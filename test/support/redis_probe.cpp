#include "support/redis_probe.h"

#include <algorithm>
#include <cctype>
#include <hiredis/hiredis.h>
#include <sstream>
#include <stdexcept>

namespace pawl::test {

namespace {

constexpr timeval reply_limit{.tv_sec = 10, .tv_usec = 0};

redis_value value_of(const redisReply& reply)
{
    using kind = redis_value::kind;
    redis_value value;
    switch (reply.type) {
    case REDIS_REPLY_NIL: break;
    case REDIS_REPLY_INTEGER:
        value.type = kind::integer;
        value.integer = reply.integer;
        break;
    case REDIS_REPLY_ARRAY:
        value.type = kind::array;
        for (std::size_t i = 0; i < reply.elements; ++i) {
            value.items.push_back(value_of(*reply.element[i]));
        }
        break;
    default:
        value.type = reply.type == REDIS_REPLY_ERROR ? kind::error : kind::string;
        value.text.assign(reply.str, static_cast<std::size_t>(reply.len));
    }
    return value;
}

}  // namespace

std::vector<std::string> redis_value::texts() const
{
    std::vector<std::string> all;
    for (const redis_value& item : items) all.push_back(item.text);
    return all;
}

void redis_probe::closer::operator()(redisContext* context) const noexcept
{
    ::redisFree(context);
}

redis_probe::redis_probe(redisContext* context) : context_{context}
{
    if (context == nullptr) throw std::runtime_error{"redis_probe: no memory"};
    if (context->err != 0) throw std::runtime_error{std::string{"redis_probe: "} + context->errstr};
    ::redisSetTimeout(context, reply_limit);
}

redis_probe redis_probe::unix_socket(const std::string& path)
{
    return redis_probe{::redisConnectUnixWithTimeout(path.c_str(), reply_limit)};
}

redis_probe redis_probe::tcp(std::uint16_t port)
{
    return redis_probe{::redisConnectWithTimeout("127.0.0.1", port, reply_limit)};
}

redis_probe::~redis_probe() = default;
redis_probe::redis_probe(redis_probe&&) noexcept = default;
redis_probe& redis_probe::operator=(redis_probe&&) noexcept = default;

redis_value redis_probe::command(const std::vector<std::string>& words)
{
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
        texts.push_back(word.data());
        sizes.push_back(word.size());
    }
    struct freer {
        void operator()(void* reply) const noexcept { ::freeReplyObject(reply); }
    };
    const std::unique_ptr<void, freer> reply{::redisCommandArgv(
        context_.get(), static_cast<int>(words.size()), texts.data(), sizes.data())};
    if (!reply) throw std::runtime_error{std::string{"redis_probe: "} + context_->errstr};
    return value_of(*static_cast<const redisReply*>(reply.get()));
}

redis_value redis_probe::command(std::initializer_list<std::string_view> words)
{
    return command(std::vector<std::string>(words.begin(), words.end()));
}

redis_value redis_probe::must(std::initializer_list<std::string_view> words)
{
    redis_value value = command(words);
    if (value.is_error()) throw std::runtime_error{"redis_probe: " + value.text};
    return value;
}

bool redis_probe::exists(std::string_view key)
{
    return must({"EXISTS", key}).integer == 1;
}

std::string redis_probe::get(std::string_view key)
{
    return must({"GET", key}).text;
}

std::chrono::milliseconds redis_probe::ttl(std::string_view key)
{
    return std::chrono::milliseconds{must({"PTTL", key}).integer};
}

std::vector<std::string> redis_probe::keys(std::string_view pattern)
{
    std::vector<std::string> all = must({"KEYS", pattern}).texts();
    std::sort(all.begin(), all.end());
    return all;
}

std::int64_t redis_probe::calls(std::string_view command)
{
    std::string label = "cmdstat_";
    for (const char c : command) {
        label += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    label += ":calls=";
    const std::string info = must({"INFO", "commandstats"}).text;
    const std::size_t at = info.find(label);
    return at == info.npos ? 0 : std::stoll(info.substr(at + label.size()));
}

std::map<std::string, std::int64_t> redis_probe::all_calls()
{
    constexpr std::string_view label = "cmdstat_";
    constexpr std::string_view count = ":calls=";
    std::istringstream lines{must({"INFO", "commandstats"}).text};
    std::map<std::string, std::int64_t> all;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(count);
        if (!line.starts_with(label) || colon == line.npos) continue;
        all[line.substr(label.size(), colon - label.size())] =
            std::stoll(line.substr(colon + count.size()));
    }
    all.erase("info");
    return all;
}

void redis_probe::reset_stats()
{
    must({"CONFIG", "RESETSTAT"});
}

std::vector<std::string> redis_probe::client_list()
{
    const std::string self = "id=" + std::to_string(must({"CLIENT", "ID"}).integer) + " ";
    std::istringstream lines{must({"CLIENT", "LIST"}).text};
    std::vector<std::string> others;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && !line.starts_with(self)) others.push_back(line);
    }
    return others;
}

std::vector<std::string> redis_probe::subscribed_connections()
{
    std::vector<std::string> ids;
    for (const std::string& line : client_list()) {
        if (line.find(" sub=0 ") != line.npos) continue;
        ids.push_back(line.substr(3, line.find(' ') - 3));  // id=7 addr=…
    }
    return ids;
}

}  // namespace pawl::test
