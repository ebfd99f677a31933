// The manual page and the completions are made from the options of the command.
#include "command.h"
#include "pseudo_terminal.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

namespace pawl::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

std::filesystem::path manual(const std::string& name)
{
    return std::filesystem::path{PAWL_COMMAND}.parent_path() / "manual" / name;
}

// The options at the beginning of a line of --help, in their column: "-w", "--wait", …
std::set<std::string> options_of(const words& command)
{
    words line = command;
    line.emplace_back("--help");
    std::istringstream help{run_pawl(line).out};
    std::set<std::string> options;
    const std::regex name{"--?[A-Za-z][a-z-]*"};
    for (std::string text; std::getline(help, text);) {
        if (!std::regex_search(text, std::regex{"^ {2,4}-"})) continue;
        // Up to the two blanks before the explanation.
        text = text.substr(0, text.find("  ", text.find('-')));
        for (std::sregex_iterator found{text.begin(), text.end(), name}, end; found != end;
             ++found) {
            options.insert(found->str());
        }
    }
    return options;
}

std::set<std::string> all_options()
{
    std::set<std::string> all;
    for (const words& command :
         {words{}, words{"run"}, words{"once"}, words{"latch"}, words{"barrier"}, words{"lead"},
          words{"bench"}, words{"local"}, words{"quorum"}, words{"ls"}, words{"show"}, words{"top"},
          words{"wait"}, words{"break"}, words{"doctor"}}) {
        all.merge(options_of(command));
    }
    return all;
}

TEST(manual, test_sees_the_options_of_help)
{
    EXPECT_THAT(options_of({"run"}), IsSupersetOf({"-n", "--nb", "--nonblock", "--url", "--on-lost",
                                                   "--timeout", "--require-remote", "-V"}));
    EXPECT_THAT(options_of({"local"}), Contains("--force"));
}

// The text that `man` shows.
std::string rendered_page()
{
    process groff{{"groff", "-man", "-Tascii", "-P-cbou", "-ww", manual("pawl.1").string()}};
    EXPECT_EQ(groff.wait(patience), exited(0));
    EXPECT_EQ(groff.err(), "") << "warnings of groff";
    return groff.out();
}

bool is_installed(const std::string& program)
{
    process which{{"sh", "-c", "command -v " + program}};
    return which.wait(patience) == exited(0);
}

TEST(manual, page_has_every_option_of_help)
{
    // The source of the page, because not every machine has groff. The next test checks what groff
    // makes of it.
    const std::string page =
        std::regex_replace(read_file(manual("pawl.1")), std::regex{R"(\\-)"}, "-");
    for (const std::string& option : all_options()) {
        EXPECT_TRUE(std::regex_search(page, std::regex{"\\.B (.*, )?" + option + "[, \n]"}))
            << option;
    }
    for (const char* part : {"PAWL_FENCE", "PAWL_URL", "/etc/pawl.conf", "password_file",
                             "rediss://", "systemd", "128+n", "pawl local stop"}) {
        EXPECT_THAT(page, HasSubstr(part));
    }
}

TEST(manual, page_is_clean_roff)
{
    std::istringstream lines{read_file(manual("pawl.1"))};
    const std::regex known{R"(^\.(\\"|TH|SH|SS|TP|PP|B|BR|RS|RE|nf|fi|br)( .*)?$)"};
    std::set<std::string> parts;
    for (std::string line; std::getline(lines, line);) {
        const bool request = line.starts_with('.') || line.starts_with('\'');
        EXPECT_TRUE(!request || std::regex_match(line, known)) << line;
        EXPECT_EQ(std::regex_search(line, std::regex{R"(\\[^-e&("])"}), false) << line;
        if (line.starts_with(".SH ")) parts.insert(line.substr(4));
    }
    EXPECT_THAT(parts, IsSupersetOf({"NAME", "SYNOPSIS", "DESCRIPTION", "\"PAWL RUN\""}));
    if (!is_installed("groff")) return;
    const std::string shown = rendered_page();
    EXPECT_THAT(shown, HasSubstr("--hold-at-least DURATION"));
    EXPECT_THAT(shown, HasSubstr("~/.config/pawl.conf"));
}

// What bash offers for the last of these words.
words completed(const words& line)
{
    const std::string script = "source '" + manual("pawl.bash").string() +
                               "' && COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)) && _pawl && printf "
                               "'%s\\n' \"${COMPREPLY[@]}\"";
    words command{"bash", "--norc", "-eu", "-c", script, "bash", "pawl"};
    command.insert(command.end(), line.begin(), line.end());
    process shell{command};
    EXPECT_EQ(shell.wait(patience), exited(0)) << shell.err();
    EXPECT_EQ(shell.err(), "");
    std::istringstream lines{shell.out()};
    words offered;
    for (std::string each; std::getline(lines, each);) {
        if (!each.empty()) offered.push_back(each);
    }
    return offered;
}

TEST(completion_of_bash, offers_commands_and_options)
{
    EXPECT_THAT(completed({"r"}), ElementsAre("run"));
    EXPECT_THAT(completed({""}),
                ElementsAre("run", "once", "latch", "barrier", "lead", "bench", "local", "quorum",
                            "ls", "show", "top", "wait", "break", "doctor"));
    EXPECT_THAT(completed({"--ver"}), ElementsAre("--version"));
    EXPECT_THAT(completed({"run", "--hold"}), ElementsAre("--hold-at-least"));
    EXPECT_THAT(completed({"run", "k", "--no"}), ElementsAre("--nonblock"));
    EXPECT_THAT(completed({"bench", "--o"}), ElementsAre("--only"));
    EXPECT_THAT(completed({"local", "st"}), ElementsAre("status", "stop"));
    EXPECT_THAT(completed({"local", "stop", "--f"}), ElementsAre("--force"));
}

TEST(completion_of_bash, offers_every_option_of_help)
{
    for (const std::string command : {"run", "once", "latch", "barrier", "lead", "bench"}) {
        const words offered = completed({command, "-"});
        const std::set<std::string> known{offered.begin(), offered.end()};
        EXPECT_EQ(known, options_of({command})) << command;
    }
}

TEST(completion_of_bash, offers_commands_in_the_position_of_a_command)
{
    EXPECT_THAT(completed({"run", "k", "printen"}), Contains("printenv"));
    EXPECT_THAT(completed({"run", "-w", "5", "k", "printen"}), Contains("printenv"));
    EXPECT_THAT(completed({"run", "k", "--", "printen"}), Contains("printenv"));
    EXPECT_THAT(completed({"run", "--on-lost", "printen"}), Contains("printenv"));
    EXPECT_THAT(completed({"once", "--every", "1h", "k", "printen"}), Contains("printenv"));
    EXPECT_THAT(completed({"run", "k", "printenv", "--ur"}), ElementsAre());
    EXPECT_THAT(completed({"run", "-w", "printen"}), ElementsAre());
    EXPECT_THAT(completed({"run", "printen"}), ElementsAre()) << "this is the KEY";
}

// Bash splits words at : and =.
TEST(completion_of_bash, offers_commands_after_words_with_a_colon_or_an_equals_sign)
{
    EXPECT_THAT(completed({"run", "job", ":", "x", "printen"}), Contains("printenv"));
    EXPECT_THAT(completed({"run", "--wait", "=", "5", "k", "printen"}), Contains("printenv"));
    EXPECT_THAT(completed({"run", "--url", "redis", ":", "//h", "k", "printen"}),
                Contains("printenv"));
    EXPECT_THAT(completed({"run", "--url", "redis", ":", "//h", "--requ"}),
                ElementsAre("--require-remote"));
    EXPECT_THAT(completed({"run", "job", ":", "printen"}), ElementsAre()) << "this is the KEY";
    EXPECT_THAT(completed({"run", "job", ":"}), ElementsAre()) << "this is the KEY";
}

TEST(completion_of_bash, does_not_offer_options_after_the_command)
{
    EXPECT_THAT(completed({"run", "k", "curl", "--url", "/et"}), Contains("/etc"));
    EXPECT_THAT(completed({"run", "k", "--url", "/et"}), ElementsAre()) << "an option of pawl";
}

// What zsh makes of the line when Tab is pressed at its end, with zsh's own completion system.
TEST(completion_of_zsh, offers_commands_in_the_position_of_a_command)
{
    const std::string text = read_file(manual("_pawl"));
    EXPECT_THAT(text, HasSubstr("'1:KEY: ' '*:::command:_normal'"));
    EXPECT_THAT(text, Not(HasSubstr("local -a commands"))) << "a name that zsh itself uses";
    if (!is_installed("zsh")) return;
    pseudo_terminal screen;
    screen.type("exec zsh -f\n");
    screen.type("fpath=(" + manual("").string() + " $fpath); autoload -U compinit\n");
    screen.type("compinit -u -D; pawl() { echo called: $@ }; echo rea''dy\n");
    screen.expect("ready");
    screen.type("pawl ru\tk printen\tHOME\n");
    screen.expect("called: run k printenv HOME");
    screen.type("pawl run --wait 5 k printen\tHOME\n");
    screen.expect("called: run --wait 5 k printenv HOME");
}

// What fish offers for the last word of this line.
std::string completed_by_fish(const std::string& line)
{
    process shell{{"fish", "--no-config", "-c",
                   "source " + manual("pawl.fish").string() + "; complete -C '" + line + "'"}};
    EXPECT_EQ(shell.wait(patience), exited(0)) << shell.err();
    return shell.out();
}

TEST(completion_of_fish, offers_commands_in_the_position_of_a_command)
{
    // fish would take a long name in the first position for its own option.
    EXPECT_THAT(
        read_file(manual("pawl.fish")),
        ContainsRegex("__fish_complete_subcommand --fcs-skip=3 -[a-zA-Z] .*--wait .*--url"));
    if (!is_installed("fish")) return;
    EXPECT_THAT(completed_by_fish("pawl run k printen"), HasSubstr("printenv"));
    EXPECT_THAT(completed_by_fish("pawl run -w 5 k printen"), HasSubstr("printenv"));
    EXPECT_THAT(completed_by_fish("pawl once --every 1h k printen"), HasSubstr("printenv"));
    EXPECT_THAT(completed_by_fish("pawl run --url redis://h k printen"), HasSubstr("printenv"));
}

struct other_shell {
    std::string file;
    std::string program;
};

class completion_of : public testing::TestWithParam<other_shell> {};

TEST_P(completion_of, another_shell_has_every_option_of_help)
{
    const auto& [file, program] = GetParam();
    const std::string text = read_file(manual(file));
    for (const std::string& option : all_options()) {
        const std::string bare = option.substr(option.find_first_not_of('-'));
        const bool is_long = option.starts_with("--");
        const std::string in_fish = (is_long ? " -l " : " -s ") + bare + " ";
        EXPECT_TRUE(std::regex_search(text, std::regex{"[({, ']" + option + "[), =+}']"}) ||
                    text.find(in_fish) != text.npos)
            << option;
    }
    if (!is_installed(program)) return;
    process check{{program, "-n", manual(file).string()}};
    EXPECT_EQ(check.wait(patience), exited(0)) << check.err();
    EXPECT_EQ(check.err(), "");
}

INSTANTIATE_TEST_SUITE_P(each, completion_of,
                         testing::Values(other_shell{"_pawl", "zsh"},
                                         other_shell{"pawl.fish", "fish"}));

// The library lists all parameters of a URL when one is unknown.
TEST(help, describes_every_parameter_of_a_url)
{
    const std::string said = run_pawl({"run", "--url", "redis://h?nope=1", "k", "true"}).err;
    std::smatch list;
    ASSERT_TRUE(std::regex_search(said, list, std::regex{R"(allowed: ([a-z_, ]+)\))"})) << said;
    std::string names = list[1];
    std::erase(names, ',');
    const std::string help = run_pawl({"--help"}).out;
    const std::string guide = read_file(PAWL_DOCS_DIR "/guide.md");
    std::istringstream words{names};
    for (std::string name; words >> name;) {
        EXPECT_THAT(help, HasSubstr("\n  " + name + " "));
        EXPECT_THAT(guide, HasSubstr("| `" + name + "` |"));
    }
}

TEST(help, describes_nested_runs_once)
{
    std::istringstream help{run_pawl({"run", "--help"}).out};
    std::string text;
    for (std::string word; help >> word;) text += word + " ";
    const std::string said = "fails at once, with status 64";
    EXPECT_NE(text.find(said), text.npos);
    EXPECT_EQ(text.find(said), text.rfind(said));
}

TEST(help, describes_every_form_of_run)
{
    for (const char* form :
         {"pawl run [OPTIONS] KEY [--] COMMAND", "pawl run [OPTIONS] KEY -c STRING"}) {
        EXPECT_THAT(run_pawl({"--help"}).out, HasSubstr(form));
        EXPECT_THAT(run_pawl({"run", "--help"}).out, HasSubstr(form));
    }
}

using environment_of_the_command = command_test;

TEST_F(environment_of_the_command, is_described_in_help_and_guide)
{
    const std::string inner = PAWL_COMMAND " run --url " + server_.unix_url() + " b printenv";
    const result got = run({"a", "-c", inner});
    ASSERT_EQ(got.end, exited(0)) << got.err;
    std::istringstream lines{got.out};
    std::set<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        const std::string name = line.substr(0, line.find('='));
        const bool is_ours = std::getenv(name.c_str()) != nullptr;
        if (name.starts_with("PAWL_") && !is_ours) names.insert(name);
    }
    EXPECT_THAT(names, IsSupersetOf({"PAWL_FENCE", "PAWL_OUTER_HOLDERS"}));
    const std::string help = run_pawl({"--help"}).out + run_pawl({"run", "--help"}).out;
    const std::string guide = read_file(PAWL_DOCS_DIR "/guide.md");
    for (const std::string& name : names) {
        EXPECT_THAT(help, HasSubstr(name));
        EXPECT_THAT(guide, HasSubstr("`" + name));
    }
}

TEST(help, fits_on_a_terminal_of_80_columns)
{
    for (const words& command : {words{"--help"}, words{"run", "--help"}, words{"latch", "--help"},
                                 words{"barrier", "--help"}, words{"once", "--help"},
                                 words{"lead", "--help"}, words{"bench", "--help"}}) {
        std::istringstream help{run_pawl(command).out};
        for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 80U) << line;
    }
}

}  // namespace
}  // namespace pawl::test
