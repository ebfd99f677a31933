#include "faults/network.h"

#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_dir.h"

#include <cerrno>
#include <cstring>
#include <net/if.h>
#include <sched.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace pawl::faults {

namespace {

[[noreturn]] void fail(const char* what)
{
    throw std::system_error{errno, std::generic_category(), what};
}

// Root of a new user namespace may make the others. A user who is root already needs none.
void enter_namespaces()
{
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    const int wanted = CLONE_NEWNET | CLONE_NEWNS | (user == 0 ? 0 : CLONE_NEWUSER);
    if (::unshare(wanted) != 0) fail("make a network namespace");
    if (user != 0) {
        test::write_file("/proc/self/setgroups", "deny");
        test::write_file("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
        test::write_file("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
    }
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) fail("own mounts");
    // libfaketime leaves files there when its process is killed.
    if (::mount("pawl", "/dev/shm", "tmpfs", 0, nullptr) != 0) fail("own shared memory");
}

void start_loopback()
{
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    const bool up = fd >= 0 && ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    if (fd >= 0) ::close(fd);
    if (!up) fail("start the loopback device");
}

void nft(const std::string& text)
{
    test::process command{{"nft", "-f", "-"}};
    command.write(text);
    command.close_stdin();
    if (command.wait(test::patience) != test::exited(0)) {
        throw std::runtime_error{"nft: " + command.err() + " for: " + text};
    }
}

[[nodiscard]] std::string set_of(const std::vector<std::uint16_t>& ports)
{
    std::string text;
    for (const std::uint16_t port : ports)
        text += (text.empty() ? "" : ", ") + std::to_string(port);
    return "{ " + text + " }";
}

[[nodiscard]] std::vector<std::string> to(const endpoint& target)
{
    std::vector<std::string> made{"tcp dport " + set_of(target.ports)};
    if (!target.source.empty()) made.push_back("ip daddr " + target.source);
    return made;
}

[[nodiscard]] std::vector<std::string> from(const endpoint& target)
{
    std::vector<std::string> made{"tcp sport " + set_of(target.ports)};
    if (!target.source.empty()) made.push_back("ip saddr " + target.source);
    return made;
}

[[nodiscard]] std::vector<std::string> both(const endpoint& target)
{
    std::vector<std::string> made = to(target);
    for (std::string& one : from(target)) made.push_back(std::move(one));
    return made;
}

[[nodiscard]] std::vector<std::string> each_then(std::vector<std::string> matches,
                                                 const std::string& verdict)
{
    for (std::string& one : matches) one += " " + verdict;
    return matches;
}

[[nodiscard]] std::string chance(int percent)
{
    return "numgen random mod 100 < " + std::to_string(percent) + " ";
}

}  // namespace

network::network()
{
    enter_namespaces();
    start_loopback();
    nft("add table inet pawl\n"
        "add chain inet pawl faults { type filter hook input priority 0; }\n");
}

void network::add(const std::vector<std::string>& rules) const
{
    std::string text;
    for (const std::string& rule : rules) text += "add rule inet pawl faults " + rule + "\n";
    nft(text);
}

void network::drop_to(const endpoint& target)
{
    add(each_then(to(target), "drop"));
}

void network::drop_from(const endpoint& target)
{
    add(each_then(from(target), "drop"));
}

void network::drop_both(const endpoint& target)
{
    add(each_then(both(target), "drop"));
}

// Servers and sentinels connect from addresses of their own, clients from 127.0.0.1.
void network::drop_from_servers(const endpoint& target)
{
    const std::string ports = set_of(target.ports);
    add({"ip saddr " + target.source + " drop", "ip daddr " + target.source + " drop",
         "ip saddr != 127.0.0.1 tcp dport " + ports + " drop",
         "ip daddr != 127.0.0.1 tcp sport " + ports + " drop"});
}

void network::half_open(const endpoint& target)
{
    // Only the packets with SYN pass, so the client's connect() succeeds.
    add(each_then(both(target), "tcp flags & syn != syn drop"));
}

void network::lose(const endpoint& target, int percent)
{
    add(each_then(both(target), chance(percent) + "drop"));
}

void network::reset(const endpoint& target, int percent)
{
    add(each_then(to(target), chance(percent) + "reject with tcp reset"));
}

// Servers, sentinels and proxies connect from other addresses.
void network::lead(std::uint16_t from, std::uint16_t to)
{
    nft("add chain inet pawl led { type nat hook output priority -100; }\n"
        "add rule inet pawl led ip saddr 127.0.0.1 ip daddr 127.0.0.1 tcp dport " +
        std::to_string(from) + " redirect to :" + std::to_string(to) + "\n");
}

void network::pass()
{
    nft("flush table inet pawl\n");
}

}  // namespace pawl::faults
