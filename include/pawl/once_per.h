// pawl::once_per: a job that all machines try, and that runs at most once in each period: a report
// once a day, a clean-up once an hour.
//
//   pawl::once_per report{client, "report", 24h};
//   if (auto turn = report.try_begin()) {       // on every machine, as often as you like
//       write_report(turn->fence());
//       turn->done();
//   }
//
//   state     meaning                                       try_begin()          due_in()
//   due       no run counts in this period                  begins a run         0
//   running   a run is under way                            nullopt, `busy`      rest of the period
//                                                                                (retry_failed: 0)
//   over      a run that counts has begun in this period    nullopt, `not_due`   rest of the period
//
// A run lasts as long as its turn. The turn has a lock, with a lease and a fence, as every other
// hold. So there is never a second run beside it, also if it takes longer than the period. Then the
// next run is due as soon as it has ended.
//
//   a run that …                   leads to                   with retry_failed
//   calls done()                   over                       over
//   ends without done()            over                       due
//   crashes                        over, after the lease      due, after the lease
//   loses its lock (see below)     over                       due
//
// Periods are counted by the server's clock, so the clocks of the callers do not matter. A period
// begins when a run does. With once_options::aligned it begins at a multiple of the period since
// 1970-01-01 00:00 UTC instead: with 1h at each full hour, with 24h at midnight UTC.
//
// A run whose lock was lost, for example because the server could not be reached, should stop:
// turn::lost() says so. With retry_failed another run may begin at that moment.
//
// At most once, not exactly once: if nobody calls try_begin() in a period, nothing runs in it. If
// the server forgets that a run has begun (it lost its data, evicted the key, or its clock was set
// forward), another run may begin. docs/guarantees.md, "Once per period", has all cases.
//
// All callers should give the same period and options. The run that begins decides how long its
// period lasts, and whether it is retried. A pawl::mutex of the same name excludes runs while it is
// held, and is excluded by them.
//
// A quorum does not have this kind: docs/topologies/quorum.md, "Which locks work".
//
// The object may be destroyed before its turns. Destroy the client last.
#pragma once

#include <pawl/client.h>
#include <pawl/detail/forms.h>
#include <pawl/export.h>
#include <pawl/hold.h>
#include <pawl/options.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl {

struct once_options {
    // Periods begin at multiples of the period by the server's clock, in UTC. If false, a period
    // begins with a run.
    bool aligned = false;

    // A run that ends without done() does not count: another one may begin at once.
    bool retry_failed = false;
};

namespace detail {
struct turn_access;
}  // namespace detail

class PAWL_EXPORT once_per {
public:
    // A run that has begun. Its destructor ends it, as that of its hold does: without done(), so
    // with retry_failed the run counts as failed.
    //
    // Several threads may call the functions of one turn at the same time. No thread may move or
    // destroy the turn while another one uses it.
    class PAWL_EXPORT turn {
    public:
        // An empty turn. done() fails with `not_owner`.
        turn() noexcept = default;

        // Ends the run as a success: no other run begins in its period.
        // Round trips: one.
        // On failure: throws pawl::error, or sets ec. In any case the turn is over. `lost`: the
        //     lock was lost during the run. The period then counts as used up if no other run has
        //     begun since. `unreachable`: the client goes on trying, until the lease ends. If it
        //     does not succeed, the run counts as failed with retry_failed. `not_owner`: the turn
        //     was over already.
        // Threads: any thread may call it. If several do, the others get `not_owner`.
        // Cancellation: none. It ends within client_options::command_limit.
        void done();
        void done(std::error_code& ec) noexcept;

        // The same with any completion token of Boost.Asio, as hold::async_release(). The turn is
        // over when the function returns.
        // Round trips, on failure, cancellation: as done(); the handler gets the error code.
        // Threads: any thread may call it.
        template <class CompletionToken>
        auto async_done(CompletionToken&& token)
        {
            if constexpr (detail::has_asio<CompletionToken>()) {
                return detail::asio_forms<CompletionToken>::done(
                    *this, std::forward<CompletionToken>(token));
            }
        }

        // These are those of the hold. No round trip.
        [[nodiscard]] std::uint64_t fence() const noexcept { return held_.fence(); }
        [[nodiscard]] std::stop_token lost() const noexcept { return held_.lost(); }

        // Returns the hold of the run, for all other functions, such as extend() and confirm(). If
        // it is released, the run ends without done().
        [[nodiscard]] hold& held() noexcept { return held_; }
        [[nodiscard]] const hold& held() const noexcept { return held_; }

        // Returns whether the run is not over yet, as far as this object knows.
        [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(held_); }

    private:
        friend struct detail::turn_access;
        explicit turn(hold held) noexcept : held_{std::move(held)} {}

        hold held_;
    };

    // Checks the name (1 to 512 bytes, any except NUL), the period (10 ms to 366 days) and the
    // options: lock_options::linger must be 0, and lock_options::layout unset; lock_options::wait
    // is not used. No round trip. Throws pawl::error (bad_argument).
    once_per(client& client, std::string_view name, std::chrono::milliseconds period,
             const once_options& options = {}, const lock_options& lock = {});
    ~once_per();
    once_per(const once_per&) = delete;
    once_per& operator=(const once_per&) = delete;

    // Begins a run if one is due and none is under way, and returns its turn. Otherwise returns
    // std::nullopt. Does not wait for others.
    // Round trips: one.
    // On failure: throws pawl::error, or sets ec and returns std::nullopt. With ec, the code is
    //     `busy` if a run is under way, and `not_due` if one has begun in this period. After any
    //     failure no run has begun. If the server may have begun one and the answer was lost, the
    //     client takes that back in the background. If the client cannot reach the server until the
    //     lease ends, the period may be used up without a run (with retry_failed it is not).
    // Threads: any thread may call it, several at the same time.
    // Cancellation: a stop request ends the call at once.
    [[nodiscard]] std::optional<turn> try_begin(const std::stop_token& stop = {});
    [[nodiscard]] std::optional<turn> try_begin(std::error_code& ec) noexcept;
    [[nodiscard]] std::optional<turn> try_begin(const std::stop_token& stop,
                                                std::error_code& ec) noexcept;

    // The same with any completion token of Boost.Asio. Needs <pawl/asio.h>; <pawl/coro.h>,
    // <pawl/futures.h> and <pawl/async.h> have functions for other frameworks. The handler gets an
    // error code and a std::optional<turn>, which is empty without an error if no run may begin
    // now. The destructor of the turn ends the run in the background. The object may be destroyed
    // once the call has started.
    // Round trips: one.
    // On failure: the handler gets the error code and an empty optional. No run has begun, as after
    //     try_begin().
    // Threads: any thread may call it. The handler is called through its associated executor, never
    //     inside the call.
    // Cancellation: through the handler's associated cancellation slot.
    template <class CompletionToken>
    auto async_try_begin(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::try_begin(
                *this, std::forward<CompletionToken>(token));
        }
    }

    // Returns the time until the next run is due, as in the table above. It does not say whether a
    // run is under way: try_begin() does.
    // Round trips: one.
    // On failure: throws pawl::error, or sets ec and returns 0.
    // Threads: any thread may call it.
    // Cancellation: none. It ends within client_options::command_limit.
    [[nodiscard]] std::chrono::milliseconds due_in();
    [[nodiscard]] std::chrono::milliseconds due_in(std::error_code& ec) noexcept;

    // The same with any completion token of Boost.Asio, as async_try_begin(). The handler gets an
    // error code and the time.
    // Round trips: one.
    // On failure: the handler gets the error code and 0.
    // Threads: any thread may call it. The handler is called through its associated executor, never
    //     inside the call.
    // Cancellation: none. It ends within client_options::command_limit.
    template <class CompletionToken>
    auto async_due_in(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::due_in(
                *this, std::forward<CompletionToken>(token));
        }
    }

    // Returns the name, and the period that was given to the constructor.
    // Round trips: none.
    // Threads: any thread may call them.
    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] std::chrono::milliseconds period() const noexcept;

private:
    friend struct async_access;

    class state;
    std::unique_ptr<state> state_;
};

// A turn is a hold with another end. Not for users.
struct detail::turn_access {
    [[nodiscard]] static once_per::turn make(hold held) noexcept
    {
        return once_per::turn{std::move(held)};
    }

    [[nodiscard]] static hold take(once_per::turn what) noexcept { return std::move(what.held_); }
};

}  // namespace pawl
