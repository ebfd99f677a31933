// Finds out which rights the user has at one server: which commands to send, and what the answers mean.
//
//   round   sent                                  tells
//   first   SET and DEL of the doctor's own key,  whether the server accepts writes, whether the user may use this
//           ACL DRYRUN of a PING                  key, and whether it may use ACL DRYRUN
//   second  with ACL DRYRUN: it, for each right   what would be allowed; nothing is executed
//           without: each command itself,         what is allowed. All arguments are such that nothing else is changed:
//           on the doctor's own key               rights.h
#pragma once

#include "doctor/facts.h"
#include "doctor/rights.h"
#include "store/question.h"

#include <string>
#include <string_view>
#include <vector>

namespace pawl::doctor {

class right_trials {
public:
    right_trials(const circumstances& at, std::int64_t major, std::string user, trial_names names);

    [[nodiscard]] std::vector<store::command> first() const;
    void read_first(const store::server_answer& answer);

    [[nodiscard]] std::vector<store::command> second() const;
    void read_second(const store::server_answer& answer);

    // Those that have to be tried on a connection of their own.
    [[nodiscard]] bool must_try_listening() const noexcept { return !got_.dry_run; }
    void note(std::string_view right, verdict what);

    [[nodiscard]] const rights_fact& result() const noexcept { return got_; }

private:
    struct step {
        enum class about : std::uint8_t { right, key, nothing };
        about what;
        std::string name;
        store::command command;
    };
    [[nodiscard]] std::vector<step> steps() const;
    [[nodiscard]] std::vector<std::string> lock_keys() const;
    [[nodiscard]] store::command in_this_way(store::command what) const;

    circumstances at_;
    trial_names names_;
    std::vector<right> rights_;
    rights_fact got_;
    bool may_create_ =
        false;  // commands that would make a key find one of another type, or are refused
};

}  // namespace pawl::doctor
