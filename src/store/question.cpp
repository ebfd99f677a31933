#include "store/question.h"

#include "store/redis/reading.h"
#include "store/redis/script_call.h"

namespace pawl::store {
namespace {

void append_texts(const redis::reply_view& reply, std::vector<std::string>& out)
{
    switch (reply.type()) {
    case redis::resp_type::integer:
    case redis::resp_type::boolean: out.push_back(std::to_string(reply.integer())); return;
    case redis::resp_type::array:
    case redis::resp_type::map:
    case redis::resp_type::set:
        reply.for_each([&](const auto& each) { append_texts(each, out); });
        return;
    default: out.emplace_back(reply.text());
    }
}

}  // namespace

std::optional<core::failure> server_answer::problem_in_first(std::size_t count) const
{
    if (problem) return problem;
    for (std::size_t i = 0; i < count && i < replies.size(); ++i) {
        if (replies[i].problem) return replies[i].problem;
    }
    return std::nullopt;
}

command_reply read_command_reply(const redis::reply_view& reply)
{
    command_reply got;
    if (reply.is_error()) {
        got.problem = failure_of_error(reply.text());
    } else if (!reply.is_null()) {
        append_texts(reply, got.texts);
    }
    return got;
}

unsigned append(std::string& out, const server_question& what, const redis::server_facts& server)
{
    for (const auto& each : what.commands) {
        const std::vector<std::string_view> words{each.begin(), each.end()};
        redis::append_request(out, words);
    }
    const auto count = static_cast<unsigned>(what.commands.size());
    if (!what.script) return count;
    const auto& call = *what.script;
    open_call(out, *call.which, {script_form::in_full, server}, call.keys.size(),
              call.arguments.size());
    for (const auto& each : call.keys) redis::append_word(out, each);
    for (const auto& each : call.arguments) redis::append_word(out, each);
    return count + 1;
}

server_answer no_such_server(std::string_view name)
{
    return {.problem =
                core::failure{.what = core::failure_kind::elsewhere,
                              .detail = std::string{name} + " is not one of the servers any more"}};
}

}  // namespace pawl::store
