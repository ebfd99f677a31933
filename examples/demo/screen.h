// The demo's output: on a terminal a frame that is redrawn in place, elsewhere plain lines.
//
// No setting of the terminal is changed that would have to be restored, so an interrupted demo
// leaves it as it was.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace demo {

class screen {
public:
    // Whether frames are redrawn in place.
    [[nodiscard]] bool live() const noexcept { return live_; }

    void heading(const std::string& text) { line("\n" + styled("1", text)); }

    void line(const std::string& text = {})
    {
        std::cout << text + '\n' << std::flush;
        frame_height_ = 0;
    }

    // Replaces the frame before it, if nothing was written since. Only for live screens.
    void frame(const std::vector<std::string>& lines)
    {
        std::string text;
        if (frame_height_ > 0) text = "\033[" + std::to_string(frame_height_) + "A";
        for (const std::string& one : lines) text += "\r" + one + "\033[K\n";
        std::cout << text << std::flush;
        frame_height_ = lines.size();
    }

    [[nodiscard]] std::string good(const std::string& text) const { return styled("32", text); }
    [[nodiscard]] std::string bad(const std::string& text) const { return styled("31", text); }

    // Gives a reader time to read, if there is a terminal.
    void pause_to_read() const
    {
        if (live_) std::this_thread::sleep_for(std::chrono::milliseconds{1'800});
    }

private:
    // A wrapped line would make the count of the frame's lines wrong.
    static constexpr unsigned short least_columns = 80;
    static constexpr unsigned short least_rows = 12;

    [[nodiscard]] static bool can_redraw()
    {
        const char* terminal = std::getenv("TERM");
        if (terminal == nullptr || std::string_view{terminal} == "dumb") return false;
        winsize size{};
        if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return false;
        return size.ws_col >= least_columns && size.ws_row >= least_rows;
    }

    [[nodiscard]] static bool wants_colour()
    {
        const char* refused = std::getenv("NO_COLOR");  // see no-color.org
        return refused == nullptr || *refused == '\0';
    }

    [[nodiscard]] std::string styled(const std::string& style, const std::string& text) const
    {
        return coloured_ ? "\033[" + style + "m" + text + "\033[0m" : text;
    }

    bool live_ = can_redraw();
    bool coloured_ = live_ && wants_colour();
    std::size_t frame_height_ = 0;
};

}  // namespace demo
