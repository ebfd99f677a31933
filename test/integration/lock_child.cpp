#include "integration/lock_child.h"

#include "integration/child.h"

namespace pawl::test {
namespace {

int take_a_lock(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    lock_options options;
    options.lease = std::chrono::milliseconds{std::stol(arguments.at(3))};
    any_lock lock{lock_kind_of(arguments.at(1)), own, arguments.at(2), options};
    say("asking");
    hold held = lock->acquire();
    say("fence " + std::to_string(held.fence()));
    hear();
    std::error_code told;
    held.release(told);
    if (!told) say("released");
    return 0;
}

const child_role taking{"taking a lock", take_a_lock};

}  // namespace

process start_lock_child(const std::string& url, lock_kind kind, const std::string& name,
                         std::chrono::milliseconds lease)
{
    return taking.start({url, std::string{to_string(kind)}, name, std::to_string(lease.count())});
}

}  // namespace pawl::test
