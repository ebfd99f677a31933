// Faults of a client: it dies, stands still, or lacks what it needs.
#include "faults/fault.h"

#include "support/eventually.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace pawl::faults {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds lacking{700};

void set_descriptors(scene& here, bool used_up)
{
    const std::uint32_t wanted = used_up ? 1 : 0;
    for (std::size_t i = 0; i < here.workers.size(); ++i) {
        here.workers.worker(i).use_up_descriptors.store(wanted);
    }
    for (std::size_t i = 0; i < here.workers.size(); ++i) {
        const auto& state = here.workers.worker(i).descriptors_used_up;
        if (!test::eventually([&] { return state.load() == wanted; })) {
            throw std::runtime_error{"a worker does not change its limit of descriptors"};
        }
    }
}

}  // namespace

void kill_client(scene& here)
{
    here.workers.replace(here.some_worker());
}

void stop_client(scene& here)
{
    const std::size_t place = here.some_worker();
    here.workers.stop(place);
    pause(here.lease * 3 / 2);
    here.workers.go_on(place);
}

void fill_disk(scene& here)
{
    const std::filesystem::path path = std::filesystem::path{here.scratch} / "filler";
    std::ofstream filler{path, std::ios::binary};
    const std::string block(4'096, 'x');
    while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
    pause(lacking);
    filler.close();
    std::filesystem::remove(path);
}

void use_up_descriptors(scene& here)
{
    set_descriptors(here, true);
    // They must connect again, and cannot.
    for (std::size_t i = 0; i < here.servers.size(); ++i) {
        if (here.servers.server(i).state() != test::server_state::running) continue;
        test::redis_probe probe = here.servers.probe(i);
        for (const char* type : {"normal", "pubsub"}) {
            probe.must({"CLIENT", "KILL", "TYPE", type, "SKIPME", "yes"});
        }
    }
    pause(lacking);
    set_descriptors(here, false);
}

}  // namespace pawl::faults
