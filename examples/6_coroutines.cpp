// Coroutines without a framework: a pipeline whose steps wait for locks, on a thread of the
// program.
//
// <pawl/coro.h> can be awaited in coroutines of any type. The type here is minimal, and so is the
// run queue on which they resume. Three workers take turns in one thread, and no thread waits for a
// lock.
//
//   6_coroutines [URL]
#include "services.h"

#include <pawl/coro.h>
#include <pawl/pawl.h>

#include <condition_variable>
#include <coroutine>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>

using example::say;

namespace {

// ── The coroutine support of the program ────────────────────────────────────────────────────────

// Starts at once, and destroys itself when it is done.
struct fire_and_forget {
    struct promise_type {
        static fire_and_forget get_return_object() { return {}; }
        static std::suspend_never initial_suspend() noexcept { return {}; }
        static std::suspend_never final_suspend() noexcept { return {}; }
        static void return_void() {}
        static void unhandled_exception() { throw; }
    };
};

// Work that any thread adds runs in the thread that calls run_one().
class run_queue {
public:
    void execute(pawl::coro::resumption what)
    {
        const std::scoped_lock guard{mutex_};
        waiting_.push_back(std::move(what));
        changed_.notify_one();
    }

    void run_one()
    {
        std::unique_lock guard{mutex_};
        changed_.wait(guard, [this] { return !waiting_.empty(); });
        const auto next = std::move(waiting_.front());
        waiting_.pop_front();
        guard.unlock();
        next();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<pawl::coro::resumption> waiting_;
};

// ── How it uses pawl ────────────────────────────────────────────────────────────────────────────

struct workshop {
    run_queue queue;
    int pieces = 0;
    int workers_done = 0;
};

fire_and_forget worker(workshop& shop, pawl::client& client, std::string lock_name)
{
    const auto here = [&shop](pawl::coro::resumption go_on) { shop.queue.execute(go_on); };
    pawl::mutex lathe{client, lock_name};
    for (int piece = 0; piece < 50; ++piece) {
        pawl::hold held = co_await pawl::coro::acquire(lathe, {}, here);
        ++shop.pieces;
        co_await pawl::coro::release(std::move(held), here);
    }
    ++shop.workers_done;
}

}  // namespace

int main(int argc, char** argv)
try {
    const std::string url = example::url_from(argc, argv);
    const std::string lock_name = "example:lathe:" + std::to_string(::getpid());
    workshop shop;  // before the clients, whose threads use its queue
    pawl::client first{url};
    pawl::client second{url};  // as if in another process
    worker(shop, first, lock_name);
    worker(shop, first, lock_name);
    worker(shop, second, lock_name);
    while (shop.workers_done < 3) shop.queue.run_one();
    say("=> " + std::to_string(shop.pieces) + " pieces by three workers in one thread");
    return shop.pieces == 150 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
