// Random RESP2 replies, and random damage to them.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::redis {

struct tree {
    char type = '_';  // one of + - : $ * and, for both nulls, _
    std::int64_t integer = 0;
    std::string text;
    std::vector<tree> children;

    bool operator==(const tree&) const = default;
};

inline void encode(std::string& out, const tree& value)
{
    const auto line = [&](char type, std::string_view text) {
        out.append(1, type).append(text).append("\r\n");
    };
    switch (value.type) {
    case '_':
        line(out.size() % 2 == 0 ? '$' : '*', "-1");  // so that both nulls occur
        break;
    case ':': line(':', std::to_string(value.integer)); break;
    case '$':
        line('$', std::to_string(value.text.size()));
        out.append(value.text).append("\r\n");
        break;
    case '*':
        line('*', std::to_string(value.children.size()));
        for (const auto& child : value.children) {
            encode(out, child);
        }
        break;
    default: line(value.type, value.text);
    }
}

inline std::string encoded(const tree& value)
{
    std::string out;
    encode(out, value);
    return out;
}

inline void showValue(const tree& value, std::ostream& out)  // RapidCheck looks for this name
{
    rc::show(encoded(value), out);
}

inline rc::Gen<std::string> bytes_but(std::string_view unwanted)
{
    return rc::gen::container<std::string>(rc::gen::suchThat(
        rc::gen::arbitrary<char>(), [=](char c) { return unwanted.find(c) == unwanted.npos; }));
}

inline rc::Gen<tree> text_tree(char type, std::string_view unwanted)
{
    return rc::gen::map(bytes_but(unwanted), [type](std::string text) {
        return tree{.type = type, .integer = 0, .text = std::move(text), .children = {}};
    });
}

inline rc::Gen<tree> integer_tree()
{
    using limit = std::numeric_limits<std::int64_t>;
    const auto numbers = rc::gen::oneOf(
        rc::gen::arbitrary<std::int64_t>(),
        rc::gen::element<std::int64_t>(0, -1, limit::min(), limit::min() + 1, limit::max()));
    return rc::gen::map(numbers, [](std::int64_t number) {
        return tree{.type = ':', .integer = number, .text = {}, .children = {}};
    });
}

inline rc::Gen<tree> trees(int depth)
{
    const auto leaf = rc::gen::oneOf(text_tree('+', "\r\n"), text_tree('-', "\r\n"),
                                     text_tree('$', ""), integer_tree(), rc::gen::just(tree{}));
    if (depth == 0) {
        return leaf;
    }
    const auto array_of = [](std::vector<tree> children) {
        return tree{.type = '*', .integer = 0, .text = {}, .children = std::move(children)};
    };
    const auto several = rc::gen::scale(
        0.3, rc::gen::map(rc::gen::container<std::vector<tree>>(trees(depth - 1)), array_of));
    const auto single = rc::gen::map(
        trees(depth - 1), [array_of](tree child) { return array_of({std::move(child)}); });
    return rc::gen::weightedOneOf<tree>({{2, leaf}, {2, several}, {1, single}});
}

enum class change { replace, flip, insert, erase, truncate, duplicate };

struct mutation {
    change what{};
    std::size_t place = 0;
    std::size_t count = 0;
    char byte{};
};

inline void showValue(const mutation& it, std::ostream& out)
{
    out << "change " << static_cast<int>(it.what) << " at " << it.place << " by " << it.count << ' '
        << rc::toString(it.byte);
}

// Inserted bytes are mostly bytes of the protocol, which get further than others.
inline rc::Gen<mutation> mutations()
{
    const std::string protocol = "\r\r\n\n+-:$**_#,(!=%~>|?00001234567899";
    return rc::gen::build<mutation>(
        rc::gen::set(&mutation::what,
                     rc::gen::element(change::replace, change::flip, change::insert, change::erase,
                                      change::truncate, change::duplicate)),
        rc::gen::set(&mutation::place, rc::gen::inRange<std::size_t>(0, 4096)),
        rc::gen::set(&mutation::count, rc::gen::element<std::size_t>(1, 1, 1, 2, 8)),
        rc::gen::set(&mutation::byte,
                     rc::gen::weightedOneOf<char>(
                         {{4, rc::gen::elementOf(protocol)}, {1, rc::gen::arbitrary<char>()}})));
}

inline rc::Gen<std::vector<mutation>> damages()
{
    return rc::gen::resize(4, rc::gen::container<std::vector<mutation>>(mutations()));
}

inline void mutate(std::string& bytes, const mutation& it)
{
    if (bytes.empty()) {
        return;
    }
    const auto place = it.place % bytes.size();
    switch (it.what) {
    case change::replace: bytes[place] = it.byte; break;
    case change::flip: bytes[place] = static_cast<char>(bytes[place] ^ (1 << (it.byte & 7))); break;
    case change::insert: bytes.insert(place, it.count, it.byte); break;
    case change::erase: bytes.erase(place, it.count); break;
    case change::truncate: bytes.resize(place); break;
    case change::duplicate: bytes.insert(place, bytes.substr(place, it.count)); break;
    }
}

}  // namespace pawl::redis
