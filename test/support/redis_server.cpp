#include "support/redis_server.h"

#include "support/eventually.h"
#include "support/free_port.h"
#include "support/tls_files.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace pawl::test {

namespace {

constexpr int most_port_choices = 8;
constexpr std::chrono::milliseconds stop_limit{3'000};

// Another server than the one in PATH may be tested: ./dev servers sets the variable.
std::string server_command()
{
    const char* const path = std::getenv("PAWL_TEST_REDIS_SERVER");
    if (path == nullptr || *path == '\0') return "redis-server";
    if (::access(path, X_OK) != 0) {
        throw std::runtime_error{
            "PAWL_TEST_REDIS_SERVER must name a server that can be executed, but " +
            std::string{path} + ": " + std::generic_category().message(errno)};
    }
    return path;
}

// The server says e.g. "Redis server v=7.0.15 sha=…". Before 7.0 there are fewer settings: DEBUG is always
// allowed, and the port between the nodes of a Cluster cannot be chosen.
bool is_before_7()
{
    static const bool is = [] {
        process asked{{server_command(), "--version"}};
        const std::optional<ending> end = asked.wait(patience);
        const std::string said = asked.out();
        const std::size_t at = said.find(" v=");
        if (end != exited(0) || at == std::string::npos) {
            throw std::runtime_error{server_command() + " --version said: " + said + asked.err()};
        }
        return std::atoi(said.c_str() + at + 3) < 7;
    }();
    return is;
}

// Before 7.0, a server that cannot open its second port says only the latter.
bool lacks_port(const std::string& log)
{
    return log.find("Failed listening on port") != std::string::npos ||
           log.find("Could not create server TCP listening socket") != std::string::npos;
}

}  // namespace

redis_server::redis_server(server_options options) : options_{std::move(options)}
{
    // A free port may be taken by another process before redis-server binds it.
    for (int choice = 0; choice < most_port_choices; ++choice) {
        choose_ports();
        write_config();
        if (start()) return;
        if (!lacks_port(log())) break;
    }
    throw std::runtime_error{"redis-server did not start: " + log()};
}

redis_server::~redis_server()
{
    // Its data is not needed, so SIGKILL is fine. It also ends a frozen server.
    if (process_) process_->signal(SIGKILL);
}

void redis_server::choose_ports()
{
    // Before 7.0, the second port of a node is that much above the first. It may be taken.
    constexpr std::uint16_t bus_distance = 10'000;
    constexpr std::uint16_t highest = std::numeric_limits<std::uint16_t>::max() - bus_distance;
    const bool fixed_bus = options_.cluster && is_before_7();
    do {
        port_ = free_port();
    } while (fixed_bus && port_ > highest);
    if (options_.tls != nullptr) tls_port_ = free_port();
    if (options_.cluster) bus_port_ = fixed_bus ? port_ + bus_distance : free_port();
}

void redis_server::write_config() const
{
    std::ostringstream text;
    text << "bind 127.0.0.1\nport " << port_ << "\nunixsocket " << socket_path()
         << "\nunixsocketperm 700\ndir " << dir_.path().string()
         << "\nsave \"\"\nappendonly no\ndaemonize no\n";
    if (!is_before_7()) text << "enable-debug-command local\n";
    if (options_.tls != nullptr) {
        text << "tls-port " << tls_port_ << "\ntls-cert-file " << options_.tls->server_cert()
             << "\ntls-key-file " << options_.tls->server_key() << "\ntls-ca-cert-file "
             << options_.tls->ca() << "\ntls-auth-clients "
             << (options_.tls_client_certificate ? "yes" : "no") << '\n';
    }
    if (options_.cluster) text << "cluster-enabled yes\n";
    if (options_.cluster && !is_before_7()) text << "cluster-port " << bus_port_ << '\n';
    for (const std::string& line : options_.config) text << line << '\n';
    write_file(dir_.file("redis.conf"), text.str());
}

bool redis_server::start()
{
    std::vector<std::string> command = options_.program;
    if (command.empty()) command = {server_command()};
    command.push_back(dir_.file("redis.conf"));
    if (options_.sentinel) command.emplace_back("--sentinel");
    process_ = std::make_unique<process>(std::move(command));
    const bool decided = eventually([this] { return answers() || !process_->running(); });
    if (!decided || !process_->running()) return false;
    state_ = server_state::running;
    return true;
}

bool redis_server::answers() const
{
    // "NOAUTH Authentication required" is an answer too.
    try {
        const redis_value reply = probe().command({"PING"});
        return reply.text.find("LOADING") == std::string::npos;
    } catch (const std::exception&) {
        return false;
    }
}

void redis_server::stop()
{
    thaw();
    process_->signal(SIGTERM);
    if (!process_->wait(stop_limit)) kill();
    state_ = server_state::stopped;
}

void redis_server::kill()
{
    process_->signal(SIGKILL);
    if (!process_->wait(patience))
        throw std::runtime_error{"redis-server did not end after SIGKILL"};
    state_ = server_state::stopped;
}

void redis_server::restart()
{
    stop();
    start_again();
}

void redis_server::start_again()
{
    if (!start()) throw std::runtime_error{"redis-server did not restart: " + log()};
}

void redis_server::freeze()
{
    process_->signal(SIGSTOP);
    const bool stopped = eventually([this] {
        siginfo_t info{};
        return ::waitid(P_PID, static_cast<id_t>(pid()), &info, WSTOPPED | WNOHANG) == 0 &&
               info.si_pid == pid();
    });
    if (!stopped) throw std::runtime_error{"redis-server did not stop after SIGSTOP"};
    state_ = server_state::frozen;
}

void redis_server::thaw()
{
    process_->signal(SIGCONT);
    if (state_ == server_state::frozen) state_ = server_state::running;
}

std::string redis_server::url() const
{
    return "redis://127.0.0.1:" + std::to_string(port_);
}

std::string redis_server::unix_url() const
{
    return "unix:" + socket_path();
}

std::string redis_server::tls_url() const
{
    return "rediss://127.0.0.1:" + std::to_string(tls_port_);
}

std::string redis_server::log() const
{
    return process_->out() + process_->err();
}

redis_probe redis_server::probe() const
{
    return redis_probe::unix_socket(socket_path());
}

}  // namespace pawl::test
