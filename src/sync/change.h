// A request after which another holder is in instead of this one: a writer becomes a reader, a reader the writer,
// or a leader hands over to a candidate. A machine for both drivers. It decides what has become of this holder:
//
//   what the server said                          this holder    outcome
//   the other one is in                           has left       true
//   no: others are in, or the candidate is not    is in          false
//   this one is not in                            is lost        lost
//   an error, and then: this one is in            is in          the error
//   an error, and then: this one is not in        is lost        lost
//   an error, and then nothing                    is lost        unreachable
//   nothing, and no try can have been sent        is in          unreachable
//   nothing, or not to all tries                  is lost        unreachable
//
// After an error the server is asked, because a script that lacks a permission may have stopped half-way. If some
// try may yet be executed, asking does not help.
#pragma once

#include "base/clock.h"
#include "core/exchange.h"
#include "core/machine.h"
#include "core/request.h"
#include "sync/call.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/trouble.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace pawl::sync {

class change : public call {
public:
    ~change() override;
    change(const change&) = delete;
    change& operator=(const change&) = delete;

    [[nodiscard]] core::step start(base::boot_time now) final;
    [[nodiscard]] core::step on_reply(const core::reply& got, base::boot_time now) final;
    [[nodiscard]] core::step on_time(base::boot_time now) final;
    [[nodiscard]] core::step on_cancel(base::boot_time now, std::string_view why) final;

    // Ends it without an answer: the system has no descriptors left, for example.
    void fail(std::string why);

    // After `finish`, as in the table.
    using result = std::variant<bool, trouble>;
    [[nodiscard]] const result& outcome() const { return *result_; }

protected:
    // The result of the request.
    struct verdict {
        enum class kind {
            changed,
            declined,
            gone,        // this holder is not in
            error,       // the last answer, and all tries were answered
            unanswered,  // some try
        };
        kind what = kind::unanswered;
        core::hold_status found = core::hold_status::vanished;  // if it is gone
        trouble why{};                                          // if there was no useful answer
        bool maybe_executed = true;                             // if it is unanswered
    };

    // Begins the change. If it cannot begin, the outcome is known, and the request is not used.
    explicit change(grant_ptr mine);

private:
    [[nodiscard]] virtual core::machine& request() = 0;
    [[nodiscard]] virtual verdict judge() = 0;  // after `finish` of the request

    [[nodiscard]] core::machine& current();
    [[nodiscard]] core::step checked(core::step step, base::boot_time now);
    [[nodiscard]] core::step settle(const verdict& got, base::boot_time now);
    [[nodiscard]] core::step ask_whether_in(trouble why, base::boot_time now);
    [[nodiscard]] core::step settle_error();
    [[nodiscard]] core::step finish(result got);
    [[nodiscard]] result perhaps_changed(std::string detail);

    // Null after `finish`: a late answer may keep this object for as long as the client exists, and the grant
    // would keep the client.
    grant_ptr mine_;
    bool cancelled_ = false;                        // the client was destroyed
    trouble error_;                                 // why the server is asked
    std::optional<core::exchange_machine> asking_;  // whether this holder is in
    std::optional<result> result_;
};

// Runs it to its end in the caller's thread.
void run(client_state& client, change& what);

}  // namespace pawl::sync
