// What a server says about its replicas and about the history of its data, and what follows from it for
// fences.
#pragma once

#include "base/clock.h"
#include "common/mutex.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::store {

// From the reply to `INFO replication`.
struct replication {
    bool primary = false;
    unsigned replicas = 0;  // also those that do not have all data yet

    // The replication id. A server that becomes a primary gets a new one. So a primary with the same id as
    // before was a primary all the time in between, and still has its own data.
    std::string history;
};
// Nothing if the text is not such a reply.
[[nodiscard]] std::optional<replication> read_replication(std::string_view text);
void append_replication_question(std::string& out);

// A server that was made a replica and then a primary again has the data of another server, and may have kept
// its connections open. Its fences would then start again from old numbers, if they are only counted.
class server_history {
public:
    // How long an answer is relied on.
    static constexpr std::chrono::seconds good_for{1};

    // From any thread, all of them.

    // Whether the server must be asked, for a request that is sent or answered at `now`.
    [[nodiscard]] bool is_due(base::boot_time now) const;

    // The server was asked by a request sent at `asked`. After that answer its clock showed `then`, in µs.
    void heard(const replication& what, std::chrono::microseconds then, base::boot_time asked);

    // It was asked after the fence was counted. Returns whether the number can be trusted. If not, nothing
    // is known about the server any more.
    [[nodiscard]] bool confirms(const std::optional<replication>& what, base::boot_time asked);

    // The data has been this server's own since its clock showed this time, in µs. So a number that is not
    // smaller was not given out before. Nothing if that is not known, or if there are replicas.
    [[nodiscard]] std::optional<std::uint64_t> own_since() const;

    // The greatest number of replicas that it ever had.
    [[nodiscard]] unsigned most_replicas() const;

private:
    void note(const replication& what) PAWL_REQUIRES(mutex_);

    mutable common::mutex mutex_;
    std::string id_ PAWL_GUARDED_BY(mutex_);  // empty: not known
    std::uint64_t own_since_ PAWL_GUARDED_BY(mutex_) = 0;
    std::optional<base::boot_time> asked_ PAWL_GUARDED_BY(mutex_);
    unsigned most_replicas_ PAWL_GUARDED_BY(mutex_) = 0;
};

}  // namespace pawl::store
