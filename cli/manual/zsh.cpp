#include "formats.h"

namespace pawl::cli {
namespace {

// The text is inside single quotes. In the text of _arguments, brackets and colons have a meaning.
[[nodiscard]] std::string in_quotes(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
            result += '\\';
            result += c;
        } else {
            result += c;
        }
    }
    return result;
}

[[nodiscard]] const char* action(value_kind kind)
{
    switch (kind) {
    case value_kind::file: return "_files";
    case value_kind::command: return "_cmdstring";
    case value_kind::none:
    case value_kind::text: break;
    }
    return " ";
}

[[nodiscard]] std::string specification(const option_row& option)
{
    std::string together;
    for (const std::string& name : option.names) together += (together.empty() ? "" : " ") + name;
    std::string names;
    for (const std::string& name : option.names) {
        // After --wait a value may follow = or be the next word, after -w it may follow directly or
        // be the next word.
        const bool is_long = name.starts_with("--");
        if (!names.empty()) names += ',';
        names += name;
        if (!option.argument.empty()) names += is_long ? '=' : '+';
    }
    if (option.names.size() > 1) names = "{" + names + "}";
    std::string result = "'(" + together + ")'" + names + "'[" + in_quotes(option.help) + "]";
    if (!option.argument.empty()) {
        result += ":" + in_quotes(option.argument) + ":" + action(kind_of(option));
    }
    return result + "'";
}

[[nodiscard]] std::string specifications(const page& page)
{
    std::string result;
    for (const option_row& option : page.options) {
        result += " \\\n        " + specification(option);
    }
    return result;
}

[[nodiscard]] std::string function_name(const page& page)
{
    std::string result = "_" + page.name;
    for (char& c : result) {
        if (c == ' ') c = '_';
    }
    return result;
}

// The list must not be called `commands`: in zsh that is the table of all commands.
[[nodiscard]] std::string with_commands(const page& page)
{
    std::string rows;
    std::string arms;
    for (const cli::page& command : page.commands) {
        const std::string word{last_word(command.name)};
        rows += "        '" + word + ":" + in_quotes(command.summary) + "'\n";
        arms += "                " + word + ") " + function_name(command) + " ;;\n";
    }
    return function_name(page) + "() {\n    local -a subcommands=(\n" + rows +
           "    )\n    local context state state_descr line\n    typeset -A opt_args\n"
           "    _arguments -C" +
           specifications(page) +
           " \\\n        '1:command:->command' '*::argument:->argument'\n"
           "    case $state in\n"
           "        command) _describe command subcommands ;;\n"
           "        argument)\n            case $line[1] in\n" +
           arms + "            esac ;;\n    esac\n}\n\n";
}

[[nodiscard]] std::string function(const page& page)
{
    if (!page.commands.empty()) return with_commands(page);
    // Because of the three colons, the completion of the command does not see KEY.
    const char* const rest =
        takes_command(page) ? " \\\n        '1:KEY: ' '*:::command:_normal'" : "";
    return function_name(page) + "() {\n    _arguments -s -S" + specifications(page) + rest +
           "\n}\n\n";
}

[[nodiscard]] std::string functions(const page& page)
{
    std::string result = function(page);
    for (const cli::page& command : page.commands) result += functions(command);
    return result;
}

}  // namespace

std::string zsh_completion(const page& all)
{
    return "#compdef pawl\n# Made by the build from pawl's option tables.\n\n" + functions(all) +
           "_pawl \"$@\"\n";
}

}  // namespace pawl::cli
