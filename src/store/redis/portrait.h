// What one server says of one lock, of any kind: the commands that ask, and what their replies mean. Without I/O.
//
// Each step is a list of commands that depends on the replies to the step before. None of them reads more than a bounded
// part of a key, because any key may be as large as the server's memory.
#pragma once

#include "store/question.h"

#include <pawl/inspect.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pawl::store {

struct portrait_settings {
    bool of_quorum = false;          // the keys are those of a node
    bool foreign = true;             // locks of other libraries are of interest
    bool any_string = false;         // any string with an expiry is one, as an acquire sees it
    std::size_t most_holders = 100;  // further ones are only counted
    std::size_t most_waiters = 0;
};

class portrait {
public:
    portrait(std::string name, const portrait_settings& how);

    // The commands of the next step. None: it is complete.
    [[nodiscard]] std::vector<command> next() const;

    // The replies to them, in their order. Fewer if the server did not answer all.
    void read(std::span<const command_reply> said);

    // When complete. `now` is the server's time, in µs since the epoch.
    [[nodiscard]] lock_info take(std::chrono::microseconds now);

private:
    enum class step { type, value, field, around, complete };

    [[nodiscard]] std::vector<command> questions_of_value() const;
    [[nodiscard]] std::vector<command> questions_around() const;
    void read_type(std::span<const command_reply> said);
    void read_value(std::span<const command_reply> said);
    void read_string(const std::string& value);
    void read_hash(const std::vector<std::string>& size, const std::vector<std::string>& gate);
    void read_gate(std::string_view text);
    void read_field(const std::vector<std::string>& fields);
    void read_members(const std::vector<std::string>& lowest, const std::vector<std::string>& size,
                      const std::vector<std::string>& members);
    void read_term(const std::vector<std::string>& size, const std::vector<std::string>& elements);
    void read_around(std::span<const command_reply> said);
    void read_queue(const std::vector<std::string>& texts);
    [[nodiscard]] bool refused(std::span<const command_reply> said, std::string_view what);
    void be_other(std::string detail);
    void be_foreign(std::string_view holder, std::string detail);
    void date(std::chrono::microseconds now);

    portrait_settings how_;
    step step_ = step::type;
    std::string type_;
    bool has_end_ = false;
    lock_info got_;
    std::vector<std::uint64_t> ends_{};     // of the leases of members, in ms
    std::vector<std::uint64_t> tickets_{};  // of the waiters at a node
    std::vector<std::uint64_t> places_{};   // until when they are kept, in ms
};

// Whether this is a holder id of pawl, and the 16 digits of its client, or nothing.
[[nodiscard]] std::string channel_in_holder(std::string_view holder);

}  // namespace pawl::store
