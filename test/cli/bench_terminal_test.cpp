// pawl bench at a terminal: progress, bars, Ctrl-C.
#include "command.h"
#include "pseudo_terminal.h"

#include <algorithm>
#include <sstream>

namespace pawl::test {
namespace {

class bench_terminal : public command_test {
protected:
    void run_bench(const std::string& environment, const std::string& rest)
    {
        terminal_.type(environment + " " + PAWL_COMMAND + " bench --url " + server_.unix_url() +
                       " " + rest + "\n");
    }

    void expect_status(int status)
    {
        terminal_.type("echo status=$?.\n");
        terminal_.expect("status=" + std::to_string(status) + ".");
    }

    // The width of the widest line on the screen that ends like this.
    [[nodiscard]] std::size_t widest(std::string_view ending) const
    {
        std::istringstream lines{terminal_.screen()};
        std::size_t found = 0;
        for (std::string line; std::getline(lines, line);) {
            if (line.ends_with(ending)) found = std::max(found, line.size() - 1);
        }
        return found;
    }

    pseudo_terminal terminal_;
};

TEST_F(bench_terminal, shows_its_progress_and_draws_block_characters)
{
    run_bench("TERM=xterm LC_ALL=C.UTF-8", "--only ping,lock -s 0.05");
    terminal_.expect("part 1 of 2: ping");
    terminal_.expect("part 2 of 2: lock");
    terminal_.expect("\r\033[K");
    terminal_.expect("p50");
    terminal_.expect("round trip (ping)\r\n");
    terminal_.expect("█");
    expect_status(0);
}

TEST_F(bench_terminal, uses_plain_text_on_a_terminal_that_can_show_nothing_else)
{
    run_bench("TERM=dumb LC_ALL=C", "--only ping -s 0.05");
    terminal_.expect("p50");
    terminal_.expect("s  #");
    expect_status(0);
    EXPECT_EQ(terminal_.screen().find("part 1"), std::string::npos);
    EXPECT_EQ(terminal_.screen().find("\033[K"), std::string::npos);
}

TEST_F(bench_terminal, draws_bars_as_wide_as_the_terminal)
{
    terminal_.type("stty cols 60\n");
    run_bench("TERM=xterm LC_ALL=C", "--only ping -s 0.05");
    terminal_.expect("round trip (ping)\r\n");
    expect_status(0);
    EXPECT_EQ(widest(" %\r"), 60U) << terminal_.screen();
}

TEST_F(bench_terminal, ctrl_c_ends_it_and_shows_the_figures_so_far)
{
    run_bench("TERM=xterm LC_ALL=C", "--only ping -s 600");
    EXPECT_TRUE(eventually([&] { return probe_.calls("ping") > 20; }));
    terminal_.type(ctrl_c);
    terminal_.expect("p50");
    terminal_.expect("s  #");
    terminal_.expect("pawl: interrupted");
    expect_status(130);
}

}  // namespace
}  // namespace pawl::test
