// Parses any bytes, in one piece and in many.
//
// The first byte of the input is the seed for the sizes of the pieces, the second selects the
// limits, and the rest is what a server might send.
#include "redis/resp.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string_view>
#include <vector>

namespace {

using namespace pawl::redis;

void require(bool condition, const char* claim)
{
    if (!condition) {
        std::fprintf(stderr, "not so: %s\n", claim);
        std::abort();
    }
}

resp_limits limits_from(std::uint8_t choice)
{
    resp_limits limits;
    if ((choice & 1) != 0) {
        limits.bulk_bytes = choice >> 3;
    }
    if ((choice & 2) != 0) {
        limits.line_bytes = choice >> 3;
    }
    if ((choice & 4) != 0) {
        limits.nodes = 1 + (choice >> 3);
        limits.depth = choice >> 5;
    }
    return limits;
}

bool is_within(std::string_view part, std::string_view whole)
{
    const std::less_equal<> before;
    return part.empty() || (before(whole.data(), part.data()) &&
                            before(part.data() + part.size(), whole.data() + whole.size()));
}

// Reads everything in a reply, and counts its values.
std::size_t walk(reply_view reply, std::string_view buffer, std::size_t depth_left)
{
    require(is_within(reply.text(), buffer), "a text is within the buffer");
    require(!reply.is_aggregate() || depth_left > 0, "aggregates are no deeper than the limit");
    require(reply.is_aggregate() || reply.size() == 0, "only an aggregate has children");
    std::size_t values = 1;
    reply.for_each([&](reply_view child) { values += walk(child, buffer, depth_left - 1); });
    return values;
}

bool same(reply_view a, reply_view b)
{
    if (a.type() != b.type() || a.integer() != b.integer() || a.text() != b.text() ||
        a.size() != b.size()) {
        return false;
    }
    for (std::size_t child = 0; child < a.size(); ++child) {
        if (!same(a[child], b[child])) {
            return false;
        }
    }
    return true;
}

// Each piece is in a new allocation of exactly its size. So a sanitizer notices a read beyond it,
// and a read of the former location of the bytes.
parse_status parse_in_pieces(reply_parser& parser, std::string_view bytes, std::uint8_t seed)
{
    std::minstd_rand random{seed};
    std::uniform_int_distribution<std::size_t> sizes{0, 1 + seed % 32U};
    auto status = parse_status::more;
    for (std::size_t fed = 0; status == parse_status::more && fed < bytes.size();) {
        fed += std::min(sizes(random), bytes.size() - fed);
        const std::vector<char> piece(bytes.begin(), bytes.begin() + static_cast<long>(fed));
        status = parser.parse({piece.data(), piece.size()});
    }
    return status;
}

void check_complete(const reply_parser& parser, std::string_view bytes, const resp_limits& limits)
{
    require(parser.consumed() > 0 && parser.consumed() <= bytes.size(),
            "a reply has at least one byte");
    const auto own = bytes.substr(0, parser.consumed());
    require(walk(parser.reply(own), own, limits.depth) <= std::max<std::size_t>(limits.nodes, 1),
            "a reply has no more values than the limit");

    reply_parser another{limits};
    require(another.parse(own.substr(0, own.size() - 1)) == parse_status::more,
            "without its last byte a reply is not complete");
    require(another.parse(own) == parse_status::complete, "with its last byte it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t head = 2;
    if (size < head) {
        return 0;
    }
    const auto limits = limits_from(data[1]);
    std::string_view bytes{reinterpret_cast<const char*>(data + head), size - head};

    reply_parser at_once{limits};
    reply_parser in_pieces{limits};
    auto status = parse_status::complete;
    while (status == parse_status::complete && !bytes.empty()) {
        at_once.reset();
        in_pieces.reset();
        status = at_once.parse(bytes);
        require(parse_in_pieces(in_pieces, bytes, data[0]) == status,
                "splitting does not change the status");
        require(at_once.problem() == in_pieces.problem(), "splitting does not change the problem");
        require(at_once.problem().empty() == (status != parse_status::malformed),
                "there is a problem if and only if it is malformed");
        if (status == parse_status::complete) {
            check_complete(at_once, bytes, limits);
            require(at_once.consumed() == in_pieces.consumed(),
                    "splitting does not change the size");
            require(same(at_once.reply(bytes), in_pieces.reply(bytes)),
                    "splitting does not change the reply");
            bytes.remove_prefix(at_once.consumed());
        }
    }
    return 0;
}
