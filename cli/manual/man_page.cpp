#include "formats.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace pawl::cli {
namespace {

// Escapes text for roff: a minus can be typed as it is shown, and no line begins like a request.
[[nodiscard]] std::string roff(std::string_view text)
{
    std::string result;
    bool line_start = true;
    for (const char c : text) {
        if (line_start && (c == '.' || c == '\'')) result += "\\&";
        line_start = c == '\n';
        if (c == '\\') {
            result += "\\e";
        } else if (c == '-') {
            result += "\\-";
        } else if (c == '~') {
            result += "\\(ti";
        } else {
            result += c;
        }
    }
    return result;
}

[[nodiscard]] std::string upper(std::string_view text)
{
    std::string result{text};
    std::ranges::transform(result, result.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return result;
}

[[nodiscard]] std::string tagged(const std::string& tag, const std::string& text)
{
    return ".TP\n.B " + roff(tag) + '\n' + roff(text) + '\n';
}

struct block_roff {
    std::string operator()(const paragraph& block) const
    {
        return ".PP\n" + roff(block.text) + '\n';
    }
    std::string operator()(const example& block) const
    {
        return ".PP\n.RS 4\n.nf\n" + roff(block.text) + "\n.fi\n.RE\n";
    }
    std::string operator()(const entries& block) const
    {
        std::string result;
        for (const entry& row : block.rows) result += tagged(row.term, row.text);
        return result;
    }
};

[[nodiscard]] std::string blocks(const section& section)
{
    std::string result;
    for (const auto& block : section.blocks) result += std::visit(block_roff{}, block);
    return result;
}

[[nodiscard]] std::string options(const page& page)
{
    std::string result;
    for (const option_row& option : page.options) result += tagged(synopsis(option), option.help);
    return result;
}

[[nodiscard]] std::string command(const page& page)
{
    std::string result = ".SH \"" + upper(page.name) + "\"\n" + roff(page.summary) + '\n';
    for (const cli::page& inner : page.commands) {
        result += tagged(inner.name, inner.summary);
        for (const option_row& option : inner.options) {
            if (option.names.back() == "--help") continue;
            result += ".RS\n" + tagged(synopsis(option), option.help) + ".RE\n";
        }
    }
    result += options(page);
    for (const section& each : page.sections) {
        result += ".SS \"" + roff(each.title) + "\"\n" + blocks(each);
    }
    return result;
}

[[nodiscard]] std::string usage(const page& page)
{
    std::string result;
    for (const std::string& line : page.usage) {
        if (!result.empty()) result += ".br\n";
        result += ".B " + roff(line) + '\n';
    }
    return result;
}

}  // namespace

std::string man_page(const page& all, const std::string& version)
{
    std::string result =
        ".\\\" Made by the build from the option tables of pawl.\n"
        ".TH PAWL 1 \"\" \"" +
        roff(version) + "\" \"User Commands\"\n.SH NAME\npawl \\- " +
        "run commands under locks that span processes and machines\n"
        ".SH SYNOPSIS\n" +
        usage(all) + ".SH DESCRIPTION\n" + roff(all.summary) + "\n.SH OPTIONS\n" + options(all);
    for (const page& each : all.commands) result += command(each);
    for (const section& each : all.sections) {
        result += ".SH \"" + upper(each.title) + "\"\n" + blocks(each);
    }
    return result +
           ".SH SEE ALSO\n.BR flock (1),\n.BR redis\\-server (1),\n.BR crontab (5),\n"
           ".BR systemd.timer (5)\n";
}

}  // namespace pawl::cli
