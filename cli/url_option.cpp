#include "url_option.h"

#include "say.h"
#include "settings.h"
#include "usage.h"

#include <cstdlib>
#include <optional>

namespace pawl::cli {
namespace {

using named_url = setting<std::string>;

[[nodiscard]] std::string variable(const char* name)
{
    // NOLINTNEXTLINE(concurrency-mt-unsafe): pawl never changes its own environment.
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

[[nodiscard]] std::optional<named_url> url_outside_files(const server_options& given)
{
    if (given.url_option->count() > 0) return named_url{.value = given.url, .source = "--url"};
    std::string url = variable("PAWL_URL");
    if (url.empty()) return std::nullopt;
    return named_url{.value = std::move(url), .source = "PAWL_URL"};
}

[[nodiscard]] std::optional<setting<bool>> remote_outside_files(const server_options& given)
{
    if (given.require_remote) return setting<bool>{.value = true, .source = "--require-remote"};
    const std::string text = variable("PAWL_REQUIRE_REMOTE");
    if (text.empty()) return std::nullopt;
    const auto value = yes_or_no(text);
    if (!value) refuse("PAWL_REQUIRE_REMOTE is " + in_quotes(text) + " (allowed: yes, no)");
    return setting<bool>{.value = *value, .source = "PAWL_REQUIRE_REMOTE"};
}

[[nodiscard]] settings from_files(look_for wanted)
{
    try {
        return read_settings(settings_files(), wanted);
    } catch (const settings_error& mistake) {
        refuse(mistake.what());
    }
}

[[nodiscard]] bool is_local(const std::string& url)
{
    return url.starts_with("local:");
}

[[noreturn]] void refuse_local(const std::string& required_by, const std::optional<named_url>& url)
{
    refuse(required_by + " requires a server that other machines can reach, but " +
           (url ? url->source + " names " + url->value
                : "no server is named by --url, PAWL_URL or a settings file") +
           "; the lock would cover only this user's processes on this machine");
}

}  // namespace

void add_url(CLI::App& app, server_options& to)
{
    to.url_option = app.add_option("--url", to.url,
                                   "The server (default: $PAWL_URL, else that of a settings file, "
                                   "else local:, which covers only this user on this machine)")
                        ->type_name("URL");
}

void add_require_remote(CLI::App& app, server_options& to)
{
    app.add_flag("--require-remote", to.require_remote,
                 "Fail rather than use local:; also PAWL_REQUIRE_REMOTE=yes");
}

server_choice choose_server(const server_options& given, remote wanted,
                            const std::string& no_memory)
{
    auto url = url_outside_files(given);
    if (url && url->value.starts_with("memory:")) refuse(no_memory);
    auto required = remote_outside_files(given);
    if (!url || is_local(url->value)) {
        // Even if `local:` was given, any of the files may require a remote server.
        settings files = from_files(url ? look_for::everything : look_for::server);
        if (!url) url = std::move(files.url);
        if (!required) required = std::move(files.require_remote);
    }
    if (wanted == remote::as_required && required && required->value &&
        (!url || is_local(url->value))) {
        refuse_local(required->source, url);
    }
    if (!url) return {.url = "local:", .is_default = true};
    return {.url = std::move(url->value), .is_default = false};
}

void tell_default(const server_choice& chosen, const std::string& meaning)
{
    if (!chosen.is_default) return;
    say("neither --url nor PAWL_URL nor a settings file names a server: " + meaning);
}

}  // namespace pawl::cli
