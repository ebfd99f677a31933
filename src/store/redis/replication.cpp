#include "store/redis/replication.h"

#include "redis/resp.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace pawl::store {
namespace {

// The value of a line `name:value`.
std::optional<std::string_view> line(std::string_view text, std::string_view name)
{
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const bool begins = at == 0 || text[at - 1] == '\n';
        const auto value = text.substr(at + name.size());
        if (begins && value.starts_with(':')) {
            return value.substr(1, std::min(value.find_first_of("\r\n"), value.size()) - 1);
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<replication> read_replication(std::string_view text)
{
    const auto role = line(text, "role");
    const auto replicas = line(text, "connected_slaves");
    const auto history = line(text, "master_replid");
    if (!role || !replicas || !history || history->empty()) return std::nullopt;
    replication got{.primary = *role == "master", .history = std::string{*history}};
    const auto* const end = replicas->data() + replicas->size();
    const auto [at, problem] = std::from_chars(replicas->data(), end, got.replicas);
    if (problem != std::errc{} || at != end) return std::nullopt;
    return got;
}

void append_replication_question(std::string& out)
{
    redis::append_request(out, std::array<std::string_view, 2>{"INFO", "replication"});
}

bool server_history::is_due(base::boot_time now) const
{
    const common::scoped_lock guard{mutex_};
    return !asked_ || now - *asked_ >= good_for;
}

void server_history::note(const replication& what)
{
    most_replicas_ = std::max(most_replicas_, what.replicas);
}

void server_history::heard(const replication& what, std::chrono::microseconds then,
                           base::boot_time asked)
{
    const common::scoped_lock guard{mutex_};
    note(what);
    if (!what.primary) return;
    asked_ = std::max(asked_.value_or(asked), asked);
    if (what.history == id_) return;
    id_ = what.history;
    own_since_ = static_cast<std::uint64_t>(then.count());
}

bool server_history::confirms(const std::optional<replication>& what, base::boot_time asked)
{
    const common::scoped_lock guard{mutex_};
    if (what) note(*what);
    if (what && what->primary && what->history == id_ && most_replicas_ == 0) {
        asked_ = std::max(asked_.value_or(asked), asked);
        return true;
    }
    id_.clear();
    asked_.reset();
    return false;
}

std::optional<std::uint64_t> server_history::own_since() const
{
    const common::scoped_lock guard{mutex_};
    if (id_.empty() || most_replicas_ > 0) return std::nullopt;
    return own_since_;
}

unsigned server_history::most_replicas() const
{
    const common::scoped_lock guard{mutex_};
    return most_replicas_;
}

}  // namespace pawl::store
