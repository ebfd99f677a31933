#include "faults/rig.h"

#include "faults/kind.h"
#include "support/server_data.h"
#include "support/server_info.h"
#include "support/tls_files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>

namespace pawl::faults {

namespace {

using test::redis_server;
using test::server_options;

// Independent servers: one, or the nodes of a quorum.
class separate_servers final : public rig {
public:
    separate_servers(std::size_t count, const rig_needs& needs)
    {
        if (needs.tls) tls_ = std::make_unique<test::tls_files>();
        for (std::size_t i = 0; i < count; ++i) {
            servers_.push_back(std::make_unique<redis_server>(server_options{
                .program = program(needs, i, i), .config = usual_config(), .tls = tls_.get()}));
            if (needs.proxies) {
                proxies_.push_back(std::make_unique<test::fault_proxy>(servers_[i]->port()));
            }
        }
    }

    [[nodiscard]] std::string url() override
    {
        std::string urls;
        for (std::size_t i = 0; i < size(); ++i) urls += (i == 0 ? "" : ",") + url_of(i);
        return size() == 1 ? urls : "redlock:" + urls;
    }

    [[nodiscard]] std::string ca_file() const override { return tls_ ? tls_->ca() : std::string{}; }
    [[nodiscard]] std::size_t size() const override { return servers_.size(); }
    [[nodiscard]] redis_server& server(std::size_t index) override { return *servers_.at(index); }
    [[nodiscard]] std::size_t target(std::uint64_t random) override { return random % size(); }

private:
    [[nodiscard]] std::string url_of(std::size_t index)
    {
        if (!proxies_.empty()) return proxy(index).url();
        return tls_ ? server(index).tls_url() : server(index).url();
    }

    std::unique_ptr<test::tls_files> tls_;
    std::vector<std::unique_ptr<redis_server>> servers_;
};

class sentinel_rig final : public rig {
public:
    // `parameters` are those of the URL.
    sentinel_rig(const rig_needs& needs, std::string parameters)
        : parameters_{std::move(parameters)},
          tls_{needs.tls ? std::make_unique<test::tls_files>() : nullptr},
          group_{{.service = service,
                  .server_config = usual_config(),
                  .own_addresses = needs.own_addresses || needs.proxies,
                  .program = [this, needs](std::size_t i) { return program(needs, i, i); },
                  .tls = tls_.get()}}
    {
        if (needs.proxies) put_proxies(*needs.net);
    }

    [[nodiscard]] std::string url() override { return group_.url() + parameters_; }
    [[nodiscard]] std::string ca_file() const override { return tls_ ? tls_->ca() : std::string{}; }
    [[nodiscard]] std::size_t size() const override { return group_.size(); }
    [[nodiscard]] redis_server& server(std::size_t index) override { return group_.server(index); }
    [[nodiscard]] std::size_t target(std::uint64_t) override { return group_.primary(); }
    [[nodiscard]] test::sentinel_group* sentinels() override { return &group_; }

    void take_over_and_return(std::size_t index) override
    {
        group_.wait_for_new_primary(index);
        server(index).start_again();
    }

    void settle() override { group_.wait_until_whole(); }

    // Each failover has a greater epoch.
    [[nodiscard]] std::vector<std::uint64_t> elections() override
    {
        std::vector<std::uint64_t> epochs;
        for (std::size_t i = 0; i < group_.sentinels(); ++i) {
            const std::vector<std::string> words =
                group_.sentinel_probe(i).must({"SENTINEL", "MASTER", service}).texts();
            const auto name = std::ranges::find(words, "config-epoch");
            if (name == words.end()) throw std::runtime_error{"SENTINEL MASTER has no epoch"};
            epochs.push_back(std::stoull(*std::next(name)));
        }
        return epochs;
    }

private:
    static constexpr auto service = "pawl";

    std::string parameters_;
    std::unique_ptr<test::tls_files> tls_;
    test::sentinel_group group_;
};

class cluster_rig final : public rig {
public:
    explicit cluster_rig(const rig_needs& needs)
        : tls_{needs.tls ? std::make_unique<test::tls_files>() : nullptr}, cluster_{options(needs)}
    {
        if (needs.proxies) put_proxies(*needs.net);
    }

    [[nodiscard]] std::string url() override { return cluster_.url(); }
    [[nodiscard]] std::string ca_file() const override { return tls_ ? tls_->ca() : std::string{}; }
    [[nodiscard]] std::size_t size() const override { return cluster_.size(); }
    [[nodiscard]] redis_server& server(std::size_t index) override { return cluster_.node(index); }
    [[nodiscard]] test::redis_cluster* cluster() override { return &cluster_; }

    [[nodiscard]] std::size_t target(std::uint64_t random) override
    {
        return cluster_.owner_of(name_of(all_kinds[random % all_kinds.size()]));
    }

    [[nodiscard]] endpoint endpoint_of(std::size_t index) override
    {
        endpoint made = rig::endpoint_of(index);
        made.ports.push_back(cluster_.bus_port(index));
        return made;
    }

    void take_over_and_return(std::size_t index) override
    {
        for (const kind which : all_kinds) {
            (void)test::eventually_answers(
                [&] { return cluster_.owner_of(name_of(which)) != index; });
        }
        server(index).start_again();
    }

    void settle() override { cluster_.wait_until_whole(); }

    // The votes that each node has given. Epochs would not do: a slot that moves changes them too.
    [[nodiscard]] std::vector<std::uint64_t> elections() override
    {
        std::vector<std::uint64_t> votes(cluster_.size());
        for (std::size_t i = 0; i < cluster_.size(); ++i) {
            if (server(i).state() != test::server_state::running) continue;
            const auto given = test::line_of(probe(i).must({"CLUSTER", "INFO"}).text,
                                             "cluster_stats_messages_auth-ack_sent");
            if (!given.empty()) votes[i] = std::stoull(given);
        }
        return votes;
    }

private:
    // Handshakes between nodes take longer than usual on a busy machine.
    static constexpr std::chrono::milliseconds with_tls{2'000};

    [[nodiscard]] test::cluster_options options(const rig_needs& needs)
    {
        test::cluster_options made{.own_addresses = needs.own_addresses || needs.proxies,
                                   .tls = tls_.get(),
                                   .config = usual_config()};
        if (needs.tls) made.node_timeout = with_tls;
        // A primary and its replica do not have the same clock.
        made.program = [this, needs, primaries = made.primaries](std::size_t i) {
            return program(needs, i, i + i / primaries);
        };
        return made;
    }

    std::unique_ptr<test::tls_files> tls_;
    test::redis_cluster cluster_;
};

}  // namespace

std::string_view to_string(row which)
{
    switch (which) {
    case row::one_server: return "one-server";
    case row::sentinel: return "sentinel";
    case row::acknowledged: return "acknowledged";
    case row::acknowledged_by_all: return "acknowledged-by-all";
    case row::cluster: return "cluster";
    case row::quorum_3: return "quorum-3";
    case row::quorum_5: break;
    }
    return "quorum-5";
}

std::unique_ptr<rig> make_rig(row which, const rig_needs& needs)
{
    switch (which) {
    case row::one_server: return std::make_unique<separate_servers>(1, needs);
    case row::sentinel: return std::make_unique<sentinel_rig>(needs, "");
    case row::acknowledged: return std::make_unique<sentinel_rig>(needs, "?acknowledged=majority");
    case row::acknowledged_by_all: return std::make_unique<sentinel_rig>(needs, "?acknowledged=2");
    case row::cluster: return std::make_unique<cluster_rig>(needs);
    case row::quorum_3: return std::make_unique<separate_servers>(3, needs);
    case row::quorum_5: break;
    }
    return std::make_unique<separate_servers>(5, needs);
}

endpoint rig::endpoint_of(std::size_t index)
{
    return {.ports = {server(index).port()}, .source = "127.0.1." + std::to_string(index + 1)};
}

test::redis_probe rig::probe(std::size_t index)
{
    test::redis_probe made = server(index).probe();
    made.must({"AUTH", "admin", "admin"});
    return made;
}

std::vector<std::string> rig::usual_config()
{
    return {test::durable_config, "user admin on >admin ~* &* +@all"};
}

std::string rig::clock_file(std::size_t index) const
{
    return dir_.file("clock-" + std::to_string(index));
}

std::vector<std::string> rig::program(const rig_needs& needs, std::size_t index, std::size_t place)
{
    if (needs.stepping == nullptr) return {};
    step_clock(index, needs.clocks_apart ? static_cast<double>(place % 3) * 5 - 5 : 0);
    // Timers of the server go on as usual: only its wall clock is stepped.
    return {"env",
            "LD_PRELOAD=" + needs.stepping->library,
            "FAKETIME_TIMESTAMP_FILE=" + clock_file(index),
            "FAKETIME_NO_CACHE=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            needs.stepping->server};
}

void rig::put_proxies(network& net)
{
    for (std::size_t i = 0; i < size(); ++i) {
        const std::uint16_t port = server(i).port();
        // From an address that is no client's, or it would be led to itself.
        proxies_.push_back(std::make_unique<test::fault_proxy>(port, "127.0.3.1"));
        net.lead(port, proxy(i).port());
    }
}

void rig::step_clock(std::size_t index, double seconds) const
{
    // Renamed into place, so that the server never reads half of it.
    const std::string path = clock_file(index);
    test::write_file(path + ".new", (seconds < 0 ? "" : "+") + std::to_string(seconds));
    std::filesystem::rename(path + ".new", path);
}

}  // namespace pawl::faults
