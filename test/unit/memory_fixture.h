// The fixture of tests of the memory: store: a server, a client of it, and a record of its events.
#pragma once

#include <pawl/pawl.h>
#include <pawl/testing.h>

#include "support/event_log.h"
#include "support/eventually.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace pawl::test {

using namespace std::chrono_literals;

class with_memory : public ::testing::Test {
protected:
    [[nodiscard]] client_options options()
    {
        client_options made;
        made.url = server_.url();
        events_.attach(made);
        return made;
    }

    // The error code of the exception of a call. No error if it did not throw.
    template <class Call>
    [[nodiscard]] static std::error_code code_of(Call&& call)
    {
        try {
            call();
            return {};
        } catch (const error& problem) {
            return problem.code();
        }
    }

    event_log events_;
    pawl::testing::memory_server server_;
    client client_{options()};
    mutex mutex_{client_, "job"};
};

}  // namespace pawl::test
