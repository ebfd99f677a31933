#include "support/quorum_nodes.h"

namespace pawl::test {

quorum_nodes::quorum_nodes(quorum_options options)
{
    std::vector<std::string> config{durable_config};
    config.insert(config.end(), options.config.begin(), options.config.end());
    for (std::size_t i = 0; i < options.nodes; ++i) {
        nodes_.push_back(std::make_unique<redis_server>(server_options{.config = config}));
    }
}

std::string quorum_nodes::url() const
{
    std::string urls;
    for (const auto& node : nodes_) urls += (urls.empty() ? "" : ",") + node->url();
    return "redlock:" + urls;
}

void quorum_nodes::end(std::size_t index)
{
    if (node(index).state() != server_state::stopped) node(index).kill();
}

void quorum_nodes::restart_with_data(std::size_t index)
{
    end(index);
    node(index).start_again();
}

void quorum_nodes::restart_without_data(std::size_t index)
{
    end(index);
    delete_data(node(index));
    node(index).start_again();
}

void quorum_nodes::restart_with(const data_copy& data, std::size_t index)
{
    end(index);
    data.put_back(node(index));
    node(index).start_again();
}

}  // namespace pawl::test
