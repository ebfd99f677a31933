#include <pawl/striped_mutex.h>

#include "base/mutant.h"
#include "core/stripe.h"
#include "sync/client_access.h"
#include "sync/validate.h"

#include <atomic>
#include <vector>

namespace pawl {

class striped_mutex::state {
public:
    state(client& client, std::string_view name, std::size_t stripes, const lock_options& options)
        : client_{client}, name_{name}, options_{options}, stripes_(stripes)
    {
        // It has the longest name, so all others are allowed if this one is.
        static_cast<void>(stripe(stripes - 1));
    }

    ~state()
    {
        for (auto& each : stripes_) delete each.load();
    }

    state(const state&) = delete;
    state& operator=(const state&) = delete;

    [[nodiscard]] mutex& stripe(std::size_t index)
    {
        auto& place = stripes_[index];
        if (auto* const found = place.load()) return *found;
        // Several threads may make one. The first one stays.
        auto made = std::make_unique<mutex>(client_, name_ + ':' + std::to_string(index), options_);
        mutex* before = nullptr;
        if (place.compare_exchange_strong(before, made.get())) return *made.release();
        return *before;
    }

    [[nodiscard]] std::size_t index_of(std::string_view id) const noexcept
    {
        const auto index = core::stripe_of(id, size());
        if (!base::has_mutant()) return index;
        const auto process = core::stripe_hash(client_access::state(client_).id());
        if (base::is(base::mutant::stripe_by_process)) {
            return static_cast<std::size_t>((core::stripe_hash(id) ^ process) % size());
        }
        const bool is_off = base::is(base::mutant::stripe_off_in_one_client) && process % 2 == 1;
        return is_off ? (index + 1) % size() : index;
    }

    [[nodiscard]] std::size_t size() const noexcept { return stripes_.size(); }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    client& client_;
    std::string name_;
    lock_options options_;
    std::vector<std::atomic<mutex*>> stripes_;  // null until it is first used
};

striped_mutex::striped_mutex(client& client, std::string_view name, std::size_t stripes,
                             const lock_options& options)
{
    sync::validate_stripes(stripes);
    state_ = std::make_unique<state>(client, name, stripes, options);
}

striped_mutex::~striped_mutex() = default;

std::size_t striped_mutex::index_of(std::string_view id) const noexcept
{
    return state_->index_of(id);
}

mutex& striped_mutex::stripe(std::size_t index)
{
    sync::validate_stripe(index, size());
    return state_->stripe(index);
}

std::size_t striped_mutex::size() const noexcept
{
    return state_->size();
}

const std::string& striped_mutex::name() const noexcept
{
    return state_->name();
}

}  // namespace pawl
