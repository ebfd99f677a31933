// Shows the work of the workers, and checks it.
#pragma once

#include "counting.h"
#include "news.h"
#include "screen.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace demo {

// The results of a scene.
struct findings {
    int additions = 0;
    long in_file = 0;
    int most_inside = 0;  // workers between read and write at the same time
    int grants = 0;
    bool fences_grow = true;
    std::uint64_t first_fence = 0;
    std::uint64_t last_fence = 0;

    [[nodiscard]] long lost() const noexcept { return additions - in_file; }
};

class board {
public:
    board(screen& out, const counter& number) : out_{out}, number_{number} {}

    void note(const news& heard)
    {
        worker_state& worker = states_.at(static_cast<std::size_t>(heard.worker - 1));
        worker.last = heard;
        worker.idle = heard.what == step::wrote;
        if (heard.what == step::inside) note_entry(heard);
        if (heard.what == step::wrote) {
            --inside_;
            ++worker.done;
            ++seen_.additions;
        }
    }

    [[nodiscard]] int additions() const noexcept { return seen_.additions; }

    // Redraws the frame on a terminal. Elsewhere it writes a line now and then.
    void show()
    {
        const auto now = std::chrono::steady_clock::now();
        if (now - shown_ < (out_.live() ? 30ms : 1'000ms)) return;
        shown_ = now;
        if (out_.live()) {
            out_.frame(frame());
        } else {
            out_.line("   " + totals() + lock_line());
        }
    }

    [[nodiscard]] const findings& finish()
    {
        seen_.in_file = number_.read();
        if (out_.live()) out_.frame(frame());
        return seen_;
    }

private:
    struct worker_state {
        news last;
        bool idle = true;
        int done = 0;
    };

    void note_entry(const news& heard)
    {
        ++inside_;
        seen_.most_inside = std::max(seen_.most_inside, inside_);
        if (heard.fence == 0) return;
        ++seen_.grants;
        seen_.fences_grow = seen_.fences_grow && heard.fence > seen_.last_fence;
        if (seen_.first_fence == 0) seen_.first_fence = heard.fence;
        seen_.last_fence = heard.fence;
        holder_ = heard.worker;
    }

    [[nodiscard]] std::vector<std::string> frame() const
    {
        std::vector<std::string> lines;
        int number = 0;
        for (const worker_state& worker : states_) lines.push_back(row(++number, worker));
        lines.push_back("   " + totals() + lock_line());
        return lines;
    }

    [[nodiscard]] std::string row(int number, const worker_state& worker) const
    {
        const auto done = static_cast<std::size_t>(worker.done);
        std::string text = "   worker " + std::to_string(number) + "  [";
        text += std::string(done, '#') + std::string(rounds - done, '.') + "]  ";
        return text + doing(worker);
    }

    [[nodiscard]] std::string doing(const worker_state& worker) const
    {
        if (worker.idle) return "";
        if (worker.last.what == step::waits) return "waits";
        const std::string work = "read " + std::to_string(worker.last.value) + ", will write " +
                                 std::to_string(worker.last.value + 1);
        return worker.last.fence == 0 ? work : out_.good("HOLDS IT: ") + work;
    }

    [[nodiscard]] std::string totals() const
    {
        const long in_file = number_.read();
        const std::string said = "the file says " + std::to_string(in_file);
        // A worker may have written a value that it has not reported yet, so the file can also be
        // ahead.
        const bool behind = in_file < seen_.additions;
        return std::to_string(seen_.additions) + " additions, " +
               (behind ? out_.bad(said) : out_.good(said));
    }

    [[nodiscard]] std::string lock_line() const
    {
        if (seen_.grants == 0) return "";
        return "; last grant: worker " + std::to_string(holder_) + ", fence " +
               std::to_string(seen_.last_fence);
    }

    screen& out_;
    const counter& number_;
    std::array<worker_state, workers> states_{};
    int inside_ = 0;
    int holder_ = 0;
    findings seen_;
    std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

}  // namespace demo
