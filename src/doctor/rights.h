// The commands of the ACL rules in docs/wire.md and docs/topologies/, and how each can be tried without doing harm. A
// test compares them with the rules in these documents.
#pragma once

#include "doctor/facts.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::doctor {

// What a right is needed for.
enum class purpose : std::uint8_t {
    nodes,  // to find the nodes of a Cluster, or to know the run of a node of a quorum
    any_lock,
    queue,
    hand_over,
    bare,     // bare acquires
    hash,     // recursive_mutex, latch, barrier
    members,  // shared_mutex, counting_semaphore
    role,     // is it still the primary, in a Cluster
    ping,
    init,  // pawl quorum init
    database,
    replicas,  // acknowledged grants
};

// How it is tried.
enum class trial : std::uint8_t {
    harmless,  // changes nothing
    creates,   // would make a key, unless it has a value of another type
    never,     // changes the connection: only ACL DRYRUN can tell
};

struct right {
    std::string_view name;  // as in the rule, without the plus
    purpose needed_for;
    trial how;
    // After the command: K stands for the doctor's key, C for a channel.
    std::vector<std::string_view> arguments;
};

// Those that a client with this store needs. `major`: the version of the server.
[[nodiscard]] std::vector<right> rights_for(const circumstances& at, std::int64_t major);

struct trial_names {
    std::string key;
    std::string channel;
};
// The command that tries it.
[[nodiscard]] store::command trial_of(const right& what, const trial_names& names);

// The name of an ACL rule for a command of one or two words.
[[nodiscard]] std::vector<std::string> words_of(std::string_view name);

}  // namespace pawl::doctor
