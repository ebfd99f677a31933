// pawl::examine() checks whether a server, or each server of a store, is set up well for locks. The
// command `pawl doctor` prints what it finds. docs/doctor.md lists all checks.
//
//   pawl::client client{"redis://127.0.0.1:6379"};
//   for (const auto& each : pawl::examine(client)) {
//       if (each.severity >= pawl::severity::warning) std::cerr << each.seen << '\n';
//   }
//
//   severity   meaning
//   ok         nothing to do
//   note       good to know; or not checked, because the user lacks a right for it
//   warning    locks work now, but a likely event makes them wait, fail or have two holders
//   fault      locks do not work, or can be lost at any time
#pragma once

#include <pawl/client.h>
#include <pawl/export.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

enum class severity { ok, note, warning, fault };

struct finding {
    std::string check;  // which check it was, for example "eviction"; these names do not change
    pawl::severity severity{};
    bool checked = true;  // false: it could not be checked, and `seen` says why
    std::string server;   // the address, without any password; empty: about all servers together
    std::string seen;
    std::string why;     // why it matters; empty if `severity` is ok
    std::string advice;  // what to do; empty if there is nothing to do
};

struct doctor_options {
    // How long round trips and clocks are measured. A longer time gives a better estimate of the
    // drift. 100 ms – 10 min.
    std::chrono::milliseconds duration{1'000};

    // The name of a lock: also checks that the user has the rights to its keys. Empty: only the
    // rights to commands are checked.
    std::string lock{};
};

// Examines the store of this client. Changes no setting and no lock. To try what the user may do, it
// writes a key `pawl:doctor:…` of its own, which it deletes, and which expires after 10 s. Commands
// that the user may not use appear in the server's ACL LOG.
// Round trips: about ten to each server, and 50 to 1,000 while it measures. Every sentinel of the URL is
//     asked too.
// On failure: throws pawl::error (bad_argument, wrong_process). A server that does not answer or
//     refuses the login is a finding: `reachable` or `login`.
// Threads: any thread may call it.
// Cancellation: none. It takes about doctor_options::duration, and for each server that is silent up
//     to ten times client_options::command_limit more.
[[nodiscard]] PAWL_EXPORT std::vector<finding> examine(client& of,
                                                       const doctor_options& options = {});

// Returns "ok", "note", "warning" or "fault".
// Round trips: none.
// Threads: any thread may call it.
[[nodiscard]] PAWL_EXPORT std::string_view to_string(severity of) noexcept;

}  // namespace pawl
