#include "support/fault_proxy.h"

#include "support/proxied_connection.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <list>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace pawl::test {

request_predicate touches(std::string key)
{
    return [key = std::move(key)](const request& words) {
        return std::find(words.begin() + 1, words.end(), key) != words.end();
    };
}

std::size_t proxy_counts::of(const std::string& command) const
{
    const auto found = requests.find(command);
    return found == requests.end() ? 0 : found->second;
}

// The proxy's thread owns all sockets and settings. Only the counts and the list of errands are
// shared with the test.
class fault_proxy::loop {
public:
    loop(std::uint16_t target_port, std::string source)
        : target_port_{target_port}, source_{std::move(source)}
    {
        if (!wake_) throw std::system_error{errno, std::generic_category(), "eventfd"};
        listen_again();
        settings_.on_request = [this](const std::string& command) {
            count([&](proxy_counts& counts) { ++counts.requests[command]; });
        };
        settings_.on_swallow = [this] { count([](proxy_counts& counts) { ++counts.swallowed; }); };
        settings_.on_push_dropped = [this] {
            count([](proxy_counts& counts) { ++counts.pushes_dropped; });
        };
        thread_ = std::thread{[this] { run(); }};
    }

    ~loop()
    {
        perform([this] { finished_ = true; });
        thread_.join();
    }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    // Runs `errand` on the proxy's thread and waits for it.
    void perform(std::function<void()> errand)
    {
        std::unique_lock lock{mutex_};
        errands_.push_back(std::move(errand));
        const std::size_t ticket = ++errands_asked_;
        wake();
        changed_.wait(lock, [&] { return errands_done_ >= ticket; });
    }

    void set_fault(proxy_fault fault, std::chrono::milliseconds delay)
    {
        perform([=, this] {
            settings_.fault = fault;
            settings_.delay = delay;
        });
    }

    void add_rule(swallow_rule rule)
    {
        perform([this, &rule] {
            settings_.rules.push_back(std::make_shared<swallow_rule>(std::move(rule)));
        });
    }

    void drop_pushes(double chance)
    {
        perform([=, this] { settings_.push_loss = chance; });
    }

    void cut(ending how)
    {
        perform([this, how] {
            for (proxied_connection& connection : connections_) connection.end(how);
            connections_.clear();
            count_open();
        });
    }

    void set_door(door state)
    {
        perform([this, state] {
            door_ = state;
            if (state == door::closed) {
                listener_.reset();
            } else if (!listener_) {
                listen_again();
            }
        });
    }

    void lead_to(std::uint16_t port)
    {
        perform([=, this] { target_port_ = port; });
    }

    [[nodiscard]] proxy_counts counts() const
    {
        const std::lock_guard lock{mutex_};
        return counts_;
    }

    [[nodiscard]] bool wait_for(const std::function<bool(const proxy_counts&)>& condition,
                                std::chrono::milliseconds limit) const
    {
        std::unique_lock lock{mutex_};
        return changed_.wait_for(lock, limit, [&] { return condition(counts_); });
    }

private:
    void listen_again()
    {
        listener_ = bind_loopback(port_);
        port_ = local_port(listener_);
        if (::listen(listener_.get(), SOMAXCONN) != 0) {
            throw std::system_error{errno, std::generic_category(), "listen"};
        }
    }

    void wake() const
    {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
    }

    template <class Change>
    void count(Change&& change)
    {
        const std::lock_guard lock{mutex_};
        change(counts_);
        changed_.notify_all();
    }

    void count_open()
    {
        const auto open = std::count_if(connections_.begin(), connections_.end(),
                                        [](const auto& one) { return !one.client_gone(); });
        count([&](proxy_counts& counts) { counts.open = static_cast<std::size_t>(open); });
    }

    void run()
    {
        while (!finished_) {
            wait_for_something();
            run_errands();
            if (finished_) break;
            accept_all();
            advance_all();
        }
    }

    void wait_for_something()
    {
        const auto now = proxy_clock::now();
        auto due = proxy_clock::time_point::max();
        polled_.clear();
        polled_.push_back({.fd = wake_.get(), .events = POLLIN, .revents = 0});
        const bool accepting = listener_ && door_ != door::ignored;
        polled_.push_back({.fd = accepting ? listener_.get() : -1, .events = POLLIN, .revents = 0});
        for (const proxied_connection& connection : connections_) {
            due = std::min(due, connection.next_due());
            push(connection.client_fd(), connection.client_events(now));
            push(connection.server_fd(), connection.server_events(now));
        }
        int timeout_ms = -1;
        if (due != proxy_clock::time_point::max()) {
            const auto wait = std::chrono::ceil<std::chrono::milliseconds>(due - now).count();
            timeout_ms = static_cast<int>(std::max<std::int64_t>(wait, 0));
        }
        ::poll(polled_.data(), polled_.size(), timeout_ms);
    }

    // A socket without wanted events is left out: poll() would report its hang-up again and again.
    void push(int fd, short events)
    {
        polled_.push_back({.fd = events == 0 ? -1 : fd, .events = events, .revents = 0});
    }

    void run_errands()
    {
        std::uint64_t ignored = 0;
        [[maybe_unused]] const ssize_t count = ::read(wake_.get(), &ignored, sizeof ignored);
        std::unique_lock lock{mutex_};
        const auto errands = std::exchange(errands_, {});
        lock.unlock();
        for (const auto& errand : errands) errand();
        lock.lock();
        errands_done_ += errands.size();
        changed_.notify_all();
    }

    void accept_all()
    {
        while (listener_ && door_ != door::ignored) {
            socket_fd client{
                ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
            if (!client) return;
            send_at_once(client);
            count([](proxy_counts& counts) { ++counts.accepted; });
            if (door_ == door::slammed) continue;
            socket_fd server = connect_loopback(target_port_, source_);
            if (!server) continue;
            connections_.emplace_back(std::move(client), std::move(server), settings_);
            count_open();
        }
    }

    void advance_all()
    {
        // Errands may have removed connections, and accept_all() may have added some. So the
        // results of poll() are looked up by descriptor. Reading from a socket that is not ready
        // does no harm.
        const auto now = proxy_clock::now();
        const auto ready = [this](int fd) {
            return std::any_of(polled_.begin(), polled_.end(), [fd](const pollfd& one) {
                return one.fd == fd && (one.revents & ~POLLOUT) != 0;
            });
        };
        bool changed = false;
        for (auto at = connections_.begin(); at != connections_.end();) {
            const bool was_gone = at->client_gone();
            const bool alive = at->advance(ready(at->client_fd()), ready(at->server_fd()), now);
            changed = changed || !alive || was_gone != at->client_gone();
            at = alive ? std::next(at) : connections_.erase(at);
        }
        if (changed) count_open();
    }

    std::uint16_t port_ = 0;
    socket_fd wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};

    // Used by the proxy's thread only, when it runs.
    std::uint16_t target_port_;
    std::string source_;
    socket_fd listener_;
    door door_ = door::open;
    proxy_settings settings_;
    std::list<proxied_connection> connections_;
    std::vector<pollfd> polled_;
    bool finished_ = false;

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<std::function<void()>> errands_;
    std::size_t errands_asked_ = 0;
    std::size_t errands_done_ = 0;
    proxy_counts counts_;

    std::thread thread_;
};

fault_proxy::fault_proxy(std::uint16_t target_port, std::string source)
    : loop_{std::make_unique<loop>(target_port, std::move(source))}
{
}

fault_proxy::~fault_proxy() = default;

std::uint16_t fault_proxy::port() const noexcept
{
    return loop_->port();
}

std::string fault_proxy::url() const
{
    return "redis://127.0.0.1:" + std::to_string(port());
}

void fault_proxy::pass()
{
    loop_->set_fault(proxy_fault::pass, {});
}

void fault_proxy::delay(std::chrono::milliseconds each_way)
{
    loop_->set_fault(proxy_fault::pass, each_way);
}

void fault_proxy::drop_replies()
{
    loop_->set_fault(proxy_fault::drop_replies, {});
}

void fault_proxy::drop_requests()
{
    loop_->set_fault(proxy_fault::drop_requests, {});
}

void fault_proxy::half_open()
{
    loop_->set_fault(proxy_fault::half_open, {});
}

void fault_proxy::cut(ending how)
{
    loop_->cut(how);
}

void fault_proxy::set_door(door state)
{
    loop_->set_door(state);
}

void fault_proxy::lead_to(std::uint16_t port)
{
    loop_->lead_to(port);
}

void fault_proxy::swallow_reply_to(request_predicate wanted, std::size_t count, afterwards then)
{
    loop_->add_rule({.wanted = std::move(wanted), .left = count, .then = then});
}

void fault_proxy::drop_pushes(double chance)
{
    loop_->drop_pushes(chance);
}

proxy_counts fault_proxy::counts() const
{
    return loop_->counts();
}

bool fault_proxy::wait_for(const std::function<bool(const proxy_counts&)>& condition,
                           std::chrono::milliseconds limit) const
{
    return loop_->wait_for(condition, limit);
}

}  // namespace pawl::test
