// A command is not started if pawl was stopped after the grant until the lock had ended.
#include "command.h"
#include "common/unique_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <string>

namespace pawl::test {
namespace {

// The standard error of a process. While it is full, the process stops at its next message.
class full_pipe {
public:
    full_pipe()
    {
        if (::mkfifo(path().c_str(), 0600) != 0) throw std::runtime_error{"mkfifo"};
        // For reading and writing: then neither side waits for the other.
        fd_ = common::unique_fd{::open(path().c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)};
    }

    [[nodiscard]] std::string path() const { return dir_.file("pipe"); }

    void fill() const
    {
        const std::string line(511, ' ');
        while (::write(fd_.get(), (line + "\n").data(), line.size() + 1) > 0) {
        }
        while (::write(fd_.get(), "\n", 1) > 0) {
        }
    }

    // All that was written to it so far.
    [[nodiscard]] const std::string& text()
    {
        char part[4096];
        for (ssize_t got = 0; (got = ::read(fd_.get(), part, sizeof part)) > 0;) {
            text_.append(part, static_cast<std::size_t>(got));
        }
        return text_;
    }

private:
    temp_dir dir_;
    common::unique_fd fd_;
    std::string text_;
};

class late_start : public command_test {
protected:
    static constexpr auto lease = 1500ms;

    // `pawl WHAT --verbose … k -- echo ran`
    [[nodiscard]] process start_late(const std::string& what) const
    {
        return process{{"sh", "-c",
                        "exec " PAWL_COMMAND " " + what + " --url " + server_.unix_url() +
                            " --verbose --lease 1500ms k -- echo ran 2>" + said_.path()}};
    }

    // The second one waits for the first one. It gets the lock, is stopped before it starts its command, and goes on
    // when the lock has ended.
    void delay(process& second, process& first)
    {
        ASSERT_TRUE(eventually(
            [&] { return probe_.must({"LLEN", "pawl:queue:{k}"}).integer == std::int64_t{2}; }));
        said_.fill();
        first.signal(SIGTERM);
        ASSERT_TRUE(first.wait(patience));
        wait_for_renewal("k", lease);
        EXPECT_EQ(second.out(), "");
        second.signal(SIGSTOP);
        ASSERT_TRUE(eventually([&] { return !probe_.exists("k"); }));
        static_cast<void>(said_.text());
        second.signal(SIGCONT);
    }

    [[nodiscard]] bool says(const std::string& words)
    {
        return eventually([&] { return said_.text().find(words) != std::string::npos; });
    }

    full_pipe said_;
};

TEST_F(late_start, pawl_run_does_not_start_a_command_whose_lock_has_ended)
{
    process first = start({"k", "-c", "echo up; read line"});
    EXPECT_EQ(first.line_after("up"), "");
    process second = start_late("run");
    ASSERT_NO_FATAL_FAILURE(delay(second, first));
    EXPECT_TRUE(says("was lost before the command was started")) << said_.text();
    EXPECT_EQ(second.wait(patience), exited(79));
    EXPECT_EQ(second.out(), "");
}

TEST_F(late_start, pawl_lead_does_not_start_a_command_whose_lead_has_ended_and_leads_again)
{
    process first =
        pawl({"lead", "--url", server_.unix_url(), "k", "--", "sh", "-c", "echo up; read line"});
    EXPECT_EQ(first.line_after("up"), "");
    process second = start_late("lead");
    ASSERT_NO_FATAL_FAILURE(delay(second, first));
    EXPECT_TRUE(says("was lost before the command was started")) << said_.text();
    EXPECT_EQ(second.wait(patience), exited(0)) << said_.text();
    EXPECT_EQ(second.out(), "ran\n");
}

}  // namespace
}  // namespace pawl::test
