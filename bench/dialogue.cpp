#include "dialogue.h"

#include "support/resp_stream.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace pawl::bench {
namespace {

using words = std::vector<std::string>;

// A parsed recording: for each exchange its commands, and the lines of its reply.
struct heard {
    const recording* what = nullptr;
    std::vector<std::vector<words>> sent;
    std::vector<words> received;
    std::string holder;
};

[[noreturn]] void refuse(const std::string& why)
{
    throw std::runtime_error{"the commands of pawl cannot be replayed: " + why};
}

std::vector<words> commands_of(std::string_view bytes)
{
    std::vector<words> commands;
    while (!bytes.empty()) {
        const auto size = test::first_value(bytes);
        if (!size) refuse("a request is incomplete");
        commands.push_back(test::request_words(bytes.substr(0, *size)));
        bytes.remove_prefix(*size);
    }
    return commands;
}

words lines_of(std::string_view bytes)
{
    words lines;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find("\r\n");
        if (end == bytes.npos) refuse("a reply is incomplete");
        lines.emplace_back(bytes.substr(0, end));
        bytes.remove_prefix(end + 2);
    }
    return lines;
}

heard cut_up(const recording& what)
{
    heard result{.what = &what, .sent = {}, .received = {}, .holder = {}};
    for (const exchange& each : what.exchanges) {
        result.sent.push_back(commands_of(each.sent));
        result.received.push_back(lines_of(each.received));
    }
    return result;
}

std::optional<std::int64_t> as_number(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool is_close(std::int64_t value, std::int64_t at_ms)
{
    constexpr std::int64_t longest_ms = 3'600'000;
    return std::abs(value - at_ms) <= longest_ms;
}

// Cuts each piece of text at the places where `value` occurs.
phrase split(const phrase& whole, const std::string& value, piece::kind what)
{
    phrase result;
    for (const piece& each : whole) {
        if (each.what != piece::kind::text || value.empty()) {
            result.push_back(each);
            continue;
        }
        std::string_view rest = each.text;
        for (std::size_t at = rest.find(value); at != rest.npos; at = rest.find(value)) {
            if (at > 0) result.push_back({.text = std::string{rest.substr(0, at)}});
            result.push_back({.what = what});
            rest.remove_prefix(at + value.size());
        }
        if (!rest.empty() || whole.size() == 1) result.push_back({.text = std::string{rest}});
    }
    return result;
}

// Replaces the digits of each number that is close to the time with zeros.
std::string without_times(std::string text, std::int64_t at_ms)
{
    constexpr std::string_view digits = "0123456789";
    for (auto begin = text.find_first_of(digits); begin != text.npos;) {
        const auto end = std::min(text.find_first_not_of(digits, begin), text.size());
        const auto value = as_number(std::string_view{text}.substr(begin, end - begin));
        if (value && (is_close(*value, at_ms) || is_close(*value / 1000, at_ms)))
            text.replace(begin, end - begin, end - begin, '0');
        begin = text.find_first_of(digits, end);
    }
    return text;
}

// The scripts reply with at most so many words.
constexpr std::size_t words_of_a_line = 4;

class learner {
public:
    explicit learner(std::span<const recording> recordings)
    {
        for (const recording& each : recordings) takes_.push_back(cut_up(each));
        check_form();
        find_holder();
    }

    dialogue learn()
    {
        for (std::size_t t = 0; t < first().sent.size(); ++t) {
            turn& made = result_.turns.emplace_back();
            for (std::size_t c = 0; c < first().sent[t].size(); ++c) {
                command& next = made.commands.emplace_back();
                for (std::size_t w = 0; w < first().sent[t][c].size(); ++w) {
                    next.push_back(learn_word({.turn = t, .command = c, .word = w}));
                }
            }
            made.reply = learn_reply(t);
        }
        result_.holder = first().holder;
        return std::move(result_);
    }

private:
    struct place {
        std::size_t turn;
        std::size_t command;
        std::size_t word;
    };

    [[nodiscard]] const heard& first() const { return takes_.front(); }

    static const std::string& text_at(const heard& take, const place& where)
    {
        return take.sent[where.turn][where.command][where.word];
    }

    // The first words of all commands, and how many lines came back: SET INCR (2), EVALSHA (1).
    static std::string outline(const heard& take)
    {
        std::string text;
        for (std::size_t t = 0; t < take.sent.size(); ++t) {
            text += t == 0 ? "" : ", ";
            for (const words& each : take.sent[t]) text += each.front() + " ";
            text += "(" + std::to_string(take.received[t].size()) + ")";
        }
        return text;
    }

    void check_form() const
    {
        if (takes_.size() < 2 || first().sent.empty()) refuse("nothing was recorded");
        const auto same_sizes = [](const auto& a, const auto& b) { return a.size() == b.size(); };
        for (const heard& each : takes_) {
            bool alike = same_sizes(each.sent, first().sent);
            for (std::size_t t = 0; alike && t < each.sent.size(); ++t) {
                alike = std::ranges::equal(each.sent[t], first().sent[t], same_sizes) &&
                        same_sizes(each.received[t], first().received[t]);
            }
            if (!alike) refuse("'" + outline(each) + "' is not '" + outline(first()) + "'");
        }
    }

    // The first word that differs between recordings, is not a number, and does not contain the
    // name. An id has 32 characters, or 48 if the lock may linger. The id of the holder of a permit
    // has 32, and the number of permits follows it.
    void find_holder()
    {
        constexpr std::size_t id_size = 32;
        constexpr std::size_t long_id_size = 48;
        for (std::size_t t = 0; t < first().sent.size(); ++t) {
            for (std::size_t c = 0; c < first().sent[t].size(); ++c) {
                for (std::size_t w = 0; w < first().sent[t][c].size(); ++w) {
                    const place where{.turn = t, .command = c, .word = w};
                    if (!may_be_holder(where)) continue;
                    for (heard& each : takes_) {
                        each.holder = text_at(each, where);
                        if (each.holder.size() < long_id_size) each.holder.resize(id_size);
                    }
                    return;
                }
            }
        }
        refuse("it has no holder");
    }

    [[nodiscard]] bool may_be_holder(const place& where) const
    {
        const std::string& one = text_at(takes_.front(), where);
        const std::string& other = text_at(takes_.back(), where);
        return one != other && !as_number(one) && one.find(first().what->name) == one.npos;
    }

    phrase learn_word(const place& where)
    {
        const phrase found = pieces(first(), where);
        const bool same = std::ranges::all_of(
            takes_, [&](const heard& each) { return pieces(each, where) == found; });
        if (same) return found;
        // First, because a number that the server gives out may be close to the time too.
        if (const auto echo = as_echo(where)) return {*echo};
        if (const auto time = as_time(where)) return {*time};
        if (differ_by_times(where)) return found;
        refuse("'" + text_at(takes_[0], where) + "' was '" + text_at(takes_[1], where) +
               "' in the next cycle");
    }

    static phrase pieces(const heard& take, const place& where)
    {
        const phrase whole{{.text = text_at(take, where)}};
        return split(split(whole, take.what->name, piece::kind::name), take.holder,
                     piece::kind::holder);
    }

    [[nodiscard]] bool differ_by_times(const place& where) const
    {
        const auto masked = [&](const heard& each) {
            phrase all = pieces(each, where);
            for (piece& one : all) one.text = without_times(one.text, each.what->at_ms);
            return all;
        };
        return std::ranges::all_of(
            takes_, [&](const heard& each) { return masked(each) == masked(first()); });
    }

    [[nodiscard]] std::optional<piece> as_time(const place& where) const
    {
        if (const auto in_ms = as_time(where, piece::kind::time, 1)) return in_ms;
        return as_time(where, piece::kind::time_us, 1000);
    }

    [[nodiscard]] std::optional<piece> as_time(const place& where, piece::kind unit,
                                               std::int64_t per_ms) const
    {
        std::optional<piece> found;
        for (const heard& each : takes_) {
            const auto value = as_number(text_at(each, where));
            if (!value || !is_close(*value / per_ms, each.what->at_ms)) return std::nullopt;
            found = piece{.what = unit, .offset_ms = *value / per_ms - each.what->at_ms};
        }
        return found;
    }

    [[nodiscard]] std::optional<piece> as_echo(const place& where)
    {
        for (std::size_t t = 0; t < where.turn; ++t) {
            for (std::size_t line = 0; line < first().received[t].size(); ++line) {
                for (std::size_t word = 0; word <= words_of_a_line; ++word) {
                    const echo_source source{.turn = t, .line = line, .word = word};
                    if (!is_echo(where, source)) continue;
                    return piece{.what = piece::kind::echo, .echo = note_echo(source)};
                }
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] bool is_echo(const place& where, const echo_source& source) const
    {
        return std::ranges::all_of(takes_, [&](const heard& each) {
            const std::string_view text = source.in(each.received[source.turn][source.line]);
            return !text.empty() && text == text_at(each, where);
        });
    }

    std::size_t note_echo(const echo_source& source)
    {
        const auto found = std::ranges::find(result_.echoes, source);
        const auto index = static_cast<std::size_t>(found - result_.echoes.begin());
        if (found == result_.echoes.end()) result_.echoes.push_back(source);
        return index;
    }

    [[nodiscard]] std::vector<std::optional<std::string>> learn_reply(std::size_t turn) const
    {
        std::vector<std::optional<std::string>> lines;
        for (std::size_t i = 0; i < first().received[turn].size(); ++i) {
            const std::string& text = first().received[turn][i];
            const bool same = std::ranges::all_of(
                takes_, [&](const heard& each) { return each.received[turn][i] == text; });
            lines.push_back(same ? std::optional{text} : std::nullopt);
        }
        return lines;
    }

    std::vector<heard> takes_;
    dialogue result_;
};

}  // namespace

std::string_view echo_source::in(std::string_view text) const
{
    if (word == 0) return text.substr(std::min<std::size_t>(1, text.size()));
    for (std::size_t skipped = 1; skipped < word; ++skipped) {
        const std::size_t blank = text.find(' ');
        if (blank == text.npos) return {};
        text.remove_prefix(blank + 1);
    }
    return text.substr(0, text.find(' '));
}

std::size_t dialogue::commands() const
{
    return std::accumulate(
        turns.begin(), turns.end(), std::size_t{0},
        [](std::size_t sum, const turn& each) { return sum + each.commands.size(); });
}

dialogue learn(std::span<const recording> recordings)
{
    return learner{recordings}.learn();
}

std::int64_t milliseconds_since_epoch()
{
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace pawl::bench
