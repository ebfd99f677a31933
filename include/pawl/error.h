// The error codes of pawl, and the exception pawl::error that carries them.
//
// Most calls have two forms: one throws pawl::error, the other sets a std::error_code&. Both report
// one of the codes below. So a program can tell a busy lock from a server that does not answer.
//
//   code           meaning                                             worth trying again?
//   busy           another holder has the lock                         yes, later
//   timed_out      another holder had it until the caller's limit      yes, later
//   cancelled      stop was requested, or the client was destroyed     if the caller wants to
//   lost           it was held and is not any more; see hold::why()    yes, acquire it again
//   not_owner      the caller never held it, or has released it        no
//   unreachable    no useful answer from the server; see below         yes, later
//   refused        the server said no; see below                       after fixing the reason
//   not_a_lock     the key holds something that is not a lock          no, the name collides
//   bad_argument   an option, a URL or a name is not allowed           no
//   would_deadlock the calling thread has locked this mutex already    no, use recursive_mutex
//   wrong_process  the client was inherited through fork()             no, make a new client
//   not_due        a run of a once_per has begun in this period        yes, when the period is over
//   no_quorum      too few nodes of a quorum can vote; see below       yes, later
//
// `busy` and `timed_out` are also used for a latch or barrier: it is not open, or was not open
// until the limit. shared_mutex::try_upgrade() sets `busy` if other readers are in, and
// local::stop() fails with `busy` if locks are held.
//
// `refused` means one of these:
//   - the server, or the connection to it, does not allow the call: ACL, TLS, memory, settings;
//   - the object at the server does not fit the call: it has another capacity or another number of
//     arrivals, the call wants more permits than the capacity or more arrivals than are missing, or
//     the phase of an arrival was lost;
//   - the client was destroyed during a blocking call.
//
// `unreachable` means one of these:
//   - the server did not answer within the limit;
//   - the connection was refused, broke, or could not be made;
//   - the server is a replica, or is not ready, for example because it loads its data;
//   - this process could not start a thread that it needs, or has no file descriptors left.
//
// `no_quorum` means that too few nodes of a redlock: URL can vote: the others did not answer,
// refused, were started lately, or their clocks were stepped (docs/topologies/quorum.md). The
// message names the nodes, what is wrong with each, and its latency and clock difference. That of
// `busy` and `timed_out` does so if another holder has the lock and a node was missing too.
#pragma once

#include <pawl/export.h>

#include <stdexcept>
#include <string>
#include <system_error>

namespace pawl {

enum class errc {
    busy = 1,
    timed_out,
    cancelled,
    lost,
    not_owner,
    unreachable,
    refused,
    not_a_lock,
    bad_argument,
    would_deadlock,
    wrong_process,
    not_due,
    no_quorum,
};

// The category of the codes above, with the name "pawl". No round trip; any thread may call these
// two functions.
PAWL_EXPORT const std::error_category& error_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(errc code) noexcept
{
    return {static_cast<int>(code), error_category()};
}

// what() gives the error, the lock, the server, and what to do about it.
class PAWL_EXPORT error : public std::system_error {
public:
    error(errc code, const std::string& message);
    error(const error&) = default;
    error& operator=(const error&) = default;
    ~error() override;

    [[nodiscard]] const char* what() const noexcept override;

private:
    std::runtime_error message_;  // unlike a string it can be copied without throwing
};

}  // namespace pawl

template <>
struct std::is_error_code_enum<pawl::errc> : std::true_type {};
