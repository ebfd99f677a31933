// pawl top at a terminal: a page that is drawn anew, and the user's screen when it ends.
#include "command.h"
#include "pseudo_terminal.h"

namespace pawl::test {
namespace {

class top_terminal : public command_test {
protected:
    void run_top(const std::string& environment, const std::string& rest)
    {
        terminal_.type(environment + " " + PAWL_COMMAND + " top --url " + server_.unix_url() + " " +
                       rest + "\n");
    }
    void expect_status(int status)
    {
        terminal_.type("echo status=$?.\n");
        terminal_.expect("status=" + std::to_string(status) + ".");
    }

    pseudo_terminal terminal_;
};

TEST_F(top_terminal, draws_the_page_anew_and_gives_the_screen_back)
{
    run_top("TERM=xterm", "-i 100ms");
    terminal_.expect("\033[?1049h");
    terminal_.expect("0 locks in use");
    probe_.must({"SET", "stock:1", "p0123456789abcde0123456789abcdef", "PX", "60000"});
    terminal_.expect("1 lock in use, 1 held");
    terminal_.expect("stock:1");
    terminal_.type(ctrl_c);
    terminal_.expect("\033[?25h\033[?1049l");
    expect_status(130);
}

TEST_F(top_terminal, cuts_what_does_not_fit)
{
    for (int i = 0; i < 30; ++i) {
        probe_.must({"SET", "stock:" + std::to_string(i), "p0123456789abcde0123456789abcdef", "PX",
                     "60000"});
    }
    terminal_.type("stty cols 40 rows 10\n");
    run_top("TERM=xterm", "--count 1");
    terminal_.expect("30 locks in use");
    terminal_.expect("\033[?1049l");
    expect_status(0);
    std::size_t shown = 0;
    for (std::size_t at = 0; (at = terminal_.screen().find("stock:", at)) != std::string::npos;
         ++at)
        ++shown;
    EXPECT_EQ(shown, 7U);
}

TEST_F(top_terminal, uses_plain_text_on_a_terminal_that_cannot_be_redrawn)
{
    run_top("TERM=dumb", "--count 1");
    terminal_.expect("0 locks in use");
    expect_status(0);
    EXPECT_EQ(terminal_.screen().find('\033'), std::string::npos);
}

}  // namespace
}  // namespace pawl::test
