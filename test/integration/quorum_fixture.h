// Three or five nodes, and clients of them.
#pragma once

#include <pawl/pawl.h>

#include "support/event_log.h"
#include "support/eventually.h"
#include "support/quorum_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace pawl::test {

using namespace std::chrono_literals;

class with_quorum : public testing::Test {
protected:
    // Short, so that a node that was restarted is in quarantine for 1.5 s only.
    static constexpr auto lease = 500ms;

    explicit with_quorum(std::size_t nodes = 3) : nodes_{{.nodes = nodes}}
    {
        client{options()}.init_nodes();
    }

    [[nodiscard]] client_options options() { return options_for(nodes_.url()); }
    [[nodiscard]] client_options options_for(const std::string& url)
    {
        client_options made;
        made.url = url;
        made.longest_lease = lease;
        events_.attach(made);
        return made;
    }
    [[nodiscard]] static lock_options quick() { return {.lease = lease}; }

    // The value of a key on each node; empty if it has none.
    [[nodiscard]] std::vector<std::string> on_nodes(const std::string& key)
    {
        std::vector<std::string> found;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            found.push_back(nodes_.node(i).probe().get(key));
        }
        return found;
    }
    [[nodiscard]] std::size_t holders_of(const std::string& lock)
    {
        const auto all = on_nodes(lock);
        return all.size() - static_cast<std::size_t>(std::ranges::count(all, std::string{}));
    }

    // An acquire returns with the votes of a majority. The vote of another node may still be under way, and the next one
    // that asks may get it instead. So where the place of a waiter matters, all nodes must have voted.
    template <class Lock>
    [[nodiscard]] hold acquire_everywhere(Lock& lock, const std::string& name = "lock")
    {
        auto held = lock.acquire();
        EXPECT_TRUE(eventually([&] {
            return std::ranges::count(on_nodes(name), held.id()) ==
                   static_cast<std::ptrdiff_t>(nodes_.size());
        }));
        return held;
    }

    // How many wait for the lock at this node.
    [[nodiscard]] std::int64_t waiters_at(std::size_t index, const std::string& lock)
    {
        return nodes_.node(index).probe().must({"ZCARD", "pawl:tickets:{" + lock + "}"}).integer;
    }

    event_log events_;
    quorum_nodes nodes_;
};

class with_quorum_of_five : public with_quorum {
protected:
    with_quorum_of_five() : with_quorum{5} {}
};

// Notices two holders at a time, and fences that do not grow.
class exclusion_watch {
public:
    void enter(const hold& held)
    {
        if (inside_.exchange(true)) ++violations_;
        const auto fence = held.fence();
        if (fence <= last_.exchange(fence)) ++violations_;
        ++grants_;
    }
    void leave() { inside_ = false; }

    [[nodiscard]] unsigned grants() const { return grants_; }
    [[nodiscard]] unsigned violations() const { return violations_; }

private:
    std::atomic<bool> inside_{false};
    std::atomic<std::uint64_t> last_{0};
    std::atomic<unsigned> grants_{0};
    std::atomic<unsigned> violations_{0};
};

}  // namespace pawl::test
