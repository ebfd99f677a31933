#include "store/memory/servers.h"

#include "base/forked.h"
#include "common/mutex.h"

#include <atomic>
#include <map>
#include <string>

namespace pawl::store::memory {
namespace {

struct directory {
    unsigned process_mark = base::process_mark();
    common::mutex mutex;
    std::map<std::string, std::weak_ptr<server>, std::less<>> servers PAWL_GUARDED_BY(mutex);
    unsigned last_number PAWL_GUARDED_BY(mutex) = 0;
};

// After a fork, the parent's servers and mutexes may be in any state. So a child process starts
// with an empty directory and does not touch the other one.
directory& this_process()
{
    static std::atomic<directory*> current{new directory};
    auto* found = current.load();
    while (found->process_mark != base::process_mark()) {
        auto fresh = std::make_unique<directory>();
        if (current.compare_exchange_strong(found, fresh.get())) return *fresh.release();
    }
    return *found;
}

std::shared_ptr<server> find_or_make(directory& in, const std::string& name) PAWL_REQUIRES(in.mutex)
{
    std::erase_if(in.servers, [](const auto& each) { return each.second.expired(); });
    auto& known = in.servers[name];
    auto found = known.lock();
    if (!found) known = found = std::make_shared<server>(name);
    return found;
}

}  // namespace

std::shared_ptr<server> server_named(std::string_view name)
{
    if (name.empty()) return std::make_shared<server>(name);
    auto& all = this_process();
    const common::scoped_lock guard{all.mutex};
    return find_or_make(all, std::string{name});
}

std::shared_ptr<server> new_named_server()
{
    auto& all = this_process();
    const common::scoped_lock guard{all.mutex};
    std::string name;
    do {
        name = "test-" + std::to_string(++all.last_number);
    } while (all.servers.contains(name) && !all.servers[name].expired());
    return find_or_make(all, name);
}

}  // namespace pawl::store::memory
