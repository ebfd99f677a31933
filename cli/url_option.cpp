#include "url_option.h"

#include "usage.h"

#include <cstdlib>

namespace pawl::cli {

CLI::Option* add_url(CLI::App& app, std::string& url)
{
    return app
        .add_option("--url", url, "The server; else $PAWL_URL, else local: (this machine only)")
        ->type_name("URL");
}

bool take_url(const CLI::Option& option, std::string& url, const std::string& no_memory)
{
    bool is_default = false;
    if (option.count() == 0) {
        const char* from_environment = std::getenv("PAWL_URL");
        is_default = from_environment == nullptr || *from_environment == '\0';
        url = is_default ? "local:" : from_environment;
    }
    if (url.starts_with("memory:")) refuse(no_memory);
    return is_default;
}

}  // namespace pawl::cli
