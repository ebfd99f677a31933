// A user's test that knows a server only by its URL. Only the header refers to libpawl-testing. A
// linker that drops unused libraries must keep it.
#include <pawl/pawl.h>
#include <pawl/testing.h>

#include <iostream>

int main()
{
    pawl::client client{"memory:"};
    pawl::mutex lock{client, "job"};
    const pawl::hold held = lock.acquire();
    std::cout << "held on " << client.server() << ", with fence " << held.fence() << '\n';
    return held.state() == pawl::hold_state::held ? 0 : 1;
}
