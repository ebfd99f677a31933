// What is known about a store and its servers: the input of all checks.
#pragma once

#include "base/clock.h"
#include "core/failure.h"
#include "doctor/fields.h"
#include "doctor/verdict.h"
#include "redis/deployment.h"

#include <pawl/node.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::doctor {

using store_kind = redis::deployment::kind;

// What the client was told about its store.
struct circumstances {
    store_kind kind = store_kind::one_server;
    bool is_local = false;  // this user's private server
    int database = 0;
    bool wants_acknowledgements = false;
    bool wants_majority = false;  // acknowledged=majority
    double clock_drift = 0.01;
    std::chrono::milliseconds command_limit{3'000};
    std::string lock{};  // doctor_options::lock
};

// A reply that has names and values. If it has none, `problem` says why.
struct told {
    fields values{};
    std::string problem{};
};

// The settings that the server told by CONFIG GET.
class settings {
public:
    void set(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }
    void refuse(std::string why) { problem_ = std::move(why); }

    // Nothing if the server does not tell it, or does not have it.
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;

    // Why the settings are not known. Empty if CONFIG GET is allowed.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

private:
    std::map<std::string, std::string, std::less<>> values_;
    std::string problem_;
};

// One node, as CLUSTER NODES shows it.
struct cluster_node {
    std::string id;
    std::string host;
    std::string address;  // HOST:PORT
    std::set<std::string, std::less<>> flags;
    std::string primary;  // of a replica: the id of its primary
    bool linked = true;
    std::size_t slots = 0;
    std::set<std::int64_t>
        moving;  // slots that are being moved to or from it: only the node itself tells

    [[nodiscard]] bool has(std::string_view flag) const { return flags.contains(flag); }
    [[nodiscard]] bool is_primary() const { return has("master") && !has("noaddr"); }
    [[nodiscard]] bool is_failing() const { return has("fail") || has("fail?"); }
};

// One round trip with TIME.
struct sample {
    base::boot_time sent{};
    base::boot_time received{};
    std::chrono::microseconds server_time{};  // since the epoch
    std::chrono::microseconds local_time{};   // by this machine's wall clock, in the middle
};

// One right of the ACL rule.
struct right_fact {
    std::string right;  // as in the rule, without the plus: "pubsub|numsub"
    verdict what{};
};

struct rights_fact {
    std::string user{};  // empty if it is not known
    bool dry_run = false;
    std::vector<right_fact> commands{};
    std::vector<right_fact> keys{};  // of circumstances::lock
    std::string write_problem{};     // the server refused a write, for another reason than a right
};

struct server_facts {
    std::string server;
    std::optional<core::failure> problem{};  // it cannot be examined
    told hello{};
    told info{};
    settings config{};
    told cluster{};                     // CLUSTER INFO
    std::vector<cluster_node> nodes{};  // CLUSTER NODES
    std::string nodes_problem{};
    rights_fact rights{};
    std::vector<sample> samples{};

    // 0 if it is not known.
    [[nodiscard]] std::int64_t major_version() const;
};

// What one sentinel says.
struct sentinel_facts {
    std::string server;
    std::string problem{};
    fields primary{};  // SENTINEL MASTER
};

// A server, and the machines that it may be on.
struct place {
    std::string server;
    std::set<std::string> addresses{};
};

}  // namespace pawl::doctor
