// pawl::fair_mutex: a pawl::mutex that is granted in the order in which its waiters arrived at the
// server, whatever process or thread they are of. Nobody overtakes, so every grant costs a round trip:
// nothing is passed on inside the process.
//
// A place counts from when the client listens for grants, which it begins to do when it first has
// to wait. A waiter whose client does not listen when its turn comes, or that has not been heard of
// for its lease (1.5 s at least), loses its place and queues again at the end. Everything else is
// in <pawl/lockable.h>.
#pragma once

#include <pawl/client.h>
#include <pawl/export.h>
#include <pawl/lockable.h>
#include <pawl/options.h>

#include <string_view>

namespace pawl {

class PAWL_EXPORT fair_mutex : public lockable {
public:
    fair_mutex(client& client, std::string_view name, const lock_options& options = {});
    ~fair_mutex();
};

}  // namespace pawl
