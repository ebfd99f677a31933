#include "formats.h"

namespace pawl::cli {

value_kind kind_of(const option_row& option)
{
    if (option.argument.empty()) return value_kind::none;
    if (option.argument == "FILE") return value_kind::file;
    if (option.argument == "COMMAND" || option.argument == "STRING") return value_kind::command;
    return value_kind::text;
}

bool takes_command(const page& page)
{
    return last_word(page.name) == "run" || last_word(page.name) == "once";
}

}  // namespace pawl::cli
