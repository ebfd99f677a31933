// Faults of the lines between clients and servers, and among servers.
#include "faults/fault.h"

#include "support/eventually.h"

#include <stdexcept>

namespace pawl::faults {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds a_while{1'000};
constexpr milliseconds each_way{150};
constexpr milliseconds until_replaced{4'000};

// Of one server, until the span is over.
template <class Cut>
void while_cut(scene& here, milliseconds span, Cut&& cut)
{
    cut(*here.net, here.servers.endpoint_of(here.target()));
    pause(span);
    here.net->pass();
}

// The proxy in front of one server. Throws if the clients do not use it.
[[nodiscard]] test::fault_proxy& used_line(scene& here)
{
    test::fault_proxy& line = here.servers.proxy(here.target());
    if (!test::eventually([&] { return line.counts().open > 0; })) {
        throw std::runtime_error{"no client is connected through the proxy"};
    }
    return line;
}

}  // namespace

void cut_off_both_ways(scene& here)
{
    while_cut(here, here.lease * 3 / 2,
              [](network& net, const endpoint& target) { net.drop_both(target); });
}

void cut_off_requests(scene& here)
{
    while_cut(here, here.lease * 3 / 2,
              [](network& net, const endpoint& target) { net.drop_to(target); });
}

void cut_off_replies(scene& here)
{
    while_cut(here, here.lease * 3 / 2,
              [](network& net, const endpoint& target) { net.drop_from(target); });
}

// Until another one has taken over. Clients still reach the old primary.
void cut_off_from_servers(scene& here)
{
    while_cut(here, until_replaced,
              [](network& net, const endpoint& target) { net.drop_from_servers(target); });
}

void half_open_lines(scene& here)
{
    while_cut(here, here.lease * 3 / 2,
              [](network& net, const endpoint& target) { net.half_open(target); });
}

void lose_packets(scene& here)
{
    while_cut(here, a_while, [](network& net, const endpoint& target) { net.lose(target, 20); });
}

void reset_connections(scene& here)
{
    while_cut(here, a_while, [](network& net, const endpoint& target) { net.reset(target, 2); });
}

void slow_lines(scene& here)
{
    test::fault_proxy& line = used_line(here);
    line.delay(each_way);
    pause(a_while);
    line.pass();
}

void cut_messages(scene& here)
{
    constexpr int cuts = 15;
    constexpr milliseconds between{40};
    test::fault_proxy& line = used_line(here);
    for (int i = 0; i < cuts; ++i) {
        // Executed, but its reply never arrives.
        line.swallow_reply_to([](const test::request&) { return true; }, 1,
                              test::fault_proxy::afterwards::close);
        pause(between);
        line.cut(i % 2 == 0 ? test::fault_proxy::ending::reset
                            : test::fault_proxy::ending::orderly);
    }
}

}  // namespace pawl::faults
