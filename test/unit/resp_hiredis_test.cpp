// Compares pawl's parser with hiredis. Both must read the same from RESP2. Where they do not, the
// difference is one of those listed at documented_difference().
//
// The runs are the same every time. PAWL_TEST_SEED=<number> selects others.
#include "redis/resp.h"
#include "support/sanitized.h"
#include "unit/resp_random.h"

#include <hiredis/read.h>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pawl::redis {
namespace {

constexpr int deepest = 8;  // nested arrays in hiredis; its message says 7
constexpr resp_limits limits{.depth = deepest};

// The result of a parser for some bytes.
struct verdict {
    parse_status status = parse_status::more;
    std::size_t fed = 0;       // how many bytes it had when it decided
    std::size_t consumed = 0;  // when complete
    tree value;                // when complete
    std::string problem;       // when malformed
};

std::ostream& operator<<(std::ostream& out, const verdict& it)
{
    constexpr std::array names{"complete", "more", "malformed"};
    out << names.at(static_cast<std::size_t>(it.status)) << " after " << it.fed << ' '
        << it.problem;
    if (it.status == parse_status::complete) {
        rc::show(it.value, out);
    }
    return out;
}

// The sizes of the pieces, used again and again. Empty: all at once.
using chunking = std::vector<std::size_t>;
const chunking bytewise{1};

// Passes bytes until there is a result. `step(fed, size)` gets the next bytes and returns the
// status.
template <typename Step>
void feed(verdict& out, std::string_view bytes, const chunking& chunks, Step step)
{
    for (std::size_t turn = 0; out.fed < bytes.size() && out.status == parse_status::more; ++turn) {
        const auto next = chunks.empty() ? bytes.size() : chunks[turn % chunks.size()];
        const auto size = std::min(next, bytes.size() - out.fed);
        const auto from = std::exchange(out.fed, out.fed + size);
        out.status = step(from, size);
    }
}

tree tree_of(reply_view reply)
{
    tree out{.type = static_cast<char>(reply.type()),
             .integer = reply.integer(),
             .text = std::string{reply.text()},
             .children = {}};
    for (std::size_t child = 0; child < reply.size(); ++child) {
        out.children.push_back(tree_of(reply[child]));
    }
    return out;
}

verdict ours(std::string_view bytes, const chunking& chunks)
{
    verdict out;
    reply_parser parser{limits};
    feed(out, bytes, chunks, [&](std::size_t from, std::size_t size) {
        return parser.parse(bytes.substr(0, from + size));
    });
    if (out.status == parse_status::complete) {
        out.consumed = parser.consumed();
        out.value = tree_of(parser.reply(bytes));
    }
    out.problem = parser.problem();
    return out;
}

// hiredis gets our own functions for building replies. Its default functions would allocate memory
// for as many children as a mutated length announces.
tree* add(const redisReadTask* task, tree value)
{
    if (task->parent == nullptr) {
        return new tree{std::move(value)};  // hiredis passes it to free_tree, or to us
    }
    auto& siblings = static_cast<tree*>(task->parent->obj)->children;
    return &siblings.emplace_back(std::move(value));
}

void* add_string(const redisReadTask* task, char* text, std::size_t size)
{
    const char type = task->type == REDIS_REPLY_STATUS  ? '+'
                      : task->type == REDIS_REPLY_ERROR ? '-'
                                                        : '$';
    return add(task, {.type = type, .integer = 0, .text = {text, size}, .children = {}});
}

void* add_array(const redisReadTask* task, int)
{
    return add(task, {.type = '*', .integer = 0, .text = {}, .children = {}});
}

void* add_integer(const redisReadTask* task, long long value)
{
    return add(task, {.type = ':', .integer = value, .text = {}, .children = {}});
}

void* add_null(const redisReadTask* task)
{
    return add(task, {});
}

void free_tree(void* value)
{
    delete static_cast<tree*>(value);
}

verdict theirs(std::string_view bytes, const chunking& chunks)
{
    verdict out;
    redisReplyObjectFunctions functions{add_string, add_array, add_integer, add_null, free_tree};
    const std::unique_ptr<redisReader, void (*)(redisReader*)> reader{
        redisReaderCreateWithFunctions(&functions), redisReaderFree};
    feed(out, bytes, chunks, [&](std::size_t from, std::size_t size) {
        redisReaderFeed(reader.get(), bytes.data() + from, size);
        void* reply = nullptr;
        if (redisReaderGetReply(reader.get(), &reply) != REDIS_OK) {
            return parse_status::malformed;
        }
        if (reply == nullptr) {
            return parse_status::more;
        }
        out.value = std::move(*static_cast<tree*>(reply));
        free_tree(reply);
        return parse_status::complete;
    });
    out.consumed = out.fed - (reader->len - reader->pos);
    out.problem = reader->errstr;
    return out;
}

bool agree(const verdict& a, const verdict& b)
{
    if (a.status != b.status) {
        return false;
    }
    return a.status != parse_status::complete || (a.value == b.value && a.consumed == b.consumed);
}

enum difference : std::size_t {
    resp3_type,      // RESP3 is newer than hiredis 0.14
    number_form,     // ":+1", ":007", ":-0", "$01": the specification allows sign and zeros
    null_too_deep,   // "*-1" is a null for pawl, and an array that is one too deep for hiredis
    string_end,      // hiredis does not check the two bytes after a string
    stray_cr_or_lf,  // hiredis accepts either as text, which the specification forbids
    beyond_limits,   // hiredis has only the limit of INT_MAX children, and waits
    difference_count,
};

// A valid number with a plus or leading zeros.
bool is_unusual_number(std::string_view text)
{
    const bool has_plus = text.starts_with('+');
    text.remove_prefix(has_plus || text.starts_with('-') ? 1 : 0);
    const bool has_zeros = text.starts_with('0');  // hiredis accepts a lone 0, but not -0
    return (has_plus || has_zeros) && !text.empty() &&
           text.find_first_not_of("0123456789") == text.npos;
}

// hiredis refuses bytes that pawl reads, or may still read. It gets the bytes one by one, so the
// last byte is the one that it refused: a type byte, or the end of a line.
std::optional<difference> stricter_hiredis(std::string_view bytes, const verdict& hiredis)
{
    const auto seen = bytes.substr(0, hiredis.fed);
    const auto rest = bytes.substr(hiredis.fed);
    if (hiredis.problem.starts_with("Protocol error, got") &&
        std::string_view{"_#,(!=%~>|"}.find(seen.back()) != seen.npos) {
        return resp3_type;
    }
    if (hiredis.problem.starts_with("No support for nested") && seen.back() == '*' &&
        (rest.starts_with("-1\r\n") || rest.find("\r\n") == rest.npos)) {
        return null_too_deep;
    }
    if (hiredis.problem.starts_with("Bad ") && seen.ends_with("\r\n")) {
        const auto before = seen.substr(0, seen.size() - 2).rfind("\r\n");
        const auto line = seen.substr(before == seen.npos ? 0 : before + 2);
        const auto text = line.substr(1, line.size() - 3);
        const bool may_have_sign = line.front() == ':';
        if (is_unusual_number(text) && (may_have_sign || text.front() == '0')) {
            return number_form;
        }
    }
    return std::nullopt;
}

// pawl refuses bytes that hiredis reads, or may still read. The problem names the byte.
std::optional<difference> laxer_hiredis(std::string_view bytes, const verdict& pawl,
                                        const verdict& hiredis)
{
    const std::string_view problem = pawl.problem;
    const auto at = std::stoul(pawl.problem.substr(std::string_view{"byte "}.size()));
    const auto found = bytes.substr(at);
    if (problem.ends_with("after a string instead of CRLF") && found.substr(0, 2) != "\r\n") {
        return string_end;
    }
    if (problem.ends_with("a line feed without a carriage return") && found[0] == '\n') {
        return stray_cr_or_lf;
    }
    if (problem.ends_with("after a carriage return") && bytes[at - 1] == '\r' && found[0] != '\n') {
        return stray_cr_or_lf;
    }
    std::size_t length = 0;
    std::from_chars(found.data(), found.data() + found.size(), length);
    const bool much = problem.find("a string of more than") != problem.npos
                          ? length > limits.bulk_bytes
                          : length > limits.nodes - bytes.size();
    if (problem.find("more than") != problem.npos && much && hiredis.status == parse_status::more) {
        return beyond_limits;
    }
    return std::nullopt;
}

// Every documented difference is a refusal by one of the two. It is always wrong if both read a
// reply differently, or if one reads it and the other waits.
std::optional<difference> documented_difference(std::string_view bytes, const verdict& pawl,
                                                const verdict& hiredis)
{
    if (hiredis.status == parse_status::malformed) {
        return stricter_hiredis(bytes, hiredis);
    }
    if (pawl.status == parse_status::malformed) {
        return laxer_hiredis(bytes, pawl, hiredis);
    }
    return std::nullopt;
}

rc::Gen<chunking> chunkings()
{
    return rc::gen::container<chunking>(rc::gen::inRange<std::size_t>(1, 24));
}

class silent_listener : public rc::detail::TestListener {
public:
    void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
    void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
    void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

// rc::check() takes its seed from the clock. This function does not.
template <typename Property>
void check(int runs, Property property)
{
    const char* const wished = std::getenv("PAWL_TEST_SEED");
    rc::detail::TestParams params;
    params.seed = wished != nullptr ? std::strtoull(wished, nullptr, 10) : 20240229;
    params.maxSuccess = runs;
    silent_listener listener;
    const auto result =
        rc::detail::checkProperty(rc::detail::toProperty(std::move(property)), {}, params, listener,
                                  std::unordered_map<std::string, rc::detail::Reproduce>{});
    if (!result.template is<rc::detail::SuccessResult>()) {
        std::ostringstream message;
        rc::detail::printResultMessage(result, message);
        FAIL() << "PAWL_TEST_SEED=" << params.seed << '\n' << message.str();
    }
}

std::string disagreement(std::string_view bytes, const verdict& pawl, const verdict& hiredis)
{
    std::ostringstream out;
    out << rc::toString(std::string{bytes}) << "\npawl: " << pawl << "\nhiredis: " << hiredis;
    return out.str();
}

TEST(resp_hiredis, both_read_every_reply_alike_however_it_is_split)
{
    // One less than the deepest: see null_too_deep.
    check(test::sanitized ? 1'000 : 5'000, [replies = trees(deepest - 1)] {
        const auto value = *replies;
        const auto bytes = encoded(value);
        const auto pawl = ours(bytes, *chunkings());
        const auto hiredis = theirs(bytes, *chunkings());
        RC_ASSERT(pawl.status == parse_status::complete);
        RC_ASSERT(pawl.value == value);
        RC_ASSERT(pawl.consumed == bytes.size());
        if (!agree(pawl, hiredis)) {
            RC_FAIL(disagreement(bytes, pawl, hiredis));
        }
    });
}

TEST(resp_hiredis, both_judge_a_damaged_reply_alike_except_for_documented_differences)
{
    std::array<int, 3> agreed{};
    std::array<int, difference_count> differed{};
    check(test::sanitized ? 3'000 : 30'000, [&, replies = trees(deepest), damages = damages()] {
        auto bytes = encoded(*replies);
        for (const auto& it : *damages) {
            mutate(bytes, it);
        }
        const auto pawl = ours(bytes, bytewise);
        const auto hiredis = theirs(bytes, bytewise);
        if (agree(pawl, hiredis)) {
            ++agreed.at(static_cast<std::size_t>(pawl.status));
        } else if (const auto difference = documented_difference(bytes, pawl, hiredis)) {
            ++differed.at(*difference);
        } else {
            RC_FAIL(disagreement(bytes, pawl, hiredis));
        }
    });
    if (test::sanitized) return;  // too few runs to reach every difference
    // A run that never reached some result or some difference has not tested it.
    EXPECT_EQ(std::count(agreed.begin(), agreed.end(), 0), 0) << rc::toString(agreed);
    EXPECT_EQ(std::count(differed.begin(), differed.end(), 0), 0) << rc::toString(differed);
}

TEST(resp_hiredis, the_documented_differences_exist)
{
    struct sample {
        std::string bytes;
        parse_status pawl, hiredis;
        difference why;
    };
    constexpr auto complete = parse_status::complete;
    constexpr auto more = parse_status::more;
    constexpr auto malformed = parse_status::malformed;
    std::string deep;
    for (int depth = 0; depth < deepest; ++depth) {
        deep += "*1\r\n";
    }
    const sample samples[] = {
        {"_\r\n", complete, malformed, resp3_type},
        {"*1\r\n#t\r\n", complete, malformed, resp3_type},
        {">", more, malformed, resp3_type},
        {":+1\r\n", complete, malformed, number_form},
        {":-0\r\n", complete, malformed, number_form},
        {":007\r\n", complete, malformed, number_form},
        {"$01\r\na\r\n", complete, malformed, number_form},
        {"*00\r\n", complete, malformed, number_form},
        {deep + "*-1\r\n", complete, malformed, null_too_deep},
        {deep + "*", more, malformed, null_too_deep},
        {"$1\r\nabc", malformed, complete, string_end},
        {"+a\nb\r\n", malformed, complete, stray_cr_or_lf},
        {"+a\rb\r\n", malformed, complete, stray_cr_or_lf},
        {":1\n", malformed, more, stray_cr_or_lf},
        {"$16777217\r\n", malformed, more, beyond_limits},
        {"*1048576\r\n", malformed, more, beyond_limits},
    };
    for (const auto& sample : samples) {
        const auto pawl = ours(sample.bytes, bytewise);
        const auto hiredis = theirs(sample.bytes, bytewise);
        EXPECT_EQ(pawl.status, sample.pawl) << sample.bytes;
        EXPECT_EQ(hiredis.status, sample.hiredis) << sample.bytes;
        EXPECT_EQ(documented_difference(sample.bytes, pawl, hiredis), sample.why) << sample.bytes;
    }
}

TEST(resp_hiredis, both_have_the_same_limit_of_depth)
{
    std::string deep;
    for (int depth = 0; depth < deepest; ++depth) {
        deep += "*1\r\n";
    }
    for (const auto* const innermost : {":1\r\n", "*0\r\n", "*1\r\n:1\r\n"}) {
        const auto pawl = ours(deep + innermost, bytewise);
        const auto hiredis = theirs(deep + innermost, bytewise);
        EXPECT_TRUE(agree(pawl, hiredis)) << disagreement(deep + innermost, pawl, hiredis);
    }
}

}  // namespace
}  // namespace pawl::redis
