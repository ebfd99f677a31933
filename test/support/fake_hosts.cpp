#include "support/fake_hosts.h"

#include <dlfcn.h>
#include <map>
#include <mutex>
#include <netdb.h>
#include <utility>

namespace pawl::test {
namespace {

std::mutex guard;
std::map<std::string, std::vector<std::string>> hosts;  // guarded by the mutex

std::vector<std::string> addresses_of(const char* name)
{
    const std::scoped_lock held{guard};
    const auto found = name != nullptr ? hosts.find(name) : hosts.end();
    return found != hosts.end() ? found->second : std::vector<std::string>{};
}

using look_up = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

look_up true_getaddrinfo()
{
    static const auto found = reinterpret_cast<look_up>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return found;
}

}  // namespace

fake_host::fake_host(std::string name, std::vector<std::string> addresses) : name_{std::move(name)}
{
    const std::scoped_lock held{guard};
    hosts[name_] = std::move(addresses);
}

fake_host::~fake_host()
{
    const std::scoped_lock held{guard};
    hosts.erase(name_);
}

}  // namespace pawl::test

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** result)
{
    using namespace pawl::test;
    const auto addresses = addresses_of(name);
    const bool numbers_only = hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0;
    if (addresses.empty() || numbers_only) {
        return true_getaddrinfo()(name, service, hints, result);
    }
    // freeaddrinfo(3) of the C library frees each element of the list separately.
    addrinfo** end = result;
    for (const auto& each : addresses) {
        if (const int problem = true_getaddrinfo()(each.c_str(), service, hints, end)) {
            return problem;
        }
        while (*end != nullptr) end = &(*end)->ai_next;
    }
    return 0;
}
