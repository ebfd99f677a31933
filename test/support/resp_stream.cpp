#include "support/resp_stream.h"

#include <charconv>
#include <stdexcept>

namespace pawl::test {

namespace {

constexpr int deepest = 16;

// A cursor over the bytes. Each step tells whether there were enough bytes.
struct reader {
    std::string_view bytes;
    std::size_t at = 0;

    std::optional<std::string_view> line()
    {
        const std::size_t end = bytes.find("\r\n", at);
        if (end == bytes.npos) return std::nullopt;
        const std::string_view text = bytes.substr(at, end - at);
        at = end + 2;
        return text;
    }

    bool skip(std::size_t count)
    {
        if (bytes.size() - at < count) return false;
        at += count;
        return true;
    }

    bool value(int depth = 0);
    bool values(long count, int depth);
};

long number(std::string_view text)
{
    long result = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (problem != std::errc{} || end != text.data() + text.size()) {
        throw std::runtime_error{"not RESP: '" + std::string{text} + "' is not a number"};
    }
    return result;
}

bool reader::values(long count, int depth)
{
    for (long i = 0; i < count; ++i) {
        if (!value(depth)) return false;
    }
    return true;
}

bool reader::value(int depth)
{
    if (depth > deepest) throw std::runtime_error{"not RESP: nested too deep"};
    const auto head = line();
    if (!head) return false;
    if (head->empty()) throw std::runtime_error{"not RESP: an empty line"};
    const std::string_view rest = head->substr(1);
    switch (head->front()) {
    case '+':
    case '-':
    case ':':
    case '_':
    case '#':
    case ',':
    case '(': return true;
    case '$':
    case '!':
    case '=': {
        const long size = number(rest);
        return size < 0 || skip(static_cast<std::size_t>(size) + 2);
    }
    case '*':
    case '~':
    case '>': return values(number(rest), depth + 1);
    case '%': return values(2 * number(rest), depth + 1);
    case '|': return values(2 * number(rest), depth + 1) && value(depth);
    default: throw std::runtime_error{"not RESP: " + std::string{*head}};
    }
}

}  // namespace

std::optional<std::size_t> first_value(std::string_view bytes)
{
    reader all{.bytes = bytes};
    if (!all.value()) return std::nullopt;
    return all.at;
}

std::vector<std::string> request_words(std::string_view request)
{
    reader all{.bytes = request};
    const long count = number(all.line().value().substr(1));
    std::vector<std::string> words;
    for (long i = 0; i < count; ++i) {
        const long size = number(all.line().value().substr(1));
        words.emplace_back(request.substr(all.at, static_cast<std::size_t>(size)));
        if (!all.skip(static_cast<std::size_t>(size) + 2)) throw std::runtime_error{"incomplete"};
    }
    return words;
}

}  // namespace pawl::test
