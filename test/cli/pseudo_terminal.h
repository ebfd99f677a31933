// A terminal with an interactive shell.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>

namespace pawl::test {

class pseudo_terminal {
public:
    // Starts bash, with job control and without echo or prompt.
    pseudo_terminal();
    ~pseudo_terminal();
    pseudo_terminal(const pseudo_terminal&) = delete;
    pseudo_terminal& operator=(const pseudo_terminal&) = delete;

    void type(std::string_view keys);

    // Waits until the text is on the screen, after the text that was expected before. Throws if it
    // does not come in time.
    void expect(std::string_view text);

    // Everything that was shown so far.
    [[nodiscard]] const std::string& screen() const noexcept { return screen_; }

private:
    void read_more();

    int fd_ = -1;
    pid_t shell_ = -1;
    std::string screen_;
    std::size_t seen_ = 0;
};

inline constexpr std::string_view ctrl_c = "\x03";
inline constexpr std::string_view ctrl_z = "\x1a";

}  // namespace pawl::test
