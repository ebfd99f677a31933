// The kinds that give a hold, under kill -9.
#include "integration/kill/worker.h"

#include <numeric>
#include <stdexcept>

namespace pawl::test::kill {
namespace {

class shared_mutex_under_kill final : public kind {
public:
    explicit shared_mutex_under_kill(const setting& with)
        : lock_{with.own, "prices", setting::options()}
    {
    }

    void turn(worker& by) override
    {
        if (by.dice(3) == 0) {
            write(by);
        } else {
            read(by);
        }
    }

    void enter_alone() override
    {
        if (!lock_.try_acquire_for(longest_wait)) throw std::runtime_error{"no writer can enter"};
    }

private:
    static constexpr std::uint64_t reader = 1;
    static constexpr std::uint64_t writer = 1'000'000;

    static std::string readers_or_one_writer(const std::vector<std::uint64_t>& parts)
    {
        const auto together = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
        if (together <= writer) return {};
        return std::to_string(together / writer) + " writers and " +
               std::to_string(together % writer) + " readers were in together";
    }

    void write(worker& by)
    {
        hold held = by.acquire(lock_);
        by.check_fence(held);
        by.go_inside(held, writer, readers_or_one_writer);
        if (by.dice(2) == 0) return;
        const hold as_reader = lock_.downgrade(std::move(held));
        by.go_inside(as_reader, reader, readers_or_one_writer);
    }

    void read(worker& by)
    {
        hold held = by.acquire(lock_.shared());
        by.go_inside(held, reader, readers_or_one_writer);
        if (by.dice(4) != 0) return;
        if (const auto as_writer = lock_.try_upgrade(held)) {
            by.check_fence(*as_writer);
            by.go_inside(*as_writer, writer, readers_or_one_writer);
        }
    }

    shared_mutex lock_;
};

const registered_kind with_shared_mutex{"shared_mutex", [](const setting& with) {
                                            return std::make_unique<shared_mutex_under_kill>(with);
                                        }};

class semaphore_under_kill final : public kind {
public:
    explicit semaphore_under_kill(const setting& with)
        : seats_{with.own, "seats", capacity, setting::options()}
    {
    }

    void turn(worker& by) override
    {
        const unsigned wanted = 1 + by.dice(most_at_once);
        const hold held = by.acquire(seats_.permits(wanted));
        by.go_inside(held, wanted, within_capacity);
    }

    void enter_alone() override
    {
        if (!seats_.try_acquire_for(longest_wait, capacity)) {
            throw std::runtime_error{"the permits of the killed have not come back"};
        }
    }

private:
    static constexpr unsigned capacity = 7;
    static constexpr unsigned most_at_once = 3;

    static std::string within_capacity(const std::vector<std::uint64_t>& parts)
    {
        const auto out = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
        return out <= capacity ? std::string{} : std::to_string(out) + " permits were out";
    }

    counting_semaphore seats_;
};

const registered_kind with_semaphore{"counting_semaphore", [](const setting& with) {
                                         return std::make_unique<semaphore_under_kill>(with);
                                     }};

// Five ids on three stripes, so some ids share one.
class striped_mutex_under_kill final : public kind {
public:
    explicit striped_mutex_under_kill(const setting& with)
        : rows_{with.own, "row", 3, setting::options()}
    {
    }

    void turn(worker& by) override
    {
        const unsigned id = by.dice(ids);
        const hold held = by.acquire(rows_.of(id));
        by.go_inside(held, std::uint64_t{1} << id, no_bit_twice);
    }

    void enter_alone() override
    {
        for (unsigned id = 0; id < ids; ++id) {
            if (!rows_.of(id).try_acquire_for(longest_wait)) {
                throw std::runtime_error{"nobody can lock id " + std::to_string(id)};
            }
        }
    }

private:
    static constexpr unsigned ids = 5;

    striped_mutex rows_;
};

const registered_kind with_striped_mutex{
    "striped_mutex",
    [](const setting& with) { return std::make_unique<striped_mutex_under_kill>(with); }};

}  // namespace
}  // namespace pawl::test::kill
