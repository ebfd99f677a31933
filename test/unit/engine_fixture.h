// An engine whose clock the test sets.
#pragma once

#include "store/memory/engine.h"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store::memory {

class engine_test : public testing::Test {
protected:
    using words = std::initializer_list<std::string_view>;

    // The bytes of the reply, with | for each line end.
    std::string ask(words request, session from = 1)
    {
        std::string out;
        engine_.execute(from, std::vector<std::string_view>{request}, out);
        return shown(out);
    }

    std::string eval(std::string_view script) { return ask({"EVAL", script, "0"}); }

    static std::string shown(std::string_view bytes)
    {
        std::string text;
        for (const char c : bytes) {
            if (c == '\r') continue;
            text += c == '\n' ? '|' : c;
        }
        return text;
    }

    void pass(std::chrono::microseconds time) { now_ += time; }

    std::chrono::microseconds now_{std::chrono::seconds{1'700'000'000}};
    engine engine_{[this] { return now_; }};
};

}  // namespace pawl::store::memory
