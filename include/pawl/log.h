// The log of a client: what an operator should know, as records. Set client_options::log to get them:
//
//   options.log = [](const pawl::log_record& one) { std::clog << one.text << '\n'; };
//
// A record has a name that does not change between versions, a line for people, and the same facts as
// fields for machines. docs/logs.md lists all records with their fields.
//
//   level     examples
//   error     a lock was lost
//   warning   a hold is in jeopardy; a release failed; too few nodes of a quorum can vote
//   info      a hold in jeopardy was renewed again
//   debug     (none yet)
//
// A fault that repeats does not fill the log. Of one name, 20 records at once are written, and then one
// per second; `left_out` says how many like it were left out before. on_event gets every event.
#pragma once

#include <pawl/export.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

enum class log_level { debug, info, warning, error };

// Returns the level as a word, for example "warning".
// Round trips: none.
// Threads: any thread may call it.
[[nodiscard]] PAWL_EXPORT std::string_view to_string(log_level level) noexcept;

// One fact. The keys are in docs/logs.md.
struct log_field {
    std::string_view key;  // of static lifetime
    std::string value;     // may have any bytes: names of locks and texts of servers are in it
};

struct log_record {
    log_level level{};
    std::string_view name{};  // for example "hold.lost"; of static lifetime
    std::string text{};       // one line, with all that matters; never a password
    std::vector<log_field> fields{};
    std::uint64_t left_out{};  // records with this name that were left out since the last one

    // Returns the value of a field, or an empty text if the record does not have it.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] PAWL_EXPORT std::string_view operator[](std::string_view key) const noexcept;
};

// Returns the record as one line of JSON, without a line end: {"level":"error","event":"hold.lost",
// "text":"…", and then the fields, all as strings}. "left_out", a number, is there if it is not 0. Bytes
// that are not UTF-8 become U+FFFD.
// Round trips: none.
// Threads: any thread may call it.
[[nodiscard]] PAWL_EXPORT std::string to_json(const log_record& one);

}  // namespace pawl
