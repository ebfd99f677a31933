#include "support/redis_server.h"

#include "support/eventually.h"
#include "support/free_port.h"
#include "support/tls_files.h"

#include <csignal>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>

namespace pawl::test {

namespace {

constexpr int most_port_choices = 8;
constexpr std::chrono::milliseconds stop_limit{3'000};

}  // namespace

redis_server::redis_server(server_options options) : options_{std::move(options)}
{
    // A free port may be taken by another process before redis-server binds it.
    for (int choice = 0; choice < most_port_choices; ++choice) {
        choose_ports();
        if (start()) return;
        if (log().find("Failed listening on port") == std::string::npos) break;
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
    port_ = free_port();
    if (options_.tls != nullptr) tls_port_ = free_port();
}

void redis_server::write_config() const
{
    std::ostringstream text;
    text << "bind 127.0.0.1\nport " << port_ << "\nunixsocket " << socket_path()
         << "\nunixsocketperm 700\ndir " << dir_.path().string()
         << "\nsave \"\"\nappendonly no\ndaemonize no\nenable-debug-command local\n";
    if (options_.tls != nullptr) {
        text << "tls-port " << tls_port_ << "\ntls-cert-file " << options_.tls->server_cert()
             << "\ntls-key-file " << options_.tls->server_key() << "\ntls-ca-cert-file "
             << options_.tls->ca() << "\ntls-auth-clients "
             << (options_.tls_client_certificate ? "yes" : "no") << '\n';
    }
    for (const std::string& line : options_.config) text << line << '\n';
    write_file(dir_.file("redis.conf"), text.str());
}

bool redis_server::start()
{
    write_config();
    process_ = std::make_unique<process>(
        std::vector<std::string>{"redis-server", dir_.file("redis.conf")});
    const bool decided = eventually([this] { return answers() || !process_->running(); });
    return decided && process_->running();
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
}

void redis_server::kill()
{
    process_->signal(SIGKILL);
    if (!process_->wait(patience))
        throw std::runtime_error{"redis-server did not end after SIGKILL"};
}

void redis_server::restart()
{
    stop();
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
}

void redis_server::thaw()
{
    process_->signal(SIGCONT);
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
