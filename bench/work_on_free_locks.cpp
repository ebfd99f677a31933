#include "cycle_dialogues.h"
#include "free_locks.h"
#include "nodes.h"
#include "quorum_dialogues.h"
#include "quorum_locks.h"
#include "work.h"

#include <memory>
#include <optional>

namespace pawl::bench {
namespace {

// What the threads share: a client, and the dialogues for raw connections.
class source {
public:
    source(contender kind, subject of, const std::string& url)
        : kind_{kind}, of_{of}, url_{url}, nodes_{node_urls(url)}
    {
        if (nodes_.size() > 1) {
            learn_from_nodes();
        } else {
            learn_from_server();
        }
        if (kind != contender::raw_least) client_.emplace(url);
    }

    // Each lock has been used once, so that everything that is learned at the first use is known
    // before the measurement. Raw sockets that replay pawl's commands find the server as pawl left
    // it.
    [[nodiscard]] std::unique_ptr<free_locks> make(std::size_t thread)
    {
        std::unique_ptr<free_locks> made;
        if (client_) use_all(*(made = of_client(thread)));
        if (!said_.empty()) use_all(*(made = spoken(thread)));
        return made;
    }

private:
    [[nodiscard]] std::unique_ptr<free_locks> of_client(std::size_t thread)
    {
        if (of_ == subject::permits) return std::make_unique<free_permits>(*client_, thread);
        if (kind_ == contender::mutex_made_anew) {
            return std::make_unique<anew_free_locks>(*client_, thread);
        }
        return std::make_unique<pawl_free_locks>(*client_, thread);
    }

    [[nodiscard]] std::unique_ptr<free_locks> spoken(std::size_t thread) const
    {
        if (nodes_.size() > 1) return std::make_unique<quorum_free_locks>(nodes_, said_, thread);
        return std::make_unique<spoken_free_locks>(url_, said_.front(), thread);
    }

    void learn_from_server()
    {
        const bool permits = of_ == subject::permits;
        if (kind_ == contender::raw_same) {
            said_.push_back(permits ? dialogue_of_permits(url_, free_capacity)
                                    : dialogue_of_pawl(url_));
        }
        if (kind_ == contender::raw_least) {
            said_.push_back(permits ? least_dialogue_of_permits(url_, free_capacity)
                                    : least_dialogue(url_));
        }
    }

    void learn_from_nodes()
    {
        if (kind_ == contender::raw_same) said_ = quorum_dialogues_of_pawl(nodes_, calls::blocking);
        if (kind_ == contender::raw_least) said_ = least_quorum_dialogues(nodes_);
    }

    static void use_all(free_locks& locks)
    {
        for (std::size_t i = 0; i < locks_per_thread; ++i) locks.cycle();
    }

    contender kind_;
    subject of_;
    std::string url_;
    std::vector<std::string> nodes_;
    std::vector<dialogue> said_;  // one for each server; empty for pawl
    std::optional<client> client_;
};

// Each cycle is timed from the end of the last one, so the clock is read only once.
void run(free_locks& locks, seat& mine, const std::atomic<std::uint32_t>& stop)
{
    for (std::int64_t began = now_ns(); stop.load(std::memory_order_relaxed) == 0;) {
        locks.cycle();
        const std::int64_t ended = now_ns();
        note(mine.cycle, ended - began);
        count(mine.grants);
        began = ended;
    }
}

}  // namespace

void cycle_on_free_locks(const worker_task& task, board& shared)
{
    source locks{task.kind, task.what->of, task.url};
    in_all_threads(task, shared, [&](unsigned thread) {
        const std::size_t number = seat_of(task, thread);
        const std::unique_ptr<free_locks> own = locks.make(number);
        start_together(shared);
        run(*own, shared.seats.at(number), shared.stop);
    });
}

}  // namespace pawl::bench
