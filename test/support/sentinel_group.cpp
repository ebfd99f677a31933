#include "support/sentinel_group.h"

#include "support/server_info.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pawl::test {

namespace {

// A failover that did not succeed is repeated after twice this time.
constexpr std::chrono::milliseconds failover_timeout{3'000};

// Sentinels that vote at once can fail to agree several times in a row, on a busy machine above all.
constexpr std::chrono::milliseconds failover_patience{60'000};

[[nodiscard]] bool runs(const std::unique_ptr<redis_server>& server)
{
    return server->state() == server_state::running;
}

[[nodiscard]] std::string address(std::uint16_t port)
{
    return "127.0.0.1 " + std::to_string(port);
}

}  // namespace

sentinel_group::sentinel_group(sentinel_options options) : options_{std::move(options)}
{
    start_servers();
    start_sentinels();
    wait_until_whole();
}

void sentinel_group::start_servers()
{
    std::vector<std::string> config{"repl-diskless-sync-delay 0", "repl-ping-replica-period 1"};
    if (!options_.password.empty()) {
        config.push_back("requirepass " + options_.password);
        config.push_back("masterauth " + options_.password);
    }
    if (options_.tls != nullptr) config.emplace_back("tls-replication yes");
    config.insert(config.end(), options_.server_config.begin(), options_.server_config.end());
    for (std::size_t i = 0; i <= options_.replicas; ++i) {
        std::vector<std::string> own = config;
        if (options_.own_addresses) {
            own.push_back("bind-source-addr 127.0.1." + std::to_string(i + 1));
            own.emplace_back("replica-announce-ip 127.0.0.1");
            own.emplace_back("protected-mode no");  // it accepts 127.0.0.1 only
        }
        if (i > 0) own.push_back("replicaof " + address(port_of(server(0))));
        server_options made{.config = own, .tls = options_.tls};
        if (options_.program) made.program = options_.program(i);
        servers_.push_back(std::make_unique<redis_server>(std::move(made)));
    }
}

void sentinel_group::start_sentinels()
{
    const std::string& service = options_.service;
    const auto setting = [&](const std::string& name, auto value) {
        return "sentinel " + name + " " + service + " " + std::to_string(value);
    };
    std::vector<std::string> config{
        "sentinel monitor " + service + " " + address(port_of(server(0))) + " " +
            std::to_string(options_.quorum),
        setting("down-after-milliseconds", options_.down_after.count()),
        setting("failover-timeout", failover_timeout.count()),
        setting("parallel-syncs", options_.replicas + 1),
    };
    if (!options_.password.empty()) {
        config.push_back("sentinel auth-pass " + service + " " + options_.password);
    }
    if (!options_.sentinel_password.empty()) {
        config.push_back("requirepass " + options_.sentinel_password);
    }
    if (options_.tls != nullptr) config.emplace_back("tls-replication yes");
    config.insert(config.end(), options_.sentinel_config.begin(), options_.sentinel_config.end());
    for (std::size_t i = 0; i < options_.sentinels; ++i) {
        std::vector<std::string> own = config;
        if (options_.own_addresses) {
            own.push_back("bind-source-addr 127.0.2." + std::to_string(i + 1));
            own.emplace_back("sentinel announce-ip 127.0.0.1");
            own.emplace_back("protected-mode no");
        }
        sentinels_.push_back(std::make_unique<redis_server>(
            server_options{.sentinel = true, .config = own, .tls = options_.tls}));
        // Servers before 7.0 refuse this, and take longer.
        if (options_.quick_news) {
            sentinel_probe(i).command(
                {"SENTINEL", "DEBUG", "info-period", "200", "publish-period", "200"});
        }
    }
}

std::string sentinel_group::url() const
{
    std::string hosts;
    for (const auto& one : sentinels_) {
        hosts += (hosts.empty() ? "" : ",") + ("127.0.0.1:" + std::to_string(port_of(*one)));
    }
    return (options_.tls != nullptr ? "rediss+sentinel://" : "redis+sentinel://") + hosts + "/" +
           options_.service;
}

std::uint16_t sentinel_group::port_of(const redis_server& one) const
{
    return options_.tls == nullptr ? one.port() : one.tls_port();
}

redis_probe sentinel_group::probe(std::size_t index) const
{
    return authenticated(servers_.at(index)->probe(), options_.password);
}

redis_probe sentinel_group::sentinel_probe(std::size_t index) const
{
    return authenticated(sentinels_.at(index)->probe(), options_.sentinel_password);
}

std::optional<std::size_t> sentinel_group::announced() const
{
    std::optional<std::string> port;
    for (std::size_t i = 0; i < sentinels_.size(); ++i) {
        if (!runs(sentinels_[i])) continue;
        const redis_value said =
            sentinel_probe(i).command({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", options_.service});
        if (said.items.size() != 2 || (port && *port != said.items[1].text)) return {};
        port = said.items[1].text;
    }
    for (std::size_t i = 0; port && i < servers_.size(); ++i) {
        if (std::to_string(port_of(*servers_[i])) == *port) return i;
    }
    return {};
}

std::size_t sentinel_group::primary() const
{
    std::optional<std::size_t> found;
    if (eventually_answers([&] { return (found = announced()).has_value(); })) return *found;
    throw std::runtime_error{"the sentinels do not agree which server is the primary"};
}

std::size_t sentinel_group::kill_primary()
{
    const std::size_t index = primary();
    server(index).kill();
    return index;
}

std::size_t sentinel_group::freeze_primary()
{
    const std::size_t index = primary();
    server(index).freeze();
    return index;
}

std::size_t sentinel_group::failover()
{
    const std::size_t index = primary();
    const auto first = std::find_if(sentinels_.begin(), sentinels_.end(), runs);
    if (first == sentinels_.end()) throw std::runtime_error{"no sentinel is running"};
    // Refused as long as it knows no good replica, or another failover is under way.
    const auto asked = [&] {
        return !sentinel_probe(static_cast<std::size_t>(first - sentinels_.begin()))
                    .command({"SENTINEL", "FAILOVER", options_.service})
                    .is_error();
    };
    if (eventually_answers(asked)) return index;
    throw std::runtime_error{"the sentinel refuses to replace the primary"};
}

std::size_t sentinel_group::wait_for_new_primary(std::size_t old) const
{
    std::optional<std::size_t> found;
    const bool replaced = eventually_answers(failover_patience, [&] {
        found = announced();
        return found && *found != old && runs(servers_[*found]) &&
               info_of(probe(*found), "replication", "role") == "master";
    });
    if (replaced) return *found;
    throw std::runtime_error{"no other server became the primary"};
}

void sentinel_group::wait_until_whole() const
{
    if (!eventually_answers(failover_patience, [this] { return whole(); })) {
        throw std::runtime_error{"the replicas do not follow the primary"};
    }
}

bool sentinel_group::whole() const
{
    const std::optional<std::size_t> primary = announced();
    if (!primary) return false;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (!runs(servers_[i]) || i == *primary) continue;
        if (info_of(probe(i), "replication", "master_port") !=
                std::to_string(port_of(*servers_[*primary])) ||
            info_of(probe(i), "replication", "master_link_status") != "up") {
            return false;
        }
    }
    const auto value = [](const std::vector<std::string>& words, const std::string& name) {
        const auto at = std::find(words.begin(), words.end(), name);
        return at == words.end() ? std::string{} : *std::next(at);
    };
    const auto count = [&](const std::vector<std::string>& words, const std::string& name) {
        const std::string text = value(words, name);
        return text.empty() ? 0 : std::stoul(text);
    };
    for (std::size_t i = 0; i < sentinels_.size(); ++i) {
        if (!runs(sentinels_[i])) continue;
        const std::vector<std::string> words =
            sentinel_probe(i).must({"SENTINEL", "MASTER", options_.service}).texts();
        // Other flags say that the primary seems to be down, or that it is being replaced.
        if (value(words, "flags") != "master" || count(words, "num-slaves") + 1 < servers_.size() ||
            count(words, "num-other-sentinels") + 1 < sentinels_.size()) {
            return false;
        }
    }
    return true;
}

}  // namespace pawl::test
