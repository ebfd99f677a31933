#include "formats.h"

namespace pawl::cli {
namespace {

[[nodiscard]] std::string names(const page& page)
{
    std::string result;
    for (const option_row& option : page.options) {
        for (const std::string& name : option.names) result += (result.empty() ? "" : " ") + name;
    }
    return result;
}

[[nodiscard]] std::string commands(const page& page)
{
    std::string result;
    for (const cli::page& command : page.commands) {
        result += (result.empty() ? "" : " ") + std::string{last_word(command.name)};
    }
    return result;
}

// The options with one kind of value, as a pattern of `case`. Empty if there are none.
[[nodiscard]] std::string pattern(const page& page, value_kind kind)
{
    std::string result;
    for (const option_row& option : page.options) {
        if (kind_of(option) != kind) continue;
        for (const std::string& name : option.names) result += (result.empty() ? "" : " | ") + name;
    }
    return result;
}

[[nodiscard]] std::string arm(const std::string& key, const page& page)
{
    std::string result = "        '" + key + "')\n            options='" + names(page) +
                         "'\n            commands='" + commands(page) + "'\n";
    std::string cases;
    const auto add = [&](value_kind kind, const char* word) {
        const std::string found = pattern(page, kind);
        if (!found.empty()) cases += "                " + found + ") value=" + word + " ;;\n";
    };
    add(value_kind::file, "file");
    add(value_kind::command, "command");
    add(value_kind::text, "text");
    if (!cases.empty()) result += "            case $previous in\n" + cases + "            esac\n";
    return result + "            ;;\n";
}

constexpr const char* opening =
    R"(# bash completion for pawl. Made by the build from pawl's option tables.

_pawl_options() {
    options='' commands='' value=''
    case $1 in
)";

constexpr const char* closing = R"(    esac
}

# Where the command of `pawl run` or `pawl once` begins, or nothing: after --, or after KEY at a word that is no option.
# Bash splits words at : and = (COMP_WORDBREAKS): job:x is three words, and so is --wait=5.
_pawl_command_start() {
    local at key='' previous options commands value
    for ((at = 2; at < COMP_CWORD; ++at)); do
        previous=${COMP_WORDS[at]}
        case $previous in
            [=:]*) ((++at)) ;;
            --) echo $((at + 1)); return ;;
            -?*) _pawl_options "${COMP_WORDS[1]}"; [ -z "$value" ] || [[ ${COMP_WORDS[at + 1]} == = ]] || ((++at)) ;;
            *) [ -z "$key" ] || { echo "$at"; return; }; key=$previous ;;
        esac
    done
    if [ -n "$key" ] && ((at == COMP_CWORD)) && [[ ${COMP_WORDS[at]} != [-=:]* ]]; then echo "$at"; fi
}

_pawl() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local options commands value start where=''
    COMPREPLY=()
    if ((COMP_CWORD > 1)); then where=${COMP_WORDS[1]}; fi
    if [[ $where == local || $where == quorum ]] && ((COMP_CWORD > 2)); then where="$where ${COMP_WORDS[2]}"; fi
    _pawl_options "$where"
    if [ "$where" = run ] || [ "$where" = once ]; then
        start=$(_pawl_command_start)
        if [ -n "$start" ] && ((start <= COMP_CWORD)); then
            if declare -F _command_offset >/dev/null; then
                _command_offset "$start"
            elif ((start == COMP_CWORD)); then
                mapfile -t COMPREPLY < <(compgen -c -- "$current")
            else
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
            fi
            return
        fi
    fi
    case $value in
        file) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        command) mapfile -t COMPREPLY < <(compgen -c -- "$current"); return ;;
        text) return ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif [ -n "$commands" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
    fi
}

complete -F _pawl pawl
)";

}  // namespace

std::string bash_completion(const page& all)
{
    std::string result = opening + arm("", all);
    for (const page& command : all.commands) {
        const std::string key{last_word(command.name)};
        result += arm(key, command);
        for (const page& inner : command.commands) {
            result += arm(key + ' ' + std::string{last_word(inner.name)}, inner);
        }
    }
    return result + closing;
}

}  // namespace pawl::cli
