// The state of a pawl::client. Grants, which may outlive the client, share it.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/platform.h"
#include "base/random.h"
#include "core/exchange.h"
#include "store/store.h"
#include "sync/async_call.h"
#include "sync/blocking_driver.h"
#include "sync/lease_keeper.h"
#include "sync/local_locks.h"
#include "sync/loop_driver.h"
#include "sync/measured.h"
#include "sync/store_slot.h"
#include "sync/surroundings.h"
#include "sync/trouble.h"
#include "sync/waiting_room.h"

#include <pawl/client.h>
#include <pawl/error.h>
#include <pawl/log.h>
#include <pawl/metrics.h>
#include <pawl/options.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::sync {

// The answer to a request, and when that request was sent.
template <class Request>
struct answer_to {
    // A store answers a request with a reply to that kind of request.
    answer_to(const core::reply& got, base::boot_time when)
        : what{std::get<typename Request::reply>(got)}, sent{when}
    {
    }

    typename Request::reply what;
    base::boot_time sent;
};

class client_state : public std::enable_shared_from_this<client_state> {
public:
    // The options must be valid.
    client_state(client_options options, surroundings around);
    ~client_state();
    client_state(const client_state&) = delete;
    client_state& operator=(const client_state&) = delete;

    // Ends all calls and leases, within the shutdown limit. Called once, by ~client.
    void close();

    // Whether this process inherited the client through fork(). Then no mutex of it may be touched:
    // a thread that exists in the parent only may have held it.
    [[nodiscard]] bool inherited() const noexcept;

    // Runs a machine to its end in the caller's thread. A closed client refuses all requests.
    [[nodiscard]] blocking_driver driver() const { return {platform(), loop(), parts_->store}; }

    // The same for one request. If the system has no descriptors left, the answer is a failure too.
    template <class Request>
    [[nodiscard]] answer_to<Request> ask(const Request& request,
                                         const base::interrupt* stop = nullptr)
    {
        return ask(request, stop, options_.command_limit);
    }
    template <class Request>
    [[nodiscard]] answer_to<Request> ask(const Request& request, const base::interrupt* stop,
                                         std::chrono::milliseconds limit)
    {
        core::exchange_machine machine{request, limit, random_};
        try {
            driver().run(machine, stop);
        } catch (const std::system_error& e) {
            // No descriptors are left, for example. That may pass, like a broken connection.
            machine.fail(e.what());
        }
        return answer_to<Request>{machine.result(), machine.sent()};
    }

    // From any thread: runs a machine to its end on the event loop. `done` is called with the machine: on
    // the loop; or in the thread that destroys the client, if that comes first. The second form can be
    // cancelled by `stop`.
    template <class Machine, class Done>
    void start(std::unique_ptr<Machine> what, Done done, call_end how = call_end::heard_by_user)
    {
        auto told = when_done(*what, std::move(done));
        calls().start(loop_driver::make(loop_parts(), std::move(what), std::move(told)), how);
    }
    template <class Machine, class Done>
    void start(std::unique_ptr<Machine> what, std::stop_token stop, Done done)
    {
        auto told = when_done(*what, std::move(done));
        calls().start(
            loop_driver::make(loop_parts(), std::move(what), std::move(stop), std::move(told)));
    }

    // Must be called before a lock is asked for: starts the threads that report its loss. Throws
    // std::system_error.
    void prepare_to_tell();

    // As store::prepare().
    [[nodiscard]] maybe_trouble prepare();

    // As store::ping(), store::nodes() and store::init_nodes().
    [[nodiscard]] std::optional<core::failure> ping();
    [[nodiscard]] std::vector<node_info> nodes(std::string_view lock);
    [[nodiscard]] std::optional<core::failure> init_nodes(bool force);

    // As store::servers() and store::ask(), within the command limit.
    [[nodiscard]] store::server_list servers(std::string_view lock);
    [[nodiscard]] std::vector<store::server_answer> ask_servers(
        const std::vector<store::server_question>& questions);

    [[nodiscard]] lease_keeper& leases() noexcept { return parts_->keeper; }
    [[nodiscard]] waiting_room& room() noexcept { return parts_->room; }
    [[nodiscard]] local_locks& locals() noexcept { return *parts_->locals; }
    [[nodiscard]] async_calls& calls() noexcept { return parts_->calls; }
    [[nodiscard]] observe::client_counters& counters() noexcept { return *parts_->around.counters; }
    [[nodiscard]] const base::random_unit& random() const noexcept { return random_; }
    [[nodiscard]] base::scheduler& loop() const noexcept { return *parts_->around.loop; }
    [[nodiscard]] base::platform& platform() const noexcept { return *parts_->around.platform; }
    [[nodiscard]] const client_options& options() const noexcept { return options_; }
    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    [[nodiscard]] const std::string& server() const noexcept { return server_; }

    // What was counted so far. Only in the process that made the client.
    [[nodiscard]] pawl::metrics metrics();

    // The counters of this lock, if it is one of client_options::measured_locks. Null if not.
    [[nodiscard]] observe::lock_counters* measured(const core::object& lock) noexcept
    {
        return sync::measured(counters(), lock);
    }

    // Whether the store is a quorum. It has fewer kinds of locks: validate_on_quorum().
    [[nodiscard]] bool is_quorum() const noexcept { return is_quorum_; }

    // Writes about a failure that no caller can be told of.
    void log(log_record what);

private:
    // All parts with threads, mutexes or descriptors. A child process must not touch them.
    struct parts {
        parts(const client_options& options, surroundings&& all, std::string client);
        ~parts() { around.loop->stop(); }
        parts(const parts&) = delete;
        parts& operator=(const parts&) = delete;

        surroundings around;
        lease_keeper keeper;
        std::shared_ptr<local_locks> locals = std::make_shared<local_locks>();
        waiting_room room;
        store_slot store;  // takes the store out of `around`
        async_calls calls;
    };

    [[nodiscard]] loop_driver::client_parts loop_parts() const
    {
        return {platform(), loop(), parts_->store.get().get()};
    }
    template <class Machine, class Done>
    [[nodiscard]] auto when_done(Machine& what, Done done)
    {
        return [self = shared_from_this(), &what, done = std::move(done)](loop_driver& ended) {
            self->calls().ended(ended);
            done(what);
        };
    }

    unsigned process_mark_;
    bool is_quorum_;
    client_options options_;
    std::string id_;
    std::unique_ptr<parts> parts_;
    std::atomic<bool> can_tell_{false};
    base::random_unit random_;
    std::string server_;
};

}  // namespace pawl::sync

// The name that <pawl/client.h> has for it.
class pawl::client::state final : public sync::client_state {
public:
    using client_state::client_state;
};
