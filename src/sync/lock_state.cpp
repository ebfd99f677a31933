#include "sync/lock_state.h"

#include "base/interrupt.h"
#include "base/platform.h"
#include "sync/async_access.h"
#include "sync/change.h"
#include "sync/message.h"
#include "sync/validate.h"

#include <cstddef>
#include <system_error>
#include <utility>
#include <variant>

namespace pawl::sync {
namespace {

// A gate gives nothing to hold, so a wait for it is no attempt to get a lock.
void count(client_state& client, const local_lock& lock, errc why) noexcept
{
    if (core::is_gate(lock.settings()->what.kind)) return;
    client.counters().each(lock.measured(), [&](auto& here) { here.not_granted[why].add(); });
}

}  // namespace

lock_state::lock_state(std::shared_ptr<client_state> client, settings_ptr settings)
    : client_{std::move(client)}, settings_{std::move(settings)}
{
    if (client_->is_quorum()) validate_on_quorum(*settings_, client_->options());
    if (!client_->inherited()) lock_ = client_->locals().meet(*client_, settings_);
}

lock_state::result lock_state::acquire(time_limit limit, const std::stop_token& stop)
{
    if (client_->inherited()) return trouble{errc::wrong_process, {}};
    auto got = try_to_acquire(limit, stop);
    if (const auto* const failed = std::get_if<trouble>(&got)) count(failed->code);
    return got;
}

lock_state::result lock_state::try_to_acquire(time_limit limit, const std::stop_token& stop)
{
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
    // A release goes to all nodes of a quorum. Whatever they answer, it is repeated until no vote is left.
    const auto how = client_->is_quorum() ? release_mode::sends : release_mode::waits;
    acquisition wanted{*client_, lock_, limit, how};
    client_->driver().run(wanted, &stop);
    return std::move(wanted.outcome());
}

// A holder of one side of a shared_mutex enters on the other side.
class lock_state::side_change final : public change {
public:
    side_change(const grant_ptr& old, const lock_state& to, release_mode how)
        : change{old}, wanted_{*to.client_, to.lock_, time_limit::now(), how}
    {
        wanted_.instead_of(old->share_lease());
    }

    // After `finish`, if the outcome is true.
    [[nodiscard]] grant_ptr take() { return std::get<grant_ptr>(std::move(wanted_.outcome())); }

private:
    [[nodiscard]] core::machine& request() override { return wanted_; }
    [[nodiscard]] verdict judge() override;

    acquisition wanted_;
};

change::verdict lock_state::side_change::judge()
{
    using kind = verdict::kind;
    const auto& got = wanted_.outcome();
    if (std::holds_alternative<grant_ptr>(got)) return {.what = kind::changed};
    const auto& why = std::get<trouble>(got);
    if (why.code == errc::lost) return {.what = kind::gone};
    const bool answered = why.code != errc::unreachable && why.code != errc::cancelled;
    if (!answered || wanted_.is_unanswered()) {
        return {.what = kind::unanswered, .why = why, .maybe_executed = wanted_.is_uncertain()};
    }
    if (why.code == errc::busy) return {.what = kind::declined};
    return {.what = kind::error, .why = why};
}

// The grant of `from`, if it can enter on this side.
lock_state::result lock_state::other_sides(const hold& from) const
{
    auto old = async_access::look_at(from);
    if (!old) return trouble{errc::not_owner, "nothing is held"};
    if (old->lease().what->name != name() || old->lease().what->kind != settings_->what.kind ||
        old->lease().what->mode == settings_->what.mode || &old->client() != client_.get()) {
        return trouble{errc::bad_argument, "the hold is not one of the other side of this lock"};
    }
    if (client_->inherited()) return trouble{errc::wrong_process, {}};
    return old;
}

lock_state::result lock_state::enter_instead_of(const hold& from)
{
    auto old = other_sides(from);
    const auto* const mine = std::get_if<grant_ptr>(&old);
    if (mine == nullptr) return old;
    // Until the lease_keeper has the new lease.
    const base::call_under_way mark{client_->platform()};
    side_change what{*mine, *this, (*mine)->how_to_release()};
    run(*client_, what);
    const auto& got = what.outcome();
    if (const auto* const failed = std::get_if<trouble>(&got)) return *failed;
    if (!std::get<bool>(got)) return trouble{errc::busy, {}};
    return what.take();
}

void lock_state::enter_instead_of(const hold& from, std::string_view action,
                                  std::unique_ptr<async::acquire_completion> told)
{
    const auto old = other_sides(from);
    if (const auto* const failed = std::get_if<trouble>(&old)) raise(action, *failed);
    auto done = [client = client_.get(), settings = settings_, action,
                 told = std::move(told)](side_change& over) {
        const auto& got = over.outcome();
        const auto* const changed = std::get_if<bool>(&got);
        if (changed != nullptr && *changed) {
            told->done(async_access::make(over.take()), {}, {});
            return;
        }
        const auto why = changed != nullptr ? trouble{errc::busy, {}} : std::get<trouble>(got);
        told->done(hold{}, why.code,
                   describe(action, settings->what.name, client->server(), why.code, why.detail));
    };
    client_->start(
        std::make_unique<side_change>(std::get<grant_ptr>(old), *this, release_mode::in_background),
        std::move(done));
}

void lock_state::acquire(time_limit limit, std::unique_ptr<async::acquire_completion> told,
                         std::stop_token stop)
{
    if (const auto failed = prepare()) {
        count(failed->code);
        raise(*failed);
    }
    auto done = [client = client_.get(), action = action(),
                 told = std::move(told)](acquisition& over) {
        auto& got = over.outcome();
        if (auto* const granted = std::get_if<grant_ptr>(&got)) {
            told->done(*granted ? async_access::make(std::move(*granted)) : hold{}, {}, {});
            return;
        }
        const auto& failed = std::get<trouble>(got);
        sync::count(*client, over.lock(), failed.code);
        told->done(hold{}, failed.code,
                   describe(action, over.name(), client->server(), failed.code, failed.detail));
    };
    client_->start(
        std::make_unique<acquisition>(*client_, lock_, limit, release_mode::in_background),
        std::move(stop), std::move(done));
}

void lock_state::count(errc why) const noexcept
{
    sync::count(*client_, *lock_, why);
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
