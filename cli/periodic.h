// A command that runs once per period: pawl run --every, and pawl once.
#pragma once

#include "run_options.h"
#include "signals.h"
#include "waiting.h"

#include <pawl/client.h>
#include <pawl/hold.h>
#include <pawl/once_per.h>

#include <string>

namespace pawl::cli {

class periodic {
public:
    // `options` must have a period. Throws pawl::error.
    periodic(client& client, const run_options& options);
    periodic(const periodic&) = delete;
    periodic& operator=(const periodic&) = delete;
    ~periodic() = default;

    // Begins a run if one is due, and returns its hold. A signal that would end a process ends the
    // call. Throws pawl::error.
    [[nodiscard]] wait_result begin(const signals& signals);

    // Why no run has begun. Throws pawl::error.
    [[nodiscard]] std::string why_not();

    // Ends the run of this hold as a success. Throws pawl::error.
    void done(hold& run);

private:
    once_per job_;
    once_per::turn turn_;  // without its hold, while the command runs
};

}  // namespace pawl::cli
