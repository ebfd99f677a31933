#include "faults/crew.h"

#include "support/eventually.h"

#include <algorithm>
#include <csignal>
#include <stdexcept>

namespace pawl::faults {

namespace {

constexpr std::size_t most_characters = 2'000;

}  // namespace

crew::crew(std::size_t count, worker_order order)
    : order_{std::move(order)}, board_{dir_.file("board")}
{
    order_.board = dir_.file("board");
    order_.workers = static_cast<unsigned>(count);
    for (lock_board& lock : board_->locks) lock.data.set_up();
    for (std::size_t i = 0; i < count; ++i) {
        posts_.emplace_back();
        start(i);
    }
}

void crew::start(std::size_t at)
{
    if (started_ == most_workers) throw std::runtime_error{"too many workers for one cell"};
    worker_order own = order_;
    own.index = started_++;
    own.place = at;
    own.history = dir_.file("history-" + std::to_string(own.index));
    std::vector<std::string> command{"/proc/self/exe", "worker"};
    for (std::string& word : arguments_of(own)) command.push_back(std::move(word));
    posts_[at].index = own.index;
    posts_[at].process = std::make_unique<test::process>(std::move(command));
}

worker_board& crew::worker(std::size_t place)
{
    return board_->workers[posts_.at(place).index];
}

void crew::stop(std::size_t place)
{
    posts_.at(place).process->signal(SIGSTOP);
}

void crew::go_on(std::size_t place)
{
    posts_.at(place).process->signal(SIGCONT);
}

void crew::replace(std::size_t place)
{
    test::process& old = *posts_.at(place).process;
    old.signal(SIGKILL);
    if (!old.wait(test::patience)) throw std::runtime_error{"a worker did not end after SIGKILL"};
    start(place);
}

std::string crew::who_waits_since(nanoseconds_t time)
{
    for (std::size_t at = 0; at < size(); ++at) {
        for (const kind which : all_kinds) {
            const auto number = static_cast<std::size_t>(which);
            if (board_->locks[number].left_out.load() != 0) continue;
            if (worker(at).last_grant[number].load() < time) {
                return "worker " + std::to_string(at) + ", " + std::string{to_string(which)};
            }
        }
    }
    return {};
}

bool crew::all_granted_since(nanoseconds_t time)
{
    return who_waits_since(time).empty();
}

bool crew::each_lock_granted_since(nanoseconds_t time)
{
    return std::ranges::all_of(board_->locks, [time](const lock_board& lock) {
        return lock.left_out.load() != 0 || lock.last_call.load() >= time;
    });
}

crew::totals crew::count()
{
    totals all{.grants = 0, .failed_calls = board_->failed_calls.load()};
    for (const lock_board& lock : board_->locks) all.grants += lock.grants.load();
    return all;
}

std::size_t crew::end()
{
    board_->stop.store(1);
    std::size_t bad = 0;
    for (post& one : posts_) {
        one.process->signal(SIGCONT);
        if (one.process->wait(test::patience) != test::exited(0)) ++bad;
    }
    return bad;
}

std::vector<std::string> crew::histories() const
{
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < started_; ++i) {
        paths.push_back(dir_.file("history-" + std::to_string(i)));
    }
    return paths;
}

std::string crew::messages() const
{
    std::string all;
    for (const post& one : posts_) {
        const std::string text = one.process->err();
        all += text.substr(text.size() - std::min(text.size(), most_characters));
    }
    return all;
}

}  // namespace pawl::faults
