// The bytes that a client and the server exchange in one cycle of an uncontended lock, with gaps
// for the parts that differ from cycle to cycle. It is learned from recordings, so that it works
// for any commands and scripts of pawl. For the lower bound it is written by hand.
//
//   a part that differs                        is taken for
//   the name of the lock, anywhere             the name
//   the first word that differs, and where     the holder
//   else it occurs; without the number of
//   permits at its end
//   a number close to the time in ms or µs     the time, so many ms from now
//   such a number inside a word                text: the server does not read it
//   a number that was in an earlier reply      that line of that reply, or that word of the line
//   any other part                             an error: it cannot be replayed
#pragma once

#include "recorder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::bench {

struct piece {
    enum class kind { text, name, holder, time, time_us, echo };

    kind what = kind::text;
    std::string text{};          // of `text`
    std::int64_t offset_ms = 0;  // of `time` and `time_us`: from now
    std::size_t echo = 0;        // of `echo`: which of dialogue::echoes

    [[nodiscard]] bool operator==(const piece&) const = default;
};

using phrase = std::vector<piece>;  // one word of a command
using command = std::vector<phrase>;

struct turn {
    std::vector<command> commands;                  // sent in one write
    std::vector<std::optional<std::string>> reply;  // all its lines; unset: any text
};

// A part of a reply that a later request repeats.
struct echo_source {
    std::size_t turn = 0;
    std::size_t line = 0;
    std::size_t word = 0;  // of the line, from 1; 0: the whole line without its type

    // That part of the line; empty if it has fewer words.
    [[nodiscard]] std::string_view in(std::string_view text) const;

    [[nodiscard]] bool operator==(const echo_source&) const = default;
};

struct dialogue {
    std::vector<turn> turns;
    std::vector<echo_source> echoes;
    std::string holder;  // an example: others have the same length

    [[nodiscard]] std::size_t commands() const;
};

// The recording of one cycle.
struct recording {
    std::string name;
    std::int64_t at_ms = 0;  // since the epoch
    std::vector<exchange> exchanges;
};

// Needs several recordings of the same cycle, with different locks and at different times. Throws
// if they do not have the same form, or cannot be replayed.
[[nodiscard]] dialogue learn(std::span<const recording> recordings);

[[nodiscard]] std::int64_t milliseconds_since_epoch();

}  // namespace pawl::bench
