#include "formats.h"

namespace pawl::cli {
namespace {

[[nodiscard]] std::string in_quotes(std::string_view text)
{
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') result += '\\';
        result += c;
    }
    return result + "'";
}

[[nodiscard]] const char* value_flags(value_kind kind)
{
    switch (kind) {
    case value_kind::none: return "";
    case value_kind::file: return " -r -F";
    case value_kind::command: return " -x -a '(__fish_complete_command)'";
    case value_kind::text: break;
    }
    return " -x";
}

// The lines for the words that are possible where `condition` is true.
[[nodiscard]] std::string lines(const page& page, const std::string& condition)
{
    const std::string start = "complete -c pawl -n " + in_quotes(condition);
    std::string result;
    for (const cli::page& command : page.commands) {
        result += start + " -a " + in_quotes(last_word(command.name)) + " -d " +
                  in_quotes(command.summary) + "\n";
    }
    for (const option_row& option : page.options) {
        result += start;
        for (const std::string& name : option.names) {
            const bool is_long = name.starts_with("--");
            result += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
        }
        result += value_flags(kind_of(option));
        result += " -d " + in_quotes(option.help) + "\n";
    }
    return result;
}

// The names of the options that take a value, short names first: __fish_complete_subcommand would
// take a long name in the first position for its own option.
[[nodiscard]] std::string with_value(const page& page)
{
    std::string short_names;
    std::string long_names;
    for (const option_row& option : page.options) {
        if (option.argument.empty()) continue;
        for (const std::string& name : option.names) {
            (name.starts_with("--") ? long_names : short_names) += ' ' + name;
        }
    }
    return short_names + long_names;
}

// The command of `pawl run`, and its arguments.
[[nodiscard]] std::string command_lines(const page& run)
{
    return "complete -c pawl -n '__fish_seen_subcommand_from " + std::string{last_word(run.name)} +
           "' -a '(__fish_complete_subcommand --fcs-skip=3" + with_value(run) + ")'\n";
}

}  // namespace

std::string fish_completion(const page& all)
{
    std::string result =
        "# fish completion for pawl. Made by the build from pawl's option tables.\n"
        "complete -c pawl -f\n" +
        lines(all, "__fish_use_subcommand");
    for (const page& command : all.commands) {
        const std::string seen =
            "__fish_seen_subcommand_from " + std::string{last_word(command.name)};
        std::string inner_words;
        for (const page& inner : command.commands) {
            inner_words += ' ' + std::string{last_word(inner.name)};
        }
        const std::string none_yet =
            inner_words.empty() ? "" : "; and not __fish_seen_subcommand_from" + inner_words;
        result += lines(command, seen + none_yet);
        if (takes_command(command)) result += command_lines(command);
        for (const page& inner : command.commands) {
            result += lines(inner, seen + "; and __fish_seen_subcommand_from " +
                                       std::string{last_word(inner.name)});
        }
    }
    return result;
}

}  // namespace pawl::cli
