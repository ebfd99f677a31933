#include "spoken_cycle.h"

#include <stdexcept>

namespace pawl::bench {
namespace {

void add_word(std::string& out, std::string_view text)
{
    out += "$" + std::to_string(text.size()) + "\r\n";
    out += text;
    out += "\r\n";
}

// The number of the cycle is in the holder, before that of the lock.
constexpr std::size_t cycle_digits = 8;
constexpr std::size_t cycle_from_end = 16;

// A holder of the same length as the recorded one, with its own number at the end.
std::string make_holder(std::string pattern, std::size_t number)
{
    for (auto at = pattern.rbegin(); at != pattern.rend() && number > 0; ++at, number /= 10) {
        *at = static_cast<char>('0' + number % 10);
    }
    return pattern;
}

bool is_gap(const phrase& whole)
{
    if (whole.size() != 1) return false;
    const piece::kind what = whole.front().what;
    return what == piece::kind::time || what == piece::kind::time_us || what == piece::kind::echo;
}

std::string fill(const phrase& whole, std::string_view name, std::string_view holder)
{
    std::string text;
    for (const piece& each : whole) {
        text += each.what == piece::kind::name     ? name
                : each.what == piece::kind::holder ? holder
                                                   : std::string_view{each.text};
    }
    return text;
}

}  // namespace

spoken_cycle::spoken_cycle(const dialogue& what, std::string_view name, std::size_t holder_number)
    : what_{&what}, echoes_(what.echoes.size())
{
    if (what.holder.size() < cycle_from_end) throw std::runtime_error{"a holder is too short"};
    const std::string holder = make_holder(what.holder, holder_number);
    for (const turn& each : what.turns) requests_.push_back(prepare(each, name, holder));
}

std::vector<spoken_cycle::part> spoken_cycle::prepare(const turn& what, std::string_view name,
                                                      std::string_view holder)
{
    std::vector<part> parts(1);
    for (const command& words : what.commands) {
        parts.back().bytes += "*" + std::to_string(words.size()) + "\r\n";
        for (const phrase& each : words) {
            if (is_gap(each)) {
                parts.back().gap = each.front();
                parts.emplace_back();
            } else {
                add_word(parts.back().bytes, fill(each, name, holder));
            }
        }
    }
    for (part& each : parts) {
        for (auto at = each.bytes.find(holder); at != std::string::npos;
             at = each.bytes.find(holder, at + holder.size())) {
            each.cycle_numbers.push_back(at + holder.size() - cycle_from_end);
        }
    }
    return parts;
}

void spoken_cycle::begin_cycle()
{
    ++cycle_;
    for (auto& request : requests_) {
        for (part& each : request) {
            for (const std::size_t at : each.cycle_numbers) {
                auto rest = cycle_;
                for (std::size_t i = cycle_digits; i > 0; --i, rest /= 10) {
                    each.bytes[at + i - 1] = static_cast<char>('0' + rest % 10);
                }
            }
        }
    }
}

void spoken_cycle::say(std::size_t turn, std::string& out)
{
    say(turn, milliseconds_since_epoch(), *this, out);
}

void spoken_cycle::say(std::size_t turn, std::int64_t now_ms, const spoken_cycle& told,
                       std::string& out)
{
    if (turn == 0) begin_cycle();
    for (const part& each : requests_[turn]) {
        out += each.bytes;
        if (each.gap.what == piece::kind::time) {
            add_word(out, std::to_string(now_ms + each.gap.offset_ms));
        } else if (each.gap.what == piece::kind::time_us) {
            add_word(out, std::to_string((now_ms + each.gap.offset_ms) * 1000));
        } else if (each.gap.what == piece::kind::echo) {
            add_word(out, told.echoes_[each.gap.echo]);
        }
    }
}

void spoken_cycle::hear(std::size_t turn, std::size_t line, std::string_view text)
{
    const auto& expected = what_->turns[turn].reply[line];
    if (expected) {
        if (*expected == text) return;
        throw std::runtime_error{"the server returned '" + std::string{text} + "' instead of '" +
                                 *expected + "'"};
    }
    if (text.starts_with('-')) throw std::runtime_error{"the server returned " + std::string{text}};
    for (std::size_t i = 0; i < what_->echoes.size(); ++i) {
        const echo_source& each = what_->echoes[i];
        if (each.turn == turn && each.line == line) echoes_[i] = each.in(text);
    }
}

}  // namespace pawl::bench
