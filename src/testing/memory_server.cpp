#include <pawl/error.h>
#include <pawl/testing.h>

#include "base/forked.h"
#include "redis/memory_name.h"
#include "store/memory/platform.h"
#include "store/memory/servers.h"
#include "sync/memory_seam.h"

#include <utility>

namespace pawl::testing {

namespace memory = store::memory;

struct memory_server::state {
    explicit state(std::shared_ptr<memory::server> of) : server{std::move(of)}
    {
        server->take_levers();
    }
    ~state() { server->let_go_of_levers(); }
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    unsigned process_mark = base::process_mark();
    std::shared_ptr<memory::server> server;
};

namespace {

std::shared_ptr<memory::server> server_named(std::string_view name)
{
    if (name.empty() || !redis::is_memory_name(name)) {
        throw error{errc::bad_argument,
                    "memory_server: the name '" +
                        std::string{name.substr(0, redis::longest_memory_name)} +
                        "' (allowed: 1 to 64 letters, digits, '_', '.' and '-')"};
    }
    return memory::server_named(name);
}

memory::session session_of(client& who, const memory::server& of)
{
    const auto* const where =
        dynamic_cast<const memory::platform*>(&pawl_private::platform_of(who));
    if (where == nullptr || where->server().get() != &of) {
        throw error{errc::bad_argument, "memory_server: the client is connected to " +
                                            who.server() + ", not to " + of.shown()};
    }
    return where->session();
}

// Called before answers stop: completes work that is under way, such as a connection or a release.
void finish_pending_work(memory::server& server)
{
    server.time().advance(std::chrono::nanoseconds{0});
}

}  // namespace

memory_server::memory_server() : state_{std::make_unique<state>(memory::new_named_server())} {}

memory_server::memory_server(std::string_view name)
    : state_{std::make_unique<state>(server_named(name))}
{
}

memory_server::~memory_server()
{
    // A thread of the parent may have held one of the mutexes at the fork.
    const bool inherited = state_->process_mark != base::process_mark();
    if (inherited) static_cast<void>(state_.release());  // NOLINT(bugprone-unused-return-value)
}

memory_server::state& memory_server::mine() const
{
    if (state_->process_mark != base::process_mark()) {
        throw error{errc::wrong_process, "memory_server: " + url() +
                                             " was inherited through fork(); make a new one in the "
                                             "child process"};
    }
    return *state_;
}

const std::string& memory_server::url() const noexcept
{
    return state_->server->shown();
}

void memory_server::advance(std::chrono::nanoseconds by)
{
    constexpr std::chrono::hours longest{24 * 365};
    if (by.count() < 0 || by > longest) {
        throw error{errc::bad_argument,
                    "advance: " + std::to_string(by.count()) + " ns (allowed: 0 to 365 days)"};
    }
    mine().server->time().advance(by);
}

void memory_server::freeze()
{
    finish_pending_work(*mine().server);
    mine().server->freeze();
}

void memory_server::thaw()
{
    mine().server->thaw();
}

void memory_server::cut_off(client& who)
{
    auto& server = *mine().server;
    finish_pending_work(server);
    server.cut_off(session_of(who, server));
}

void memory_server::reconnect(client& who)
{
    auto& server = *mine().server;
    server.reconnect(session_of(who, server));
}

void memory_server::lose(std::string_view lock)
{
    mine().server->lose(lock);
}

void memory_server::lose_data()
{
    mine().server->lose_data();
}

void memory_server::fill_memory()
{
    mine().server->set_memory_full(true);
}

void memory_server::free_memory()
{
    mine().server->set_memory_full(false);
}

void memory_server::flush_scripts()
{
    mine().server->flush_scripts();
}

bool memory_server::is_locked(std::string_view lock) const
{
    return holder(lock).has_value();
}

std::optional<std::string> memory_server::holder(std::string_view lock) const
{
    return mine().server->holder_of(lock);
}

}  // namespace pawl::testing
