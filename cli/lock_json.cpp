#include "lock_text.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace pawl::cli {
namespace {

using json = nlohmann::ordered_json;

template <class Span>
[[nodiscard]] json in_ms(const std::optional<Span>& span)
{
    return span ? json(span->count()) : json(nullptr);
}

[[nodiscard]] json text_or_null(const std::string& text)
{
    return text.empty() ? json(nullptr) : json(text);
}

[[nodiscard]] json process_of(const std::optional<process_info>& process)
{
    if (!process) return nullptr;
    return {{"label", process->label},
            {"host", process->host},
            {"pid", process->pid},
            {"address", process->address}};
}

[[nodiscard]] json holder_of(const holder_info& who)
{
    return {{"id", who.id},
            {"reader", who.reader},
            {"weight", who.weight},
            {"channel", text_or_null(who.channel)},
            {"process", process_of(who.process)},
            {"held_at_most_ms", in_ms(who.held_for)},
            {"lease_left_ms", in_ms(who.lease_left)}};
}

[[nodiscard]] json waiter_of(const waiter_info& who)
{
    return {{"id", who.id},
            {"reader", who.reader},
            {"weight", who.weight},
            {"channel", text_or_null(who.channel)},
            {"process", process_of(who.process)},
            {"waited_ms", in_ms(who.waited)},
            {"present", who.present},
            {"candidate", text_or_null(who.candidate)}};
}

[[nodiscard]] json node_of(const node_info& node)
{
    json one{{"server", node.server},
             {"state", to_string(node.state)},
             {"detail", text_or_null(node.detail)}};
    if (!node.lock) return one;
    one["holder"] = text_or_null(node.lock->holder);
    one["fence"] = node.lock->fence;
    one["lease_left_ms"] = in_ms(node.lock->lease_left);
    one["waiters"] = node.lock->waiters;
    one["problem"] = text_or_null(node.lock->problem);
    return one;
}

template <class All, class Turn>
[[nodiscard]] json list_of(const All& all, Turn turn)
{
    json list = json::array();
    for (const auto& each : all) list.push_back(turn(each));
    return list;
}

}  // namespace

std::string json_of(const lock_info& lock)
{
    json one{{"lock", lock.name},
             {"kind", to_string(lock.kind)},
             {"detail", text_or_null(lock.detail)},
             {"server", text_or_null(lock.server)},
             {"holders", list_of(lock.holders, holder_of)},
             {"holder_count", lock.holder_count},
             {"queue", list_of(lock.queue, waiter_of)},
             {"waiters", lock.waiters},
             {"fence", lock.fence},
             {"lease_left_ms", in_ms(lock.lease_left)},
             {"capacity", lock.counts ? json(lock.counts->capacity) : json(nullptr)},
             {"used", lock.counts ? json(lock.counts->used) : json(nullptr)},
             {"payload", text_or_null(lock.payload)},
             {"mark", text_or_null(lock.mark)},
             {"nodes", list_of(lock.nodes, node_of)},
             {"notes", list_of(lock.notes, [](const auto& each) { return json(each); })}};
    // Names and tokens may contain any bytes. JSON may not.
    return one.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace pawl::cli
