#include "support/request_monitor.h"

#include "support/eventually.h"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <sys/socket.h>

namespace pawl::test {
namespace {

constexpr std::string_view mark = "pawl-test-mark-";

unsigned hex_digit(char c)
{
    constexpr std::string_view digits = "0123456789abcdef";
    return static_cast<unsigned>(digits.find(c));
}

// The character that the escape at `at` means. Moves `at` to the last character of the escape.
char unescaped(std::string_view line, std::size_t& at)
{
    switch (line.at(at)) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'x':
        at += 2;
        return static_cast<char>(hex_digit(line.at(at - 1)) * 16 + hex_digit(line.at(at)));
    default: return line.at(at);
    }
}

// Valkey 8.1.1 does not escape a quotation mark inside a word.
bool ends_word(std::string_view line, std::size_t at)
{
    return line.at(at) == '"' && (at + 1 == line.size() || line.substr(at + 1).starts_with(" \""));
}

}  // namespace

request monitored_words(std::string_view line)
{
    // 1339518083.107412 [0 unix:/path] "get" "job"      with "[0 lua]" for calls of scripts
    request words;
    const std::size_t start = line.find("] \"");
    if (start == line.npos || line.substr(0, start).ends_with(" lua")) return words;
    for (std::size_t at = start + 2; at < line.size(); at += 2) {
        std::string word;
        while (!ends_word(line, ++at)) word += line[at] == '\\' ? unescaped(line, ++at) : line[at];
        words.push_back(std::move(word));
    }
    return words;
}

request_monitor::request_monitor(const std::string& socket_path,
                                 std::function<void(const request&)> seen)
    : socket_{connect_unix(socket_path)}, seen_{std::move(seen)}
{
    constexpr std::string_view ask = "MONITOR\r\n";
    constexpr std::string_view yes = "+OK\r\n";
    std::array<char, yes.size()> answer{};
    if (::send(socket_.get(), ask.data(), ask.size(), MSG_NOSIGNAL) < 0 ||
        ::recv(socket_.get(), answer.data(), answer.size(), MSG_WAITALL) < 0 ||
        std::string_view{answer.data(), answer.size()} != yes) {
        throw std::runtime_error{"request_monitor: the server refuses MONITOR"};
    }
    thread_ = std::jthread{[this] { run(); }};
}

request_monitor::~request_monitor()
{
    ::shutdown(socket_.get(), SHUT_RDWR);
}

void request_monitor::run()
{
    std::string buffer;
    std::array<char, 65536> chunk;
    while (true) {
        const auto got = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
        if (got <= 0) return;
        buffer.append(chunk.data(), static_cast<std::size_t>(got));
        std::size_t start = 0;
        for (std::size_t end = 0; (end = buffer.find("\r\n", start)) != buffer.npos;
             start = end + 2) {
            take(std::string_view{buffer}.substr(start, end - start));
        }
        buffer.erase(0, start);
    }
}

void request_monitor::take(std::string_view line)
{
    const request words = monitored_words(line);
    if (words.empty()) return;
    if (words.size() == 2 && words[1].starts_with(mark)) {
        const std::lock_guard lock{mutex_};
        marks_seen_ = std::stoull(words[1].substr(mark.size()));
        changed_.notify_all();
        return;
    }
    seen_(words);
}

void request_monitor::catch_up(redis_probe& probe)
{
    const std::uint64_t number = ++marks_sent_;
    probe.must({"ECHO", std::string{mark} + std::to_string(number)});
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, 2 * patience, [&] { return marks_seen_ >= number; })) {
        throw std::runtime_error{"request_monitor: it did not catch up in time"};
    }
}

}  // namespace pawl::test
