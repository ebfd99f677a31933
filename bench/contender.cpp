#include "contender.h"

#include "raw_schemes.h"
#include "raw_shares.h"
#include "retry_lock.h"

#include <pawl/pawl.h>

#include <array>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait = 5s;
constexpr auto linger = 5s;
constexpr const char* no_turn = "waited for 5 s without getting the lock";

struct description {
    contender kind;
    std::string_view word;
};

constexpr std::array descriptions{
    description{contender::mutex, "mutex"},
    description{contender::mutex_per_thread, "mutex_per_thread"},
    description{contender::mutex_made_anew, "mutex_made_anew"},
    description{contender::mutex_unannounced, "mutex_unannounced"},
    description{contender::mutex_lingering, "mutex_lingering"},
    description{contender::fair_mutex, "fair_mutex"},
    description{contender::raw_same, "raw_same"},
    description{contender::raw_least, "raw_least"},
    description{contender::raw_publish, "raw_publish"},
    description{contender::raw_hand_off, "raw_hand_off"},
    description{contender::raw_retry, "raw_retry"},
    description{contender::std_mutex, "std_mutex"},
    description{contender::readers, "readers"},
    description{contender::readers_per_thread, "readers_per_thread"},
    description{contender::raw_readers, "raw_readers"},
    description{contender::std_shared_mutex, "std_shared_mutex"},
    description{contender::semaphore, "semaphore"},
    description{contender::raw_permits, "raw_permits"},
    description{contender::latch, "latch"},
    description{contender::raw_latch, "raw_latch"},
    description{contender::condition, "condition"},
    description{contender::raw_condition, "raw_condition"},
    description{contender::peer, "peer"},
};

const description& describe(contender kind) noexcept
{
    for (const description& each : descriptions) {
        if (each.kind == kind) return each;
    }
    return descriptions.front();  // every kind has a description
}

template <class Mutex>
class pawl_lock final : public lock {
public:
    pawl_lock(const std::string& url, std::string_view name, const lock_options& options)
        : client_{url}, mutex_{client_, name, options}
    {
    }

    void acquire() override
    {
        if (!mutex_.try_lock_for(longest_wait)) throw std::runtime_error{no_turn};
    }

    void release() override
    {
        std::error_code ec;
        mutex_.unlock(ec);
        if (ec) throw std::system_error{ec, "unlock"};
    }

private:
    client client_;
    Mutex mutex_;
};

class standard_lock final : public lock {
public:
    void acquire() override { mutex_.lock(); }
    void release() override { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

class standard_readers final : public lock {
public:
    void acquire() override { mutex_.lock_shared(); }
    void release() override { mutex_.unlock_shared(); }

private:
    std::shared_mutex mutex_;
};

class pawl_readers final : public lock {
public:
    pawl_readers(const std::string& url, std::string_view name)
        : client_{url}, mutex_{client_, name}
    {
    }

    void acquire() override
    {
        if (!mutex_.try_lock_shared_for(longest_wait)) throw std::runtime_error{no_turn};
    }

    void release() override
    {
        std::error_code ec;
        mutex_.unlock_shared(ec);
        if (ec) throw std::system_error{ec, "unlock_shared"};
    }

private:
    client client_;
    shared_mutex mutex_;
};

class pawl_permit final : public lock {
public:
    pawl_permit(const std::string& url, std::string_view name)
        : client_{url}, permits_{client_, name, contended_permits}
    {
    }

    void acquire() override
    {
        std::optional<hold> got = permits_.try_acquire_for(longest_wait);
        if (!got) throw std::runtime_error{no_turn};
        held_ = std::move(*got);
    }

    void release() override { held_.release(); }

private:
    client client_;
    counting_semaphore permits_;
    hold held_;
};

}  // namespace

std::string_view word_of(contender kind) noexcept
{
    return describe(kind).word;
}

std::optional<contender> contender_of(std::string_view word) noexcept
{
    for (const description& each : descriptions) {
        if (each.word == word) return each.kind;
    }
    return std::nullopt;
}

bool is_shared_by_threads(contender kind) noexcept
{
    switch (kind) {
    case contender::mutex_per_thread:
    case contender::readers_per_thread:
    case contender::raw_publish:
    case contender::raw_hand_off:
    case contender::raw_retry:
    case contender::raw_readers:
    case contender::semaphore:
    case contender::raw_permits: return false;
    default: return true;
    }
}

std::unique_ptr<lock> make_lock(contender kind, const std::string& url, std::string_view name,
                                std::string_view holder)
{
    lock_options options;
    switch (kind) {
    case contender::raw_publish: return std::make_unique<publish_lock>(url, name, holder);
    case contender::raw_hand_off: return std::make_unique<hand_off_lock>(url, name, holder);
    case contender::raw_retry: return std::make_unique<retry_lock>(url, name, holder);
    case contender::std_mutex: return std::make_unique<standard_lock>();
    case contender::readers:
    case contender::readers_per_thread: return std::make_unique<pawl_readers>(url, name);
    case contender::raw_readers: return std::make_unique<reader_lock>(url, name, holder);
    case contender::std_shared_mutex: return std::make_unique<standard_readers>();
    case contender::semaphore: return std::make_unique<pawl_permit>(url, name);
    case contender::raw_permits:
        return std::make_unique<permit_lock>(url, name, holder, contended_permits);
    case contender::latch:
    case contender::raw_latch:
    case contender::condition:
    case contender::raw_condition:
    case contender::fair_mutex: return std::make_unique<pawl_lock<fair_mutex>>(url, name, options);
    case contender::mutex_made_anew:
    case contender::raw_same:
    case contender::raw_least:
    case contender::peer: throw std::logic_error{"this kind cannot be waited for"};
    case contender::mutex_unannounced: options.announce = false; break;
    case contender::mutex_lingering: options.linger = linger; break;
    case contender::mutex:
    case contender::mutex_per_thread: break;
    }
    return std::make_unique<pawl_lock<mutex>>(url, name, options);
}

}  // namespace pawl::bench
