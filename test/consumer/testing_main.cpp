// A user's test with the levers of <pawl/testing.h>.
#include <pawl/pawl.h>
#include <pawl/testing.h>

#include <chrono>
#include <iostream>

using namespace std::chrono_literals;

namespace {

bool failed = false;

void expect(bool holds, const char* what)
{
    if (holds) return;
    std::cerr << "this is not true: " << what << '\n';
    failed = true;
}

}  // namespace

int main()
{
    pawl::testing::memory_server server;
    pawl::client client{server.url()};
    pawl::mutex lock{client, "job"};
    const pawl::hold held = lock.acquire();
    server.advance(1h);
    expect(held.state() == pawl::hold_state::held, "an hour later it is held");
    expect(server.holder("job") == held.id(), "the server agrees");

    // The library for tests finds the client that libpawl created, and the program can catch its
    // exceptions.
    server.cut_off(client);
    server.advance(31s);
    expect(held.lost().stop_requested(), "a client that is cut off loses the lock");
    server.reconnect(client);
    try {
        pawl::client stranger{"memory:"};
        server.cut_off(stranger);
        expect(false, "a client of another server is refused");
    } catch (const pawl::error& e) {
        expect(e.code() == pawl::errc::bad_argument,
               "a client of another server is a bad argument");
    }
    return failed ? 1 : 0;
}
