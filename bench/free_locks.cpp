#include "free_locks.h"

#include <system_error>

namespace pawl::bench {
namespace {

std::string padded(std::size_t number, std::size_t width)
{
    const std::string digits = std::to_string(number);
    return std::string(width - std::min(width, digits.size()), '0') + digits;
}

void lock_and_unlock(mutex& lock)
{
    lock.lock();
    std::error_code ec;
    lock.unlock(ec);
    if (ec) throw std::system_error{ec, "unlock"};
}

}  // namespace

std::string free_lock_name(std::size_t thread, std::size_t number)
{
    return "free:" + padded(thread, 3) + ":" + padded(number, 7);
}

pawl_free_locks::pawl_free_locks(client& client, std::size_t thread)
{
    for (std::size_t i = 0; i < locks_per_thread; ++i) {
        locks_.push_back(std::make_unique<mutex>(client, free_lock_name(thread, i)));
    }
}

void pawl_free_locks::cycle()
{
    mutex& lock = *locks_[next_];
    next_ = (next_ + 1) % locks_.size();
    lock_and_unlock(lock);
}

void anew_free_locks::cycle()
{
    mutex lock{*client_, free_lock_name(thread_, next_)};
    next_ = (next_ + 1) % locks_per_thread;
    lock_and_unlock(lock);
}

free_permits::free_permits(client& client, std::size_t thread)
{
    for (std::size_t i = 0; i < locks_per_thread; ++i) {
        semaphores_.push_back(
            std::make_unique<counting_semaphore>(client, free_lock_name(thread, i), free_capacity));
    }
}

void free_permits::cycle()
{
    counting_semaphore& permits = *semaphores_[next_];
    next_ = (next_ + 1) % semaphores_.size();
    permits.acquire().release();
}

spoken_free_locks::spoken_free_locks(const std::string& url, const dialogue& what,
                                     std::size_t thread)
    : connection_{url}
{
    connection_.speak_resp3();  // like pawl: some replies look different then
    for (std::size_t i = 0; i < locks_per_thread; ++i) {
        locks_.emplace_back(what, free_lock_name(thread, i), thread * locks_per_thread + i);
    }
}

void spoken_free_locks::cycle()
{
    spoken_cycle& lock = locks_[next_];
    next_ = (next_ + 1) % locks_.size();
    for (std::size_t turn = 0; turn < lock.turns(); ++turn) {
        request_.clear();
        lock.say(turn, request_);
        connection_.send(request_);
        const std::size_t lines = lock.lines(turn);
        for (std::size_t line = 0; line < lines; ++line) {
            lock.hear(turn, line, connection_.read_line());
        }
    }
}

}  // namespace pawl::bench
