// What a quorum_store asks all nodes at once about holds: renewals, and questions by a raise.
#pragma once

#include "core/quorum/raising.h"
#include "core/quorum/renewal.h"
#include "store/quorum/quorum_store.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace pawl::store {

class quorum_store::renewal : public std::enable_shared_from_this<renewal> {
public:
    // A lock that is renewed, and the place of its answer in the request.
    struct lock {
        holder_ptr who;
        std::chrono::milliseconds lease;
        std::size_t index;
    };
    using answered = std::function<void(const std::vector<core::hold_reply>&)>;

    renewal(quorum_store& owner, std::vector<lock> locks, answered done)
        : owner_{&owner}, locks_{std::move(locks)}, done_{std::move(done)}
    {
    }

    void start(core::quorum::renewal_machine::answers when, base::boot_time until);

private:
    void proceed();
    void on_reply(unsigned node, const core::restore_reply& got, base::boot_time now);

    quorum_store* owner_;
    std::vector<lock> locks_;
    answered done_;
    std::optional<core::quorum::renewal_machine> machine_;
    std::optional<base::scheduler::timer> timer_;
};

class quorum_store::question : public std::enable_shared_from_this<question> {
public:
    using answered = std::function<void(const core::raise_reply&)>;

    question(quorum_store& owner, holder_ptr who, answered done)
        : owner_{&owner}, who_{std::move(who)}, done_{std::move(done)}
    {
    }

    // Needs all but the holder and the time.
    void start(core::raise_request what, base::boot_time until);

private:
    void proceed();

    quorum_store* owner_;
    holder_ptr who_;
    answered done_;
    std::optional<core::quorum::raise_machine> machine_;
    std::optional<base::scheduler::timer> timer_;
};

}  // namespace pawl::store
