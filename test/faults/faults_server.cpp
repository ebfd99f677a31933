// Faults of a server: it dies, forgets, refuses, or has a wrong clock.
#include "faults/fault.h"

#include "support/eventually.h"
#include "support/server_data.h"
#include "support/server_info.h"

#include <stdexcept>

namespace pawl::faults {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds away{300};
constexpr milliseconds refusing{700};
constexpr double clock_step = 5;  // seconds

void close_connections(test::redis_probe& probe)
{
    for (const char* type : {"normal", "pubsub"}) {
        probe.must({"CLIENT", "KILL", "TYPE", type, "SKIPME", "yes"});
    }
}

void start_after(scene& here, std::size_t index)
{
    pause(away);
    here.servers.server(index).start_again();
}

void step_clock(scene& here, double seconds)
{
    const std::size_t index = here.target();
    double& clock = here.clocks[index];
    clock += seconds;
    here.servers.step_clock(index, clock);
    pause(away);
}

}  // namespace

void nothing(scene&)
{
    pause(refusing);
}

void kill_9(scene& here)
{
    const std::size_t index = here.target();
    here.servers.server(index).kill();
    pause(away);
    here.servers.take_over_and_return(index);
}

void freeze(scene& here)
{
    test::redis_server& server = here.servers.server(here.target());
    server.freeze();
    pause(here.lease * 3 / 2);
    server.thaw();
}

void restart_with_data(scene& here)
{
    const std::size_t index = here.target();
    here.servers.server(index).stop();
    start_after(here, index);
}

void restart_with_old_data(scene& here)
{
    const std::size_t index = here.target();
    const test::data_copy old{here.servers.server(index)};
    pause(away);
    here.servers.server(index).kill();
    old.put_back(here.servers.server(index));
    start_after(here, index);
}

void restart_without_data_at(scene& here, std::size_t index)
{
    here.servers.server(index).kill();
    test::delete_data(here.servers.server(index));
    start_after(here, index);
}

void restart_without_data(scene& here)
{
    restart_without_data_at(here, here.target());
}

void flush_all(scene& here)
{
    here.servers.probe(here.target()).must({"FLUSHALL"});
}

void flush_scripts(scene& here)
{
    here.servers.probe(here.target()).must({"SCRIPT", "FLUSH"});
}

void out_of_memory(scene& here)
{
    test::redis_probe probe = here.servers.probe(here.target());
    probe.must({"CONFIG", "SET", "maxmemory", "1"});
    pause(refusing);
    probe.must({"CONFIG", "SET", "maxmemory", "0"});
}

void evict(scene& here)
{
    constexpr int fillers = 300;
    test::redis_probe probe = here.servers.probe(here.target());
    const std::string used = test::line_of(probe.must({"INFO", "memory"}).text, "used_memory");
    probe.must({"CONFIG", "SET", "maxmemory-policy", "allkeys-random"});
    probe.must({"CONFIG", "SET", "maxmemory", std::to_string(std::stoull(used) + 500'000)});
    // In a Cluster only keys of the node's own slots are taken.
    const std::string value(10'000, 'x');
    for (int i = 0; i < fillers; ++i) {
        (void)probe.command({"SET", "filler:" + std::to_string(i), value});
    }
    probe.must({"CONFIG", "SET", "maxmemory", "0"});
    probe.must({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
    for (const std::string& key : probe.keys("filler:*")) probe.must({"DEL", key});
}

void take_rights_away(scene& here)
{
    test::redis_probe probe = here.servers.probe(here.target());
    probe.must({"ACL", "SETUSER", "default", "-@scripting", "-set", "-incr"});
    pause(refusing);
    probe.must({"ACL", "SETUSER", "default", "+@all"});
}

void exchange_certificate(scene& here)
{
    // The client's certificate is of the same authority, but not for servers: it must be refused.
    const std::string folder =
        std::filesystem::path{here.servers.ca_file()}.parent_path().string() + "/";
    test::redis_probe probe = here.servers.probe(here.target());
    const auto use = [&](const std::string& name) {
        probe.must({"CONFIG", "SET", "tls-cert-file", folder + name + ".crt", "tls-key-file",
                    folder + name + ".key"});
        close_connections(probe);
    };
    use("client");
    pause(refusing);
    use("server");
}

void hit_output_limit(scene& here)
{
    constexpr std::size_t more_than_the_limit = 1'000'000;
    test::redis_probe probe = here.servers.probe(here.target());
    probe.must({"CONFIG", "SET", "client-output-buffer-limit", "pubsub 100000 0 0"});
    const std::string text(more_than_the_limit, 'x');
    for (const std::string& channel : probe.must({"PUBSUB", "CHANNELS"}).texts()) {
        if (channel.starts_with("__")) continue;  // of the sentinels
        probe.must({"PUBLISH", channel, text});
    }
    for (const std::string& channel : probe.must({"PUBSUB", "SHARDCHANNELS"}).texts()) {
        probe.must({"SPUBLISH", channel, text});
    }
    pause(away);
    probe.must({"CONFIG", "SET", "client-output-buffer-limit", "pubsub 33554432 8388608 60"});
}

void step_clock_forward(scene& here)
{
    step_clock(here, clock_step);
}

void step_clock_back(scene& here)
{
    step_clock(here, -clock_step);
}

}  // namespace pawl::faults
