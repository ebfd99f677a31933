#include "store/redis/processes.h"

#include "redis/connection_name.h"

#include <algorithm>
#include <utility>

namespace pawl::store {
namespace {

// The value of a field, in a line such as `id=3 addr=127.0.0.1:4711 name=… age=12`. No value has a blank.
std::string_view field(std::string_view line, std::string_view name)
{
    while (!line.empty()) {
        const auto end = std::min(line.find(' '), line.size());
        const auto word = line.substr(0, end);
        if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) {
            return word.substr(name.size() + 1);
        }
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return {};
}

}  // namespace

void add_processes(std::string_view client_list, process_map& to)
{
    while (!client_list.empty()) {
        const auto end = std::min(client_list.find('\n'), client_list.size());
        const auto line = client_list.substr(0, end);
        client_list.remove_prefix(std::min(end + 1, client_list.size()));
        auto name = redis::read_connection_name(field(line, "name"));
        if (!name) continue;
        to.try_emplace(std::move(name->channel),
                       process_info{.label = std::move(name->label),
                                    .host = std::move(name->host),
                                    .pid = name->pid,
                                    .address = std::string{field(line, "addr")}});
    }
}

}  // namespace pawl::store
