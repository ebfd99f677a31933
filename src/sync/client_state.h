// What stands behind a pawl::client, shared with the grants that may outlive it.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/platform.h"
#include "base/random.h"
#include "core/acquire.h"
#include "core/exchange.h"
#include "store/store.h"
#include "sync/async_call.h"
#include "sync/lease_keeper.h"
#include "sync/local_locks.h"
#include "sync/surroundings.h"
#include "sync/trouble.h"
#include "sync/waiting_room.h"

#include <pawl/error.h>
#include <pawl/options.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace pawl::sync {

class acquisition;

// The answer to a request, and when that request was sent.
struct any_answer {
    core::reply what;
    base::boot_time sent;
};
template <class Request>
struct answer_to {
    // A store answers a request with a reply to that kind of request.
    explicit answer_to(any_answer got)
        : what{std::move(*std::get_if<typename Request::reply>(&got.what))}, sent{got.sent}
    {
    }

    typename Request::reply what;
    base::boot_time sent;
};

class client_state : public std::enable_shared_from_this<client_state> {
public:
    // Throws pawl::error (bad_argument).
    [[nodiscard]] static std::shared_ptr<client_state> open(client_options options);

    // With options that are good, in a world of the caller's own.
    client_state(client_options options, surroundings around);
    ~client_state();
    client_state(const client_state&) = delete;
    client_state& operator=(const client_state&) = delete;

    // Ends everything, within the shutdown limit. Called once, by ~client.
    void close();

    // Whether this process inherited the client through fork(). Then no mutex of it may be touched:
    // a thread that exists in the parent only may have held it.
    [[nodiscard]] bool inherited() const noexcept;

    // Run a machine to its end in the caller's thread. A closed client refuses.
    void run(acquisition& wanted, const base::interrupt& stop);
    [[nodiscard]] core::acquire_result run(const core::acquire_plan& plan);
    template <class Request>
    [[nodiscard]] answer_to<Request> run(const Request& request,
                                         const base::interrupt* stop = nullptr)
    {
        return run(request, stop, options_.command_limit);
    }
    template <class Request>
    [[nodiscard]] answer_to<Request> run(const Request& request, const base::interrupt* stop,
                                         std::chrono::milliseconds limit)
    {
        return answer_to<Request>{run_exchange(request, stop, limit)};
    }

    // Before a lock is asked for: everything that is needed to tell of its loss is there. Throws
    // std::system_error.
    void prepare_to_tell();

    // As store::prepare().
    [[nodiscard]] maybe_trouble prepare();

    // On the scheduler only: as store::submit().
    void submit(core::request what, std::chrono::milliseconds patience,
                store::store::still_wanted wanted, store::store::reply_handler done)
    {
        parts_->around.store->submit(std::move(what), patience, std::move(wanted), std::move(done));
    }

    // As store::ping().
    [[nodiscard]] std::optional<core::failure> ping();

    [[nodiscard]] lease_keeper& leases() noexcept { return parts_->keeper; }
    [[nodiscard]] waiting_room& room() noexcept { return parts_->room; }
    [[nodiscard]] local_locks& locals() noexcept { return *parts_->locals; }
    [[nodiscard]] async_calls& calls() noexcept { return parts_->calls; }
    [[nodiscard]] const base::random_unit& random() const noexcept { return random_; }
    [[nodiscard]] base::scheduler& loop() const noexcept { return *parts_->around.loop; }
    [[nodiscard]] base::platform& platform() const noexcept { return *parts_->around.platform; }
    [[nodiscard]] const client_options& options() const noexcept { return options_; }
    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    [[nodiscard]] const std::string& server() const noexcept { return server_; }

    // Says that something went wrong where nobody can be told directly.
    void warn(std::string text);

private:
    // Everything with threads, mutexes or descriptors. A child process leaves it alone altogether.
    struct parts {
        parts(const client_options& options, surroundings&& all, std::string client);
        ~parts() { around.loop->stop(); }
        parts(const parts&) = delete;
        parts& operator=(const parts&) = delete;

        surroundings around;
        std::mutex store_mutex;  // guards around.store, which is none when closed
        lease_keeper keeper;
        std::shared_ptr<local_locks> locals = std::make_shared<local_locks>();
        waiting_room room;
        async_calls calls;
    };

    [[nodiscard]] std::shared_ptr<store::store> open_store() const;
    [[nodiscard]] any_answer run_exchange(core::request request, const base::interrupt* stop,
                                          std::chrono::milliseconds limit);

    unsigned process_mark_;
    client_options options_;
    std::string id_;
    std::unique_ptr<parts> parts_;
    std::atomic<bool> can_tell_{false};
    base::random_unit random_;
    std::string server_;
};

}  // namespace pawl::sync
