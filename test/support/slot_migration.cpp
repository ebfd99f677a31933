#include "support/slot_migration.h"

#include "support/eventually.h"

#include <stdexcept>

namespace pawl::test {

namespace {

constexpr std::size_t batch = 100;

}  // namespace

void move_slot_at_once(redis_cluster& cluster, std::uint16_t slot, std::size_t from, std::size_t to)
{
    const auto number = std::to_string(slot);
    const auto valkey = cluster.probe(from).command(
        {"CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", number, number, "NODE", cluster.id_of(to)});
    if (valkey.is_error()) {
        const auto redis =
            cluster.probe(to).command({"CLUSTER", "MIGRATION", "IMPORT", number, number});
        if (redis.is_error()) {
            throw std::runtime_error{"the server cannot move a slot at once: " + valkey.text +
                                     "; " + redis.text};
        }
    }
    const bool known = eventually([&] { return cluster.owner_of(slot) == to; });
    if (!known) throw std::runtime_error{"the slot " + number + " did not move at once"};
}

slot_migration::slot_migration(redis_cluster& cluster, std::uint16_t slot, std::size_t from,
                               std::size_t to)
    : cluster_{cluster}, slot_{std::to_string(slot)}, number_{slot}, from_{from}, to_{to}
{
}

void slot_migration::begin()
{
    // The target first: the source sends clients there from the next moment on.
    cluster_.probe(to_).must({"CLUSTER", "SETSLOT", slot_, "IMPORTING", cluster_.id_of(from_)});
    cluster_.probe(from_).must({"CLUSTER", "SETSLOT", slot_, "MIGRATING", cluster_.id_of(to_)});
}

std::size_t slot_migration::move_keys(std::size_t most)
{
    redis_probe source = cluster_.probe(from_);
    const std::vector<std::string> keys =
        source.must({"CLUSTER", "GETKEYSINSLOT", slot_, std::to_string(most)}).texts();
    if (keys.empty()) return 0;
    std::vector<std::string> words{
        "MIGRATE", "127.0.0.1", std::to_string(cluster_.node(to_).port()), "", "0", "5000"};
    if (!cluster_.password().empty()) {
        words.insert(words.end(), {"AUTH", cluster_.password()});
    }
    words.emplace_back("KEYS");
    words.insert(words.end(), keys.begin(), keys.end());
    // A reply NOKEY is fine: they expired meanwhile. Under load a node may take another one for dead
    // for a moment.
    redis_value reply;
    (void)eventually([&] {
        reply = source.command(words);
        return reply.text.find("CLUSTERDOWN") == reply.text.npos;
    });
    if (reply.is_error()) throw std::runtime_error{"MIGRATE: " + reply.text};
    return keys.size();
}

void slot_migration::finish()
{
    // The target before the source: if it happened the other way round, and the source failed in
    // between, nobody would own the slot.
    const std::string owner = cluster_.id_of(to_);
    cluster_.probe(to_).must({"CLUSTER", "SETSLOT", slot_, "NODE", owner});
    cluster_.probe(from_).must({"CLUSTER", "SETSLOT", slot_, "NODE", owner});
    const bool known = eventually([&] { return cluster_.owner_of(number_) == to_; });
    if (!known) throw std::runtime_error{"the slot " + slot_ + " did not move"};
}

void slot_migration::run()
{
    begin();
    while (move_keys(batch) > 0) {
    }
    finish();
}

}  // namespace pawl::test
