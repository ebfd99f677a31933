// Records what happened, to explain a failure. It costs nothing while it is off.
#pragma once

#include "sim/world.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pawl::sim {

class trace {
public:
    trace(const world& world, bool on) : world_{&world}, on_{on} {}

    // `lock`: unset if it concerns all locks.
    void note(std::optional<std::size_t> lock, const std::function<std::string()>& text)
    {
        if (on_) lines_.push_back({world_->now(), lock, text()});
    }

    // The last `most` lines that concern the lock.
    [[nodiscard]] std::string text(std::optional<std::size_t> lock, std::size_t most) const;

private:
    struct line {
        nanoseconds when;
        std::optional<std::size_t> lock;
        std::string text;
    };
    const world* world_;
    bool on_;
    std::vector<line> lines_;
};

}  // namespace pawl::sim
