// pawl::fair_mutex: a pawl::mutex that is granted in the order in which its waiters joined the
// server's queue. The process and the thread of a waiter do not matter. The lock is never passed on
// inside the process: every grant is made by the server. As long as a waiter keeps its place in the
// queue, no other user of a fair_mutex overtakes it.
//
// A waiter gets its place in the queue when its client listens for grants. A client starts to
// listen when it first has to wait, or first acquires a lock with lock_options::linger. With
// `wait = poll` a caller has no place: it does not overtake those that have one, but it has no
// order itself.
//
// A waiter can lose its place. It then joins the queue again at the end, and others overtake it.
// This happens, for example, if
//   - its client does not listen when its turn comes, or
//   - it has not shown for as long as its lease (at least 1.5 s) that it still waits.
//
// docs/guarantees.md, "The order of grants", has all cases. <pawl/lockable.h> documents the
// functions.
#pragma once

#include <pawl/client.h>
#include <pawl/export.h>
#include <pawl/lockable.h>
#include <pawl/options.h>

#include <string_view>

namespace pawl {

class PAWL_EXPORT fair_mutex : public lockable {
public:
    // Checks the name (1 to 512 bytes, any except NUL) and the options; lock_options::linger must
    // be 0. No round trip. Throws pawl::error (bad_argument).
    fair_mutex(client& client, std::string_view name, const lock_options& options = {});
    ~fair_mutex();
};

}  // namespace pawl
