#include "complaints.h"

namespace pawl::cli {

bool complaints::is_due(const std::string& text, boot_time now)
{
    std::erase_if(shown_, [&](const auto& each) { return now - each.second >= interval; });
    return shown_.try_emplace(text, now).second;
}

}  // namespace pawl::cli
