#include "store/quorum/log_records.h"

#include <string_view>
#include <utility>

namespace pawl::store {
namespace {

std::string_view name_of(core::quorum::node_warning::about what)
{
    using about = core::quorum::node_warning::about;
    switch (what) {
    case about::clock_step: return "quorum.clock_step";
    case about::same_server: return "quorum.same_server";
    }
    return "quorum.node";
}

}  // namespace

log_record record_of(core::quorum::node_warning what)
{
    return {.level = log_level::warning,
            .name = name_of(what.what),
            .text = std::move(what.text),
            .fields = {{"node", std::move(what.node)}}};
}

log_record shortage(const std::string& why, const std::string& quorum)
{
    return {.level = log_level::warning,
            .name = "quorum.shortage",
            .text = "waiting until more nodes can vote: " + why,
            .fields = {{"server", quorum}, {"detail", why}}};
}

}  // namespace pawl::store
