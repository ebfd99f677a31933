// Servers that know nothing of each other, on 127.0.0.1: the nodes of a quorum. Each keeps what it
// has answered on disk, so that a test decides what a node still knows when it comes back.
#pragma once

#include "support/redis_server.h"
#include "support/server_data.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace pawl::test {

struct quorum_options {
    std::size_t nodes = 3;
    std::vector<std::string> config{};  // further lines of redis.conf
};

class quorum_nodes {
public:
    explicit quorum_nodes(quorum_options options = {});

    // redlock:redis://127.0.0.1:…,redis://127.0.0.1:…
    [[nodiscard]] std::string url() const;

    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

    // For kill(), stop(), freeze(), thaw(), probe(), port() …
    [[nodiscard]] redis_server& node(std::size_t index) { return *nodes_.at(index); }

    // What a node has on disk now. It may run.
    [[nodiscard]] data_copy copy_of(std::size_t index) const
    {
        return data_copy{*nodes_.at(index)};
    }

    // Each kills the node if it still runs or is frozen, starts it, and returns when it answers.
    void restart_with_data(std::size_t index);
    void restart_without_data(std::size_t index);
    void restart_with(const data_copy& data, std::size_t index);

private:
    void end(std::size_t index);

    std::vector<std::unique_ptr<redis_server>> nodes_;
};

}  // namespace pawl::test
