#include "core/local_line.h"

#include <utility>

namespace pawl::core {

local_line::ticket local_line::join()
{
    line_.insert(line_.end(), ++last_ticket_);
    return last_ticket_;
}

void local_line::remove(ticket who)
{
    if (line_.empty()) return;
    if (is_first(who)) woken_ = false;
    line_.erase(who);
}

std::set<local_line::ticket> local_line::remove_all()
{
    woken_ = false;
    return std::exchange(line_, {});
}

std::optional<local_line::ticket> local_line::wake_first()
{
    if (line_.empty() || std::exchange(woken_, true)) return std::nullopt;
    return *line_.begin();
}

void local_line::begin_to_ask() noexcept
{
    asking_ = true;
    if (line_.empty()) silent_for_ = {};
}

void local_line::asked() noexcept
{
    asking_ = false;
    silent_for_ = {};
}

void local_line::give_up() noexcept
{
    line_.clear();
    woken_ = false;
    last_in_vain_ = last_ticket_;
}

}  // namespace pawl::core
