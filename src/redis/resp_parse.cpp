#include "redis/resp.h"
#include "redis/resp_text.h"

#include <algorithm>
#include <limits>

namespace pawl::redis {
namespace {

constexpr std::size_t discard = std::numeric_limits<std::size_t>::max();
constexpr std::size_t crlf_bytes = 2;
constexpr std::size_t verbatim_prefix_bytes = 4;  // "txt:" or "mkd:"

constexpr std::string_view type_bytes = "+-:$*_#,(!=%~>|";

bool has_length(resp_type type)
{
    switch (type) {
    case resp_type::bulk:
    case resp_type::bulk_error:
    case resp_type::verbatim:
    case resp_type::array:
    case resp_type::map:
    case resp_type::set:
    case resp_type::push:
    case resp_type::attribute: return true;
    default: return false;
    }
}

bool has_body(resp_type type)
{
    return type == resp_type::bulk || type == resp_type::bulk_error || type == resp_type::verbatim;
}

}  // namespace

reply_parser::reply_parser(resp_limits limits) : limits_{limits}
{
    // The reply itself is a value, and announced_ begins with it. So the limit is at least this.
    limits_.nodes = std::max(limits_.nodes, announced_);
}

parse_status reply_parser::parse(std::string_view buffer)
{
    if (!problem_.empty()) {
        return parse_status::malformed;
    }
    while (!is_complete()) {
        const auto status = body_due_ ? read_body(buffer) : read_line(buffer);
        if (status != parse_status::complete) {
            return status;
        }
    }
    return parse_status::complete;
}

reply_view reply_parser::reply(std::string_view buffer) const noexcept
{
    return {buffer, nodes_, 0};
}

void reply_parser::reset() noexcept
{
    nodes_.clear();
    stack_.clear();
    advance_to(0);
    announced_ = 1;
    body_due_ = false;
    problem_.clear();
}

parse_status reply_parser::read_line(std::string_view buffer)
{
    if (position_ == buffer.size()) {
        return parse_status::more;
    }
    // Checked before the line is complete: a peer that does not speak RESP may never send the end
    // of a line.
    const char opener = buffer[position_];
    if (type_bytes.find(opener) == type_bytes.npos) {
        return fail(position_, in_quotes(opener) + " does not open a RESP value");
    }
    if (const auto status = find_line_end(buffer); status != parse_status::complete) {
        return status;
    }
    const std::size_t at = position_ + 1;
    const auto type = static_cast<resp_type>(opener);
    const auto text = buffer.substr(at, scanned_ - at);
    advance_to(scanned_ + crlf_bytes);
    return has_length(type) ? read_length(type, text, at) : read_scalar(type, text, at);
}

// On `complete` the line's CRLF is at scanned_. The limit is checked before each byte, so that the
// result does not depend on how many bytes arrived at once.
parse_status reply_parser::find_line_end(std::string_view buffer)
{
    while (scanned_ - position_ + crlf_bytes <= limits_.line_bytes) {
        if (scanned_ == buffer.size()) {
            return parse_status::more;
        }
        if (buffer[scanned_] == '\n') {
            return fail(scanned_, "a line feed without a carriage return");
        }
        if (buffer[scanned_] != '\r') {
            ++scanned_;
            continue;
        }
        if (scanned_ + 1 == buffer.size()) {
            return parse_status::more;
        }
        if (buffer[scanned_ + 1] != '\n') {
            return fail(scanned_ + 1, in_quotes(buffer[scanned_ + 1]) + " after a carriage return");
        }
        return parse_status::complete;
    }
    return fail(position_, "a line of more than " + std::to_string(limits_.line_bytes) + " bytes");
}

parse_status reply_parser::read_scalar(resp_type type, std::string_view text, std::size_t at)
{
    resp_node node{.type = type, .offset = at, .length = text.size()};
    const auto unlike = [&](std::string_view what) {
        return fail(at, in_quotes(text).append(" is not ").append(what));
    };
    if (type == resp_type::real && !looks_real(text)) {
        return unlike("a real number");
    }
    if (type == resp_type::big_number && !is_whole_number(text)) {
        return unlike("a big number");
    }
    if (type == resp_type::integer) {
        const auto value = to_integer(text);
        if (!value) {
            return unlike("an integer of 64 bits");
        }
        node = {.type = type, .integer = *value};
    }
    if (type == resp_type::boolean) {
        if (text != "t" && text != "f") {
            return unlike("a boolean");
        }
        node = {.type = type, .integer = text == "t" ? 1 : 0};
    }
    if (type == resp_type::null) {
        if (!text.empty()) {
            return unlike("the empty rest of a null");
        }
        node = {.type = type};
    }
    add(node);
    value_ended();
    return parse_status::complete;
}

parse_status reply_parser::read_length(resp_type type, std::string_view text, std::size_t at)
{
    // RESP2's two nulls. RESP3 has its own null, and its new types have no null of this kind.
    if (text == "-1" && (type == resp_type::bulk || type == resp_type::array)) {
        add({.type = resp_type::null});
        value_ended();
        return parse_status::complete;
    }
    // This also refuses "?", a length that follows later. RESP3 has it, but Redis never sends it.
    const auto length = to_length(text);
    if (!length) {
        return fail(at, in_quotes(text) + " is not a length");
    }
    if (!has_body(type)) {
        return open_aggregate(type, *length, at);
    }
    if (*length > limits_.bulk_bytes) {
        return fail(at, "a string of more than " + std::to_string(limits_.bulk_bytes) + " bytes");
    }
    if (type == resp_type::verbatim && *length < verbatim_prefix_bytes) {
        return fail(at, "a verbatim string too short for its format");
    }
    body_ = {.type = type, .offset = position_, .length = *length};
    body_due_ = true;
    return parse_status::complete;
}

parse_status reply_parser::open_aggregate(resp_type type, std::size_t count, std::size_t at)
{
    if (type == resp_type::push && !stack_.empty()) {
        return fail(at - 1, "a push within another value");
    }
    if (stack_.size() >= limits_.depth) {
        return fail(at - 1, "more than " + std::to_string(limits_.depth) + " nested aggregates");
    }
    // Children are counted when they are announced, so that a reply that is too large is refused at
    // once. Memory is allocated only when they arrive. An attribute counts itself, because its
    // parent did not.
    const bool is_attribute = type == resp_type::attribute;
    const std::size_t own = is_attribute ? 1 : 0;
    const std::size_t each = is_attribute || type == resp_type::map ? 2 : 1;
    const std::size_t room = limits_.nodes - announced_;
    if (room < own || count > (room - own) / each) {
        return fail(at, "more than " + std::to_string(limits_.nodes) + " values in one reply");
    }
    const std::size_t children = count * each;
    announced_ += own + children;

    // For its aggregate, an attribute is one child more than was announced. So it ends like every
    // other child, and the value that it belongs to is still to come.
    if (is_attribute && !stack_.empty()) {
        ++stack_.back().remaining;
    }
    const auto node = is_attribute ? discard : add({.type = type, .children = children});
    if (children > 0) {
        stack_.push_back({node, children});
    } else {
        value_ended();
    }
    return parse_status::complete;
}

// A string is taken only when its CRLF is there too: one check instead of three.
parse_status reply_parser::read_body(std::string_view buffer)
{
    const std::size_t available = buffer.size() - position_;
    if (available < crlf_bytes || available - crlf_bytes < body_.length) {
        return parse_status::more;
    }
    const std::size_t end = position_ + body_.length;
    if (body_.type == resp_type::verbatim) {
        const std::size_t colon = position_ + verbatim_prefix_bytes - 1;
        if (buffer[colon] != ':') {
            return fail(colon, in_quotes(buffer[colon]) + " after the format of a verbatim string");
        }
        body_.offset += verbatim_prefix_bytes;
        body_.length -= verbatim_prefix_bytes;
    }
    if (const auto after = buffer.substr(end, crlf_bytes); after != "\r\n") {
        return fail(end, in_quotes(after) + " after a string instead of CRLF");
    }
    body_due_ = false;
    add(body_);
    advance_to(end + crlf_bytes);
    value_ended();
    return parse_status::complete;
}

// Returns the index of the node, or `discard` within an attribute.
std::size_t reply_parser::add(resp_node node)
{
    if (!stack_.empty() && stack_.back().node == discard) {
        return discard;
    }
    node.end = nodes_.size() + 1;  // of an aggregate: until its children are read
    nodes_.push_back(node);
    return nodes_.size() - 1;
}

// Ends every aggregate whose last child was the value just read.
void reply_parser::value_ended() noexcept
{
    while (!stack_.empty() && --stack_.back().remaining == 0) {
        if (stack_.back().node != discard) {
            nodes_[stack_.back().node].end = nodes_.size();
        }
        stack_.pop_back();
    }
}

void reply_parser::advance_to(std::size_t position) noexcept
{
    position_ = position;
    scanned_ = position;
}

parse_status reply_parser::fail(std::size_t at, std::string_view what)
{
    problem_.append("byte ").append(std::to_string(at)).append(": ").append(what);
    return parse_status::malformed;
}

}  // namespace pawl::redis
