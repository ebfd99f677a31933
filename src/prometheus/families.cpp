// A snapshot as metric families. The figures of all locks are named pawl_…, and those of locks that are counted one by
// one pawl_lock_…, so that a sum over one name counts nothing twice.
#include <pawl/error.h>
#include <pawl/event.h>
#include <pawl/prometheus.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace pawl::prometheus {
namespace {

using ::prometheus::ClientMetric;
using ::prometheus::MetricFamily;
using ::prometheus::MetricType;
using labels = std::vector<ClientMetric::Label>;

double in_seconds(std::chrono::nanoseconds time)
{
    return std::chrono::duration<double>{time}.count();
}

// For the value of a label: "handed over" becomes "handed_over".
std::string word_for(std::string_view text)
{
    std::string word{text};
    for (auto& c : word) {
        if (c == ' ' || c == '-') c = '_';
    }
    return word;
}

std::string_view code_of(errc what)
{
    switch (what) {
    case errc::busy: return "busy";
    case errc::timed_out: return "timed_out";
    case errc::cancelled: return "cancelled";
    case errc::lost: return "lost";
    case errc::not_owner: return "not_owner";
    case errc::unreachable: return "unreachable";
    case errc::refused: return "refused";
    case errc::not_a_lock: return "not_a_lock";
    case errc::bad_argument: return "bad_argument";
    case errc::would_deadlock: return "would_deadlock";
    case errc::wrong_process: return "wrong_process";
    case errc::not_due: return "not_due";
    case errc::no_quorum: return "no_quorum";
    }
    return "unknown";
}

// From 1 µs to 19 h, each four times the last one. These are ends of the histogram's own buckets, so the counts are
// exact.
ClientMetric::Histogram buckets_of(const histogram& all)
{
    constexpr unsigned first = 10;
    constexpr unsigned last = 46;
    ClientMetric::Histogram made;
    made.sample_count = all.count;
    made.sample_sum = in_seconds(all.sum);
    for (unsigned bits = first; bits <= last; bits += 2) {
        const std::chrono::nanoseconds end{(std::int64_t{1} << bits) - 1};
        made.bucket.push_back({all.count_up_to(end), in_seconds(end)});
    }
    return made;
}

// The length in bytes of the UTF-8 sequence at the start of `text`. 0 if there is none.
std::size_t sequence_length(std::string_view text)
{
    struct form {
        std::uint32_t mask, mark;  // of the first byte
        std::uint32_t least;       // no overlong forms
        std::size_t length;
    };
    static constexpr std::array<form, 4> forms{{{0x80, 0x00, 0, 1},
                                                {0xE0, 0xC0, 0x80, 2},
                                                {0xF0, 0xE0, 0x800, 3},
                                                {0xF8, 0xF0, 0x10000, 4}}};
    const std::uint32_t first = static_cast<unsigned char>(text.front());
    for (const auto& each : forms) {
        if ((first & each.mask) != each.mark) continue;
        if (text.size() < each.length) return 0;
        std::uint32_t code = first & ~each.mask & 0xFFU;
        for (const char c : text.substr(1, each.length - 1)) {
            const std::uint32_t byte = static_cast<unsigned char>(c);
            if ((byte & 0xC0U) != 0x80U) return 0;
            code = (code << 6U) | (byte & 0x3FU);
        }
        const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
        return code < each.least || code > 0x10FFFF || is_surrogate ? 0 : each.length;
    }
    return 0;
}

// Prometheus rejects a whole scrape if one label is not valid UTF-8.
std::string in_utf8(std::string_view bytes)
{
    std::string text;
    while (!bytes.empty()) {
        const auto length = sequence_length(bytes);
        if (length == 0) {
            text += "\xEF\xBF\xBD";  // U+FFFD
        } else {
            text += bytes.substr(0, length);
        }
        bytes.remove_prefix(length == 0 ? 1 : length);
    }
    return text;
}

// Writes one set of figures after another into families of the same names.
class writer {
public:
    explicit writer(std::string prefix) : prefix_{std::move(prefix)} {}

    void counter(std::string_view name, std::string_view help, labels which, std::uint64_t value)
    {
        auto& made = add(name, help, MetricType::Counter, std::move(which));
        made.counter.value = static_cast<double>(value);
    }
    void gauge(std::string_view name, std::string_view help, labels which, std::uint64_t value)
    {
        auto& made = add(name, help, MetricType::Gauge, std::move(which));
        made.gauge.value = static_cast<double>(value);
    }
    void times(std::string_view name, std::string_view help, labels which, const histogram& value)
    {
        add(name, help, MetricType::Histogram, std::move(which)).histogram = buckets_of(value);
    }

    [[nodiscard]] std::vector<MetricFamily> take() { return std::move(families_); }

private:
    ClientMetric& add(std::string_view name, std::string_view help, MetricType type, labels which)
    {
        const auto whole = prefix_ + std::string{name};
        MetricFamily* found = nullptr;
        for (auto& each : families_) {
            if (each.name == whole) found = &each;
        }
        if (found == nullptr) {
            found = &families_.emplace_back();
            found->name = whole;
            found->help = help;
            found->type = type;
        }
        auto& made = found->metric.emplace_back();
        made.label = std::move(which);
        return made;
    }

    std::string prefix_;
    std::vector<MetricFamily> families_;
};

labels with(labels all, std::string name, std::string value)
{
    all.push_back({std::move(name), std::move(value)});
    return all;
}

void write_calls(writer& out, const labels& whose, const lock_metrics& what)
{
    for (std::size_t i = 0; i < what.granted.size(); ++i) {
        const auto way = static_cast<grant_way>(i);
        out.counter("grants_total", "Grants, by the way in which the caller got the lock",
                    with(whose, "way", word_for(to_string(way))), what.granted[way]);
    }
    for (std::size_t i = 1; i < what.not_granted.size(); ++i) {
        const auto code = static_cast<errc>(i);
        out.counter("not_granted_total", "Calls that ended without the lock, by error code",
                    with(whose, "code", std::string{code_of(code)}), what.not_granted[code]);
    }
    out.counter("queue_joined_total", "How often a caller joined a server's queue", whose,
                what.queue.joined);
    out.counter("queue_waiters_total", "Waiters in these queues then, the caller included", whose,
                what.queue.waiters);
    out.gauge("queue_longest", "The longest queue that a caller joined", whose, what.queue.longest);
    out.times("wait_seconds", "From the call to the grant", whose, what.wait);
    out.times("hold_seconds", "From the grant until the lock was released", whose, what.hold);
    out.times("hand_over_seconds", "From a hand-over at the server until the caller had the lock",
              whose, what.hand_over);
}

void write_holds(writer& out, const labels& whose, const lock_metrics& what)
{
    out.gauge("held", "Grants whose last hold has not left yet", whose, what.held());
    for (std::size_t i = 1; i < what.losses.size(); ++i) {
        const auto why = static_cast<cause>(i);
        out.counter("losses_total", "Holds that were lost, by cause",
                    with(whose, "cause", word_for(to_string(why))), what.losses[why]);
    }
    out.counter("jeopardies_total", "How often a hold came into jeopardy", whose, what.jeopardies);
    out.counter("recoveries_total", "How often a hold in jeopardy was renewed after all", whose,
                what.recoveries);
    out.counter("lost_in_jeopardy_total", "How often a hold in jeopardy was lost", whose,
                what.lost_in_jeopardy);
    out.counter("renewals_sent_total", "Renewals that were sent, one for each lease", whose,
                what.renewals.sent);
    const std::array<std::pair<const char*, std::uint64_t>, 3> results{
        {{"done", what.renewals.done},
         {"failed", what.renewals.failed},
         {"denied", what.renewals.denied}}};
    for (const auto& [result, count] : results) {
        out.counter("renewals_total", "Renewals that have ended, by their result",
                    with(whose, "result", result), count);
    }
    out.times("renewal_margin_seconds", "What was left of a lease when it was renewed", whose,
              what.margin);
}

void write_client(writer& out, const labels& whose, const metrics& what)
{
    out.counter("requests_total", "Requests to the servers", whose, what.requests.sent);
    out.counter("requests_failed_total", "Requests without an answer", whose, what.requests.failed);
    out.times("round_trip_seconds", "From writing a request to its answer", whose,
              what.requests.round_trip);
    const auto& connections = what.connections;
    out.gauge("connections", "Connections that are open", whose, connections.open());
    out.counter("connections_opened_total", "Connections that were made", whose,
                connections.opened);
    out.counter("connections_ended_total", "Connections that have ended", whose, connections.ended);
    out.counter("connections_failed_total", "Attempts that did not lead to a connection", whose,
                connections.failed);
    out.counter("reconnects_total", "Shared connections that replaced one that had ended", whose,
                connections.reconnects);
    out.counter("sent_bytes_total", "Bytes to the servers", whose, connections.bytes_sent);
    out.counter("received_bytes_total", "Bytes from the servers", whose,
                connections.bytes_received);
    out.gauge("leases", "Locks that the server has for this client", whose, what.leases);
    out.gauge("waiters", "Callers that have, or want, a place in a server's queue", whose,
              what.waiters);
    out.gauge("listening", "1 if the server's messages reach this client", whose,
              what.listening ? 1 : 0);
}

}  // namespace

std::vector<MetricFamily> families_of(const metrics& what, const std::string& label)
{
    const labels whose{{"client", in_utf8(label)}};
    writer all{"pawl_"};
    write_calls(all, whose, what.all);
    write_holds(all, whose, what.all);
    write_client(all, whose, what);
    writer each{"pawl_lock_"};
    for (const auto& [name, lock] : what.locks) {
        const auto which = with(whose, "lock", in_utf8(name));
        write_calls(each, which, lock);
        write_holds(each, which, lock);
    }
    auto made = all.take();
    for (auto& family : each.take()) made.push_back(std::move(family));
    return made;
}

}  // namespace pawl::prometheus
