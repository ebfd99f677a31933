#include "sync/log_records.h"

#include "sync/message.h"

#include <chrono>
#include <utility>

namespace pawl::sync {
namespace {

struct outcome {
    log_level level;
    std::string_view name;
};

outcome outcome_of(hold_state now)
{
    switch (now) {
    case hold_state::lost: return {log_level::error, "hold.lost"};
    case hold_state::jeopardy: return {log_level::warning, "hold.jeopardy"};
    case hold_state::held: return {log_level::info, "hold.renewed"};
    case hold_state::released: break;
    }
    return {log_level::info, "hold.released"};
}

std::string text_of(const event& what, const std::string& server)
{
    std::string text = "lock " + in_quotes(what.lock) + ": " + std::string{to_string(what.from)} +
                       " → " + std::string{to_string(what.to)};
    if (what.why != cause::none) text += ": " + std::string{to_string(what.why)};
    if (!what.detail.empty()) text += " (" + what.detail + ')';
    return text + ", fence " + std::to_string(what.fence) + ", on " + server;
}

}  // namespace

log_record record_of(const event& what, const std::string& server)
{
    const auto found = outcome_of(what.to);
    const auto left = std::chrono::floor<std::chrono::milliseconds>(what.valid_for);
    log_record one{.level = found.level,
                   .name = found.name,
                   .text = text_of(what, server),
                   .fields = {{"lock", what.lock},
                              {"holder", what.holder},
                              {"fence", std::to_string(what.fence)},
                              {"server", server},
                              {"cause", std::string{to_string(what.why)}},
                              {"valid_for_ms", std::to_string(left.count())}}};
    if (!what.detail.empty()) one.fields.push_back({"detail", what.detail});
    return one;
}

log_record release_failed(std::string_view action, const core::lease& what,
                          const std::string& server, const trouble& why)
{
    log_record one{.level = log_level::warning,
                   .name = "release.failed",
                   .text = describe(action, what.what->name, server, why.code, why.detail),
                   .fields = {{"lock", what.what->name},
                              {"holder", what.holder},
                              {"server", server},
                              {"error", make_error_code(why.code).message()}}};
    if (!why.detail.empty()) one.fields.push_back({"detail", why.detail});
    return one;
}

log_record not_the_owner(const std::string& lock, const std::string& server)
{
    const auto error = make_error_code(errc::not_owner).message();
    return {.level = log_level::warning,
            .name = "unlock.not_owner",
            .text = "unlock " + in_quotes(lock) + " on " + server + ": " + error,
            .fields = {{"lock", lock}, {"server", server}, {"error", error}}};
}

}  // namespace pawl::sync
