// pawl::leader elects one of several processes or machines. The leader shows the others a payload,
// for example its address, for as long as it leads.
//
//   pawl::leader primary{client, "primary"};
//   pawl::leader::term term = primary.campaign("10.0.0.7:80");    // waits until this one leads
//   while (more && !term.lost().stop_requested()) step(term.fence());
//
//   std::uint64_t seen = 0;                                        // in any other process
//   for (;;) {
//       primary.changed_since(seen).wait();
//       const auto now = primary.current();
//       seen = now ? now->fence : 0;
//       if (now) connect_to(now->payload);
//   }
//
// The states of a candidate, and what the others see:
//
//   state        how it is reached                        current() in other processes
//   waits        campaign(), while another one leads      the other one
//   leads        it is its turn: campaign() returns       its payload, name and fence
//   jeopardy     a renewal did not succeed                the same, until its lease ends
//   lost         the lease ended, or the server says so   its payload until the lease has ended at
//                                                         the server; then the next leader, or none
//   resigned     resign(), the destructor of the term     the next leader, or none
//   yielded      yield_to() returned true                 the candidate that was named
//
// The lead is a lock: it has a lease that is renewed, a local deadline, and a fence. A term is a
// pawl::hold, and <pawl/hold.h> documents what it has in common with other holds. Candidates lead
// in the order in which they began to wait, unless yield_to() names one. The payload belongs to the
// term: the server has no payload of a term that is over.
//
// If the leader crashes, it leads at the server until its lease ends (lock_options::lease). Waiting
// candidates and watchers ask again at that time, and the first candidate leads.
//
// Candidates that do not block: candidate() makes an object that is acquired like a lock, with all
// forms of <pawl/acquirable.h>, <pawl/asio.h>, <pawl/coro.h> and <pawl/futures.h>. A term is made
// of the hold.
//
//   auto me = primary.candidate("10.0.0.7:80");
//   pawl::leader::term term{co_await pawl::coro::acquire(me)};
//
// A quorum has no leaders: docs/topologies/quorum.md, "Which locks work". A fair_mutex elects one
// holder there, without a payload.
//
// The leader object may be destroyed before its candidates, terms and changes. Destroy the client
// last.
#pragma once

#include <pawl/acquirable.h>
#include <pawl/client.h>
#include <pawl/detail/forms.h>
#include <pawl/export.h>
#include <pawl/hold.h>
#include <pawl/options.h>
#include <pawl/time_limit.h>
#include <pawl/waitable.h>

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

// The leader, as another process sees it.
struct leader_info {
    std::string payload;
    std::string candidate;               // its name, for leader::term::yield_to()
    std::uint64_t fence = 0;             // of its term
    std::chrono::milliseconds lease{0};  // the rest of its lease, by the server's clock
};

class PAWL_EXPORT leader {
public:
    // ── The term of a leader ────────────────────────────────────────────────────────────────────

    // The destructor resigns, as that of a hold releases.
    class PAWL_EXPORT term : public hold {
    public:
        // An empty term: nobody leads with it.
        term() noexcept = default;

        // The hold that acquiring a candidacy has given. Throws pawl::error (bad_argument) if it is
        // a hold of something else. An empty hold makes an empty term.
        explicit term(hold what);

        // The payload, and the name of the candidate, with which it leads. Both are empty if the
        // term is.
        // Round trips: none.
        // Threads: any thread may call them.
        [[nodiscard]] std::string payload() const;
        [[nodiscard]] std::string candidate() const;

        // Ends the term. The first candidate that waits leads: the same as release().
        // Round trips, on failure, threads, cancellation: as hold::release().
        void resign() { release(); }
        void resign(std::error_code& ec) noexcept { release(ec); }

        // Hands the lead over to the candidate with this name, if it waits. Returns true if it
        // leads now: then this term is over, and empty. Returns false if no such candidate waits:
        // then the term goes on. If several have that name, the first of them leads. Stop the work
        // of the leader before the call: the other one leads before the call returns.
        // Round trips: one. One more if the server answers with an error: it is asked whether this
        //     one still leads.
        // On failure: throws pawl::error, or sets ec and returns false.
        //       - `lost`: the lead was lost before, or the server said so now;
        //       - `unreachable`: if the server may have executed the request, or may yet do so, the
        //         term is lost; lost() tells. Otherwise the term goes on;
        //       - `refused`, `not_a_lock`: the server answered with an error, and this one still
        //         leads. If it does not lead any more, the code is `lost`. If the server does not
        //         say, it is `unreachable`, and the term is lost;
        //       - `not_owner`: the term is empty;
        //       - `bad_argument`: the name is not one (1 to 512 bytes, any except NUL).
        // Threads: any thread may call it, one at a time. Of two calls at the same time, one may return
        //     false without looking for its candidate, and lost() may tell of the hand-over by the other.
        // Cancellation: none. It ends within client_options::command_limit; if the server answers
        //     with an error, within twice that time.
        [[nodiscard]] bool yield_to(std::string_view candidate);
        [[nodiscard]] bool yield_to(std::string_view candidate, std::error_code& ec) noexcept;

        // The same without blocking, with any completion token of Boost.Asio. Needs <pawl/asio.h>;
        // <pawl/coro.h>, <pawl/futures.h> and <pawl/async.h> have functions for other frameworks.
        // The handler gets an error code, and whether the candidate leads now. If it does, the term
        // is empty when the call has succeeded. Until then the term may be moved.
        // Round trips: as yield_to().
        // On failure: the handler gets the error code, and the term is as after yield_to().
        //     operation_aborted: the client was destroyed, and the term is lost.
        // Threads: as yield_to(). The handler is called through its associated executor, never
        //     inside the call.
        // Cancellation: as yield_to().
        template <class CompletionToken>
        auto async_yield_to(std::string_view candidate, CompletionToken&& token)
        {
            if constexpr (detail::has_asio<CompletionToken>()) {
                return detail::asio_forms<CompletionToken>::yield_to(
                    *this, candidate, std::forward<CompletionToken>(token));
            }
        }
    };

    // ── A candidate ─────────────────────────────────────────────────────────────────────────────

    // A candidate with its payload. To acquire it is to campaign. It may be destroyed before its
    // holds, and before the leader object or after it. Each acquire() is a candidate of its own.
    class PAWL_EXPORT candidacy : public acquirable {
    public:
        ~candidacy();
        candidacy(const candidacy&) = delete;
        candidacy& operator=(const candidacy&) = delete;

    private:
        friend class leader;
        explicit candidacy(std::unique_ptr<state> made) noexcept;
    };

    // ── A change of leaders ─────────────────────────────────────────────────────────────────────

    // Can be waited for until there is another leader, or none. <pawl/waitable.h> documents the
    // functions that wait. It may outlive the leader object. When it is over it stays over.
    class PAWL_EXPORT change : public waitable {
    public:
        // The other one is empty afterwards: there is nothing to wait for, so waiting fails with
        // `bad_argument`.
        change(change&&) noexcept = default;
        change& operator=(change&&) noexcept = default;
        ~change() = default;
        change(const change&) = delete;
        change& operator=(const change&) = delete;

    private:
        friend class leader;
        explicit change(std::unique_ptr<state> made) noexcept;
    };

    // ── The election ────────────────────────────────────────────────────────────────────────────

    // `candidate` is the name of this candidate, for yield_to(). If it is empty, the payload of
    // each campaign is the name. Checks the names (1 to 512 bytes, any except NUL) and the options:
    // lock_options::linger must be 0, and lock_options::layout unset. No round trip. Throws
    // pawl::error (bad_argument).
    leader(client& client, std::string_view name, const lock_options& options = {},
           std::string_view candidate = {});
    ~leader();
    leader(const leader&) = delete;
    leader& operator=(const leader&) = delete;

    // Waits until this candidate leads, and returns its term. The payload has up to 4096 bytes, any
    // bytes.
    // Round trips: one if nobody leads; else as acquirable::acquire().
    // On failure: as acquirable::acquire(). Also `bad_argument`: the payload is too long.
    // Threads: any thread may call it. Each call is a candidate of its own.
    // Cancellation: a stop request ends the wait at once, with `cancelled`.
    [[nodiscard]] term campaign(std::string_view payload, const std::stop_token& stop = {});
    [[nodiscard]] term campaign(std::string_view payload, std::error_code& ec) noexcept;
    [[nodiscard]] term campaign(std::string_view payload, const std::stop_token& stop,
                                std::error_code& ec) noexcept;

    // Leads if nobody leads and no other candidate waits. Otherwise returns std::nullopt.
    // Round trips, on failure, threads, cancellation: as acquirable::try_acquire().
    [[nodiscard]] std::optional<term> try_campaign(std::string_view payload,
                                                   const std::stop_token& stop = {})
    {
        return campaign_within(payload, time_limit::now(), stop);
    }
    [[nodiscard]] std::optional<term> try_campaign(std::string_view payload,
                                                   std::error_code& ec) noexcept
    {
        return campaign_within(payload, time_limit::now(), {}, ec);
    }
    [[nodiscard]] std::optional<term> try_campaign(std::string_view payload,
                                                   const std::stop_token& stop,
                                                   std::error_code& ec) noexcept
    {
        return campaign_within(payload, time_limit::now(), stop, ec);
    }

    // These wait as campaign() does, but only until the limit. Then they return std::nullopt.
    // Round trips, on failure, threads, cancellation: as acquirable::try_acquire_for().
    template <class Rep, class Period>
    [[nodiscard]] std::optional<term> try_campaign_for(std::string_view payload,
                                                       std::chrono::duration<Rep, Period> wait,
                                                       const std::stop_token& stop = {})
    {
        return campaign_within(payload, time_limit::after(wait), stop);
    }

    template <class Rep, class Period>
    [[nodiscard]] std::optional<term> try_campaign_for(std::string_view payload,
                                                       std::chrono::duration<Rep, Period> wait,
                                                       std::error_code& ec) noexcept
    {
        return campaign_within(payload, time_limit::after(wait), {}, ec);
    }

    template <class Rep, class Period>
    [[nodiscard]] std::optional<term> try_campaign_for(std::string_view payload,
                                                       std::chrono::duration<Rep, Period> wait,
                                                       const std::stop_token& stop,
                                                       std::error_code& ec) noexcept
    {
        return campaign_within(payload, time_limit::after(wait), stop, ec);
    }

    template <class Clock, class Duration>
    [[nodiscard]] std::optional<term> try_campaign_until(
        std::string_view payload, std::chrono::time_point<Clock, Duration> when,
        const std::stop_token& stop = {})
    {
        return campaign_within(payload, time_limit::at(when), stop);
    }

    template <class Clock, class Duration>
    [[nodiscard]] std::optional<term> try_campaign_until(
        std::string_view payload, std::chrono::time_point<Clock, Duration> when,
        std::error_code& ec) noexcept
    {
        return campaign_within(payload, time_limit::at(when), {}, ec);
    }

    template <class Clock, class Duration>
    [[nodiscard]] std::optional<term> try_campaign_until(
        std::string_view payload, std::chrono::time_point<Clock, Duration> when,
        const std::stop_token& stop, std::error_code& ec) noexcept
    {
        return campaign_within(payload, time_limit::at(when), stop, ec);
    }

    // Makes a candidate, for the asynchronous forms. Does not campaign yet.
    // Round trips: none.
    // On failure: throws pawl::error (bad_argument) if the payload is too long.
    // Threads: any thread may call it.
    [[nodiscard]] candidacy candidate(std::string_view payload);

    // Returns the leader, or std::nullopt if nobody leads. When the call returns, another one may
    // lead already.
    // Round trips: one.
    // On failure: throws pawl::error, or sets ec and returns std::nullopt.
    // Threads: any thread may call it.
    // Cancellation: none. It ends within client_options::command_limit.
    [[nodiscard]] std::optional<leader_info> current();
    [[nodiscard]] std::optional<leader_info> current(std::error_code& ec) noexcept;

    // The same without blocking, with any completion token of Boost.Asio. Needs <pawl/asio.h>;
    // <pawl/coro.h>, <pawl/futures.h> and <pawl/async.h> have functions for other frameworks. The
    // handler gets an error code and a std::optional<leader_info>. The object may be destroyed once
    // the call has started.
    // Round trips: one.
    // On failure: the handler gets the error code and an empty optional.
    // Threads: any thread may call it. The handler is called through its associated executor, never
    //     inside the call.
    // Cancellation: none. It ends within client_options::command_limit.
    template <class CompletionToken>
    auto async_current(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::current(
                *this, std::forward<CompletionToken>(token));
        }
    }

    // Something to wait for: that the leader is another one than that with this fence, or that
    // there is none. The fence 0 stands for no leader: then it waits until there is one. Watchers
    // are told by a message at once. If a leader crashes, they find out when its lease ends.
    // Round trips: none. waitable::wait() says what waiting costs. A watcher also asks when the
    //     lease of the leader, as it knows it, ends.
    // Threads: any thread may call it.
    [[nodiscard]] change changed_since(std::uint64_t fence);

    // Returns the name of the election.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] const std::string& name() const noexcept;

private:
    std::optional<term> campaign_within(std::string_view payload, time_limit limit,
                                        const std::stop_token& stop);
    std::optional<term> campaign_within(std::string_view payload, time_limit limit,
                                        const std::stop_token& stop, std::error_code& ec) noexcept;

    friend struct async_access;

    class election;
    std::shared_ptr<election> election_;
};

}  // namespace pawl
