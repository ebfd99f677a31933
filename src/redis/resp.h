// The Redis serialization protocol, versions 2 and 3: writes requests and reads replies.
//
// The parser does not copy the bytes. It is called again with the same growing buffer, and
// continues where it stopped. The result is a view into that buffer: a flat list of nodes, without
// a tree, and without allocations once its vectors have grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::redis {

// The first byte of a value.
enum class resp_type : char {
    simple = '+',
    error = '-',
    integer = ':',
    bulk = '$',
    array = '*',
    null = '_',
    boolean = '#',
    real = ',',
    big_number = '(',
    bulk_error = '!',
    verbatim = '=',
    map = '%',
    set = '~',
    push = '>',
    attribute = '|',
};

// The limits of a reply. If a server sends more, it is not a Redis server.
struct resp_limits {
    std::size_t bulk_bytes = std::size_t{16} << 20;  // one string
    std::size_t line_bytes = std::size_t{64} << 10;  // one line, its type byte and CRLF included
    std::size_t nodes = std::size_t{1} << 20;        // values in one reply, attributes included
    std::size_t depth = 7;                           // aggregates within one another
};

// One value. RESP2's null string and null array have the type `null`, like RESP3's null.
struct resp_node {
    resp_type type{};
    std::int64_t integer{};  // integer; boolean as 0 or 1
    std::size_t offset{};    // strings, errors, real and big numbers: where the text begins
    std::size_t length{};    // (without the three-letter format and colon of a verbatim string)
    std::size_t children{};  // direct children of an aggregate; for a map, keys plus values
    std::size_t end{};       // index of the first node after this value and all below it
};

// A value and everything below it. Valid until the buffer or the parser changes.
class reply_view {
public:
    reply_view(std::string_view buffer, std::span<const resp_node> nodes, std::size_t at) noexcept
        : buffer_{buffer}, nodes_{nodes}, at_{at}
    {
    }

    [[nodiscard]] resp_type type() const noexcept { return node().type; }
    [[nodiscard]] bool is_null() const noexcept { return type() == resp_type::null; }
    [[nodiscard]] bool is_error() const noexcept;          // simple or bulk
    [[nodiscard]] bool is_aggregate() const noexcept;      // array, map, set, push
    [[nodiscard]] std::string_view text() const noexcept;  // empty unless it has text
    [[nodiscard]] std::int64_t integer() const noexcept;   // 0 unless integer or boolean
    [[nodiscard]] std::size_t size() const noexcept;       // direct children; 0 for a leaf

    // A direct child. Finding it walks over the children before it. Throws std::out_of_range if
    // there is no such child: a reply with an unexpected shape must not cause a read outside the
    // buffer.
    [[nodiscard]] reply_view operator[](std::size_t child) const;

    // Calls `visit` for each direct child. One walk over all children, where [] walks for each.
    template <class Visit>
    void for_each(Visit visit) const
    {
        std::size_t at = at_ + 1;
        for (std::size_t left = size(); left > 0; --left, at = nodes_[at].end) {
            visit(reply_view{buffer_, nodes_, at});
        }
    }

private:
    [[nodiscard]] const resp_node& node() const noexcept { return nodes_[at_]; }

    std::string_view buffer_;
    std::span<const resp_node> nodes_;
    std::size_t at_;
};

enum class parse_status {
    complete,   // one reply has been read: see reply() and consumed()
    more,       // call it again when the buffer has grown
    malformed,  // not RESP, or beyond the limits: see problem(); close the connection
};

class reply_parser {
public:
    explicit reply_parser(resp_limits limits = {});

    // Reads one reply at the start of `buffer`. After `complete`, call reset() before the next
    // reply. Until then, and after `malformed`, the result stays the same. Attributes are skipped
    // and have no nodes.
    [[nodiscard]] parse_status parse(std::string_view buffer);

    // After `complete`: the reply. `buffer` is the buffer that was parsed, or a copy of it.
    [[nodiscard]] reply_view reply(std::string_view buffer) const noexcept;

    // After `complete`: the number of bytes of the reply.
    [[nodiscard]] std::size_t consumed() const noexcept { return position_; }

    // After `malformed`: what is wrong, and at which byte.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

    void reset() noexcept;

private:
    struct frame {
        std::size_t node;       // index of the aggregate, or `discard` within an attribute
        std::size_t remaining;  // children still to come
    };

    // Each reads one item at position_. `complete` means that the item was read, not the whole
    // reply.
    [[nodiscard]] parse_status read_line(std::string_view buffer);
    [[nodiscard]] parse_status find_line_end(std::string_view buffer);
    [[nodiscard]] parse_status read_scalar(resp_type type, std::string_view text, std::size_t at);
    [[nodiscard]] parse_status read_length(resp_type type, std::string_view text, std::size_t at);
    [[nodiscard]] parse_status open_aggregate(resp_type type, std::size_t count, std::size_t at);
    [[nodiscard]] parse_status read_body(std::string_view buffer);

    [[nodiscard]] bool is_complete() const noexcept { return !nodes_.empty() && stack_.empty(); }
    std::size_t add(resp_node node);
    void value_ended() noexcept;
    void advance_to(std::size_t position) noexcept;
    parse_status fail(std::size_t at, std::string_view what);

    resp_limits limits_;
    std::vector<resp_node> nodes_;
    std::vector<frame> stack_;
    std::size_t position_ = 0;   // everything before it is parsed
    std::size_t scanned_ = 0;    // no CRLF between position_ and here
    std::size_t announced_ = 1;  // values read or announced so far: the reply, children, attributes
    resp_node body_;             // the string whose bytes begin at position_, if body_due_
    bool body_due_ = false;
    std::string problem_;
};

// Appends a request: an array of bulk strings.
void append_request(std::string& out, std::span<const std::string_view> words);

// The same in parts: first the number of words, and then the words. A word in pieces is its length,
// the pieces and its end.
void append_word_count(std::string& out, std::size_t count);
void append_word(std::string& out, std::string_view word);
void append_word(std::string& out, std::int64_t number);
void append_word_length(std::string& out, std::size_t length);
void append_word_end(std::string& out);

}  // namespace pawl::redis
