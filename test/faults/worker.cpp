#include "faults/worker.h"

#include "faults/board.h"
#include "faults/history.h"
#include "faults/user.h"
#include "support/no_descriptors.h"
#include "support/shared_file.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>

namespace pawl::faults {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds poll_step{2};

void use_up_descriptors_when_told(worker_board& own, std::optional<test::no_descriptors>& used_up)
{
    const bool wanted = own.use_up_descriptors.load() != 0;
    if (wanted == used_up.has_value()) return;
    if (wanted) {
        used_up.emplace();
    } else {
        used_up.reset();
    }
    own.descriptors_used_up.store(wanted ? 1 : 0);
}

// Stderr, and with it the client's log, goes to that disk.
void log_to(const std::string& scratch, std::size_t index)
{
    const std::string path = scratch + "/log-" + std::to_string(index);
    if (std::freopen(path.c_str(), "a", stderr) == nullptr) {
        throw std::runtime_error{"cannot write " + path};
    }
}

[[nodiscard]] client_options options_of(const worker_order& order, board& shared)
{
    client_options made;
    made.url = order.url;
    made.tls.ca_file = order.ca_file;
    if (order.url.starts_with("rediss+sentinel:")) made.sentinel.tls.ca_file = order.ca_file;
    made.command_limit = milliseconds{1'000};
    made.connect_limit = milliseconds{500};
    // A node that came back is in quarantine for this time and a little more.
    if (order.url.starts_with("redlock:")) made.longest_lease = order.lease;
    // A disk that is full must meet many lines.
    const log_level least = order.scratch.empty() ? log_level::warning : log_level::debug;
    made.log = [least, &shared](const log_record& one) {
        if (one.name == "quorum.clock_step") ++shared.reported_steps;
        if (one.level >= least) std::fprintf(stderr, "%s\n", one.text.c_str());
    };
    return made;
}

}  // namespace

std::vector<std::string> arguments_of(const worker_order& order)
{
    return {order.board,
            order.history,
            order.url,
            order.ca_file,
            order.scratch,
            std::to_string(order.index),
            std::to_string(order.place),
            std::to_string(order.workers),
            std::to_string(order.seed),
            std::to_string(order.lease.count()),
            order.keeps_arrivals ? "keeps" : "forgets",
            std::to_string(static_cast<int>(order.wrong))};
}

worker_order order_from(const std::vector<std::string>& arguments)
{
    if (arguments.size() != 12) throw std::invalid_argument{"a worker needs 12 arguments"};
    return {.board = arguments[0],
            .history = arguments[1],
            .url = arguments[2],
            .ca_file = arguments[3],
            .scratch = arguments[4],
            .index = std::stoul(arguments[5]),
            .place = std::stoul(arguments[6]),
            .workers = static_cast<unsigned>(std::stoul(arguments[7])),
            .seed = std::stoull(arguments[8]),
            .lease = milliseconds{std::stoll(arguments[9])},
            .keeps_arrivals = arguments[10] == "keeps",
            .wrong = static_cast<defect>(std::stoi(arguments[11]))};
}

int work(const worker_order& order)
{
    if (!order.scratch.empty()) log_to(order.scratch, order.index);
    const test::shared_file<board> shared{order.board};
    history record{order.history};
    std::optional<client> own;
    if (order.wrong != defect::no_lock) own.emplace(options_of(order, *shared));
    const workplace here{.order = order, .shared = *shared, .record = record};
    std::vector<std::unique_ptr<user>> users;
    for (const kind which : all_kinds) {
        std::unique_ptr<user> one =
            own ? make_user(here, *own, which) : make_broken_user(here, which);
        if (one) users.push_back(std::move(one));
    }
    std::stop_source stop;
    std::vector<std::jthread> threads;
    for (const auto& one : users) {
        threads.emplace_back([&one, token = stop.get_token()] { one->run(token); });
    }
    std::optional<test::no_descriptors> used_up;
    while (shared->stop.load() == 0) {
        use_up_descriptors_when_told(shared->workers[order.index], used_up);
        std::this_thread::sleep_for(poll_step);
    }
    stop.request_stop();
    return 0;
}

}  // namespace pawl::faults
