#include "redis/resp.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace pawl::redis {
namespace {

// A type, the digits of a length, and the end of the line.
constexpr std::size_t most_digits = std::numeric_limits<std::size_t>::digits10 + 1;
constexpr std::size_t longest_length = most_digits + 3;

char* write_end(char* to)
{
    *to++ = '\r';
    *to++ = '\n';
    return to;
}

char* write_length(char* to, char type, std::size_t length)
{
    *to++ = type;
    return write_end(std::to_chars(to, to + most_digits, length).ptr);
}

void append_length(std::string& out, char type, std::size_t length)
{
    char text[longest_length];
    out.append(std::begin(text), write_length(std::begin(text), type, length));
}

}  // namespace

bool reply_view::is_error() const noexcept
{
    return type() == resp_type::error || type() == resp_type::bulk_error;
}

bool reply_view::is_aggregate() const noexcept
{
    return type() == resp_type::array || type() == resp_type::map || type() == resp_type::set ||
           type() == resp_type::push;
}

// The fields that a type does not use are zero, so these three need not check the type.
std::string_view reply_view::text() const noexcept
{
    return buffer_.substr(node().offset, node().length);
}

std::int64_t reply_view::integer() const noexcept
{
    return node().integer;
}

std::size_t reply_view::size() const noexcept
{
    return node().children;
}

reply_view reply_view::operator[](std::size_t child) const
{
    if (child >= size()) {
        throw std::out_of_range{"a RESP value of " + std::to_string(size()) +
                                " children has no child " + std::to_string(child)};
    }
    std::size_t at = at_ + 1;
    for (; child > 0; --child) {
        at = nodes_[at].end;
    }
    return {buffer_, nodes_, at};
}

void append_request(std::string& out, std::span<const std::string_view> words)
{
    append_word_count(out, words.size());
    for (const auto word : words) append_word(out, word);
}

void append_word_count(std::string& out, std::size_t count)
{
    append_length(out, '*', count);
}

void append_word(std::string& out, std::string_view word)
{
    // Most words are short. They are appended in one piece: each append to the string costs more than the bytes.
    constexpr std::size_t usual = 64;
    if (word.size() <= usual) {
        char text[longest_length + usual + 2];
        char* const after_length = write_length(std::begin(text), '$', word.size());
        out.append(std::begin(text), write_end(std::ranges::copy(word, after_length).out));
        return;
    }
    append_word_length(out, word.size());
    out += word;
    append_word_end(out);
}

void append_word(std::string& out, std::int64_t number)
{
    char text[std::numeric_limits<std::int64_t>::digits10 + 2];
    const auto end = std::to_chars(std::begin(text), std::end(text), number).ptr;
    append_word(out, std::string_view{std::begin(text), end});
}

void append_word_length(std::string& out, std::size_t length)
{
    append_length(out, '$', length);
}

void append_word_end(std::string& out)
{
    out += "\r\n";
}

}  // namespace pawl::redis
