#include "sync/lock_state.h"

#include "base/interrupt.h"
#include "base/platform.h"
#include "sync/async_access.h"
#include "sync/message.h"

#include <cstddef>
#include <system_error>

namespace pawl::sync {

lock_state::lock_state(std::shared_ptr<client_state> client, settings_ptr settings)
    : client_{std::move(client)}, settings_{std::move(settings)}
{
    if (!client_->inherited()) lock_ = client_->locals().meet(*client_, settings_);
}

lock_state::result lock_state::acquire(time_limit limit, const std::stop_token& stop)
{
    if (client_->inherited()) return trouble{errc::wrong_process, {}};
    if (stop.stop_requested()) return trouble{errc::cancelled, {}};
    // Until the lease_keeper has the lease.
    const base::call_under_way mark{client_->platform()};
    try {
        client_->prepare_to_tell();
        const base::interrupt interrupt{stop};
        if (!is_recursive()) return acquire_anew(limit, interrupt);
        if (auto mine = own_grant()) {
            auto failed = mine->enter(&interrupt);
            if (!failed) return mine;
            if (failed->code != errc::not_owner) return std::move(*failed);
        }
        auto got = acquire_anew(limit, interrupt);
        if (const auto* mine = std::get_if<grant_ptr>(&got)) remember(*mine);
        return got;
    } catch (const std::system_error& e) {
        // No descriptors or threads are left. That may pass, like a broken connection.
        return trouble{errc::unreachable, e.what()};
    }
}

lock_state::result lock_state::acquire_anew(time_limit limit, const base::interrupt& stop)
{
    acquisition wanted{*client_, lock_, limit, release_mode::waits};
    client_->driver().run(wanted, &stop);
    return std::move(wanted.outcome());
}

lock_state::result lock_state::enter_instead_of(hold& from)
{
    const auto old = async_access::look_at(from);
    if (!old) return trouble{errc::not_owner, "nothing is held"};
    if (old->lease().what->name != name() || old->lease().what->kind != settings_->what.kind ||
        old->lease().what->mode == settings_->what.mode || &old->client() != client_.get()) {
        return trouble{errc::bad_argument, "the hold is not one of the other side of this lock"};
    }
    if (auto failed = old->begin_change()) return std::move(*failed);
    const base::call_under_way mark{client_->platform()};
    acquisition wanted{*client_, lock_, time_limit::now(), old->how_to_release()};
    wanted.instead_of(old->share_lease());
    try {
        client_->driver().run(wanted, nullptr);
        return settle_change(from, *old, wanted);
    } catch (const std::system_error& e) {
        old->perhaps_changed();
        return trouble{errc::unreachable, e.what()};
    } catch (...) {
        old->perhaps_changed();
        throw;
    }
}

// The old holder is out, or is still in, or nobody knows.
lock_state::result lock_state::settle_change(hold& from, grant& old, acquisition& wanted)
{
    auto& got = wanted.outcome();
    if (std::holds_alternative<grant_ptr>(got)) {
        // Another thread may have released it meanwhile.
        if (async_access::take(from)) old.changed();
        return std::move(got);
    }
    auto& failed = std::get<trouble>(got);
    if (failed.code == errc::lost) {
        old.not_found(core::hold_status::vanished);
        return lost_because(old.why());
    }
    const bool answered = failed.code != errc::unreachable && !wanted.is_unanswered();
    if (wanted.is_uncertain() && !answered) {
        old.perhaps_changed();
        return trouble{errc::unreachable, "the server may yet execute the change"};
    }
    // An error may have come after a part of the change was executed.
    if (answered && failed.code != errc::busy) {
        bool still_in = true;
        const auto silent = old.confirm(still_in);
        if (!silent && !still_in) return lost_because(old.why());
        if (silent && wanted.is_uncertain()) {
            old.perhaps_changed();
            return std::move(failed);
        }
    }
    old.not_changed();
    return std::move(failed);
}

void lock_state::acquire(time_limit limit, std::unique_ptr<async::acquire_completion> told,
                         std::stop_token stop)
{
    if (const auto failed = prepare()) raise(*failed);
    auto done = [client = client_.get(), action = action(),
                 told = std::move(told)](acquisition& over) {
        auto& got = over.outcome();
        if (auto* const granted = std::get_if<grant_ptr>(&got)) {
            told->done(*granted ? async_access::make(std::move(*granted)) : hold{}, {}, {});
            return;
        }
        const auto& failed = std::get<trouble>(got);
        told->done(hold{}, failed.code,
                   describe(action, over.name(), client->server(), failed.code, failed.detail));
    };
    client_->start(
        std::make_unique<acquisition>(*client_, lock_, limit, release_mode::in_background),
        std::move(stop), std::move(done));
}

void lock_state::raise(std::string_view action, const trouble& what) const
{
    throw error{what.code, describe(action, name(), client_->server(), what.code, what.detail)};
}

// The word for acquire() in messages.
std::string_view lock_state::action() const noexcept
{
    if (settings_->what.kind == core::object_kind::once) return "begin";
    if (settings_->what.kind == core::object_kind::leader) return "campaign";
    return core::is_gate(settings_->what.kind) ? "wait" : "acquire";
}

// Before an acquire that does not wait.
maybe_trouble lock_state::prepare()
{
    try {
        client_->prepare_to_tell();
        return client_->prepare();
    } catch (const std::system_error& e) {
        return trouble{errc::unreachable, e.what()};
    }
}

grant_ptr lock_state::own_grant()
{
    const common::scoped_lock guard{mutex_};
    std::erase_if(owners_, [](const auto& owner) {
        const auto grant = owner.second.lock();
        return !grant || !grant->has_holds();
    });
    for (const auto& [thread, grant] : owners_) {
        if (thread == client_->platform().thread_mark()) return grant.lock();
    }
    return nullptr;
}

void lock_state::remember(const grant_ptr& mine)
{
    const common::scoped_lock guard{mutex_};
    owners_.emplace_back(client_->platform().thread_mark(), mine);
}

void lock_state::keep(hold what)
{
    auto kept = std::make_unique<hold>(std::move(what));
    const common::scoped_lock guard{mutex_};
    locked_.emplace_back(client_->platform().thread_mark(), std::move(kept));
}

hold* lock_state::current() const noexcept
{
    const common::scoped_lock guard{mutex_};
    const auto mine = last_of_this_thread();
    return mine < locked_.size() ? locked_[mine].second.get() : nullptr;
}

std::unique_ptr<hold> lock_state::take_current() noexcept
{
    const common::scoped_lock guard{mutex_};
    const auto mine = last_of_this_thread();
    if (mine == locked_.size()) return nullptr;
    auto last = std::move(locked_[mine].second);
    locked_.erase(locked_.begin() + static_cast<std::ptrdiff_t>(mine));
    return last;
}

// An index into locked_, or its size if there is none.
std::size_t lock_state::last_of_this_thread() const noexcept
{
    for (std::size_t i = locked_.size(); i > 0; --i) {
        if (locked_[i - 1].first == client_->platform().thread_mark()) return i - 1;
    }
    return locked_.size();
}

bool lock_state::would_deadlock() const
{
    if (is_recursive()) return false;
    return is_in() || (other_side_ != nullptr && other_side_->is_in());
}

// Whether the calling thread has locked this side.
bool lock_state::is_in() const
{
    const auto* const mine = current();
    return mine != nullptr && mine->state() != hold_state::lost;
}

trouble lock_state::deadlock() const
{
    if (other_side_ == nullptr) return {errc::would_deadlock, {}};
    const bool reads =
        (is_in() ? this : other_side_)->settings_->what.mode == core::entry_mode::reader;
    return {errc::would_deadlock, reads ? "this thread is a reader" : "this thread is the writer"};
}

}  // namespace pawl::sync
