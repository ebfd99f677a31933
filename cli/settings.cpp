#include "settings.h"

#include "common/unique_fd.h"
#include "hide_password.h"
#include "say.h"
#include "server_url.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

namespace pawl::cli {
namespace {

using std::filesystem::path;

constexpr const char* system_file = "/etc/pawl.conf";
constexpr const char* file_name = "pawl.conf";

constexpr std::array file_keys{"password_file", "ca_file", "cert_file", "key_file"};
constexpr const char* all_keys = "url, password_file, ca_file, cert_file, key_file, require_remote";

// NOLINTBEGIN(concurrency-mt-unsafe): pawl never changes its own environment.
[[nodiscard]] std::string variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}
// NOLINTEND(concurrency-mt-unsafe)

[[nodiscard]] std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r";
    const auto first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// For the value of a URL's parameter.
[[nodiscard]] std::string percent_encoded(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-";
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (plain.find(c) != plain.npos) {
            result += c;
        } else {
            result += {'%', digits[byte / 16], digits[byte % 16]};
        }
    }
    return result;
}

// With a quorum, the parameter is for each node.
void add_parameter(std::string& url, const std::string& parameter)
{
    std::string whole;
    for (const std::string& node : node_urls(url)) {
        if (!whole.empty()) whole += ',';
        whole += node;
        whole += node.find('?') == node.npos ? '?' : '&';
        whole += parameter;
    }
    url = (is_quorum(url) ? std::string{quorum_scheme} : "") + whole;
}

struct contents {
    std::string text;
    mode_t mode{};
};

[[noreturn]] void refuse_file(const path& file, const std::string& why)
{
    throw settings_error{file.string() + ": " + why};
}

[[noreturn]] void refuse_file(const path& file, int error)
{
    refuse_file(file, "cannot be read: " + std::generic_category().message(error));
}

// After an attempt to open the file failed: whether this process must treat it as absent.
[[nodiscard]] bool is_absent(const path& file, int error)
{
    if (error == ENOENT || error == ENOTDIR) return true;
    // HOME may be another user's (sudo -E, su -m, ProtectHome= of systemd). If its directory may
    // not be searched, no file in it was meant for this process.
    struct stat status{};
    return error == EACCES && ::stat(file.c_str(), &status) != 0 && errno == EACCES;
}

[[nodiscard]] std::string read_to_end(const common::unique_fd& from, const path& file)
{
    constexpr std::size_t longest = 65'536;
    std::string text;
    std::array<char, 4096> bytes{};
    for (;;) {
        const ssize_t got = ::read(from.get(), bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) refuse_file(file, errno);
        if (got == 0) return text;
        text.append(bytes.data(), static_cast<std::size_t>(got));
        if (text.size() > longest)
            refuse_file(file, "more than 64 KiB: this is not a settings file");
    }
}

// Nothing if the file does not exist.
[[nodiscard]] std::optional<contents> read_whole(const settings_file& file)
{
    const path& where = file.where;
    // An unexpected pipe must not block pawl, not even in open().
    const int flags = O_RDONLY | O_CLOEXEC | (file.may_be_pipe ? 0 : O_NONBLOCK);
    const common::unique_fd from{::open(where.c_str(), flags)};
    if (from.get() < 0) {
        const int error = errno;
        if (is_absent(where, error)) return std::nullopt;
        refuse_file(where, error);
    }
    struct stat status{};
    if (::fstat(from.get(), &status) != 0) refuse_file(where, errno);
    const bool is_pipe = S_ISFIFO(status.st_mode);
    if (is_pipe && !file.may_be_pipe) {
        refuse_file(where, "this is a pipe; only PAWL_CONFIG may name one");
    }
    contents result{.text = read_to_end(from, where), .mode = status.st_mode};
    // The program that writes into the pipe has failed.
    if (is_pipe && result.text.empty()) refuse_file(where, "this pipe was empty");
    return result;
}

// A key, or the scheme of a URL. Any other text may be a password in the wrong place, and is not
// shown.
[[nodiscard]] bool is_name(std::string_view text)
{
    constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    return !text.empty() && text.find_first_not_of(allowed) == text.npos;
}

// Reads one file, line by line.
class reader {
public:
    explicit reader(const path& file) : file_{file.string()} {}

    [[nodiscard]] settings read(const contents& from)
    {
        std::istringstream lines{from.text};
        for (std::string line; std::getline(lines, line);) {
            ++line_;
            const std::string_view text = trimmed(line);
            if (!text.empty() && text.front() != '#') take(text);
        }
        return finish(from.mode);
    }

private:
    struct place {
        std::string value;
        int line;
    };

    [[noreturn]] void refuse(const std::string& what) const { refuse(line_, what); }
    [[noreturn]] void refuse(int line, const std::string& what) const
    {
        throw settings_error{at(line) + ": " + without_passwords(what)};
    }
    [[nodiscard]] std::string at(int line) const
    {
        return file_ + ", line " + std::to_string(line);
    }

    void take(std::string_view text)
    {
        const auto equals = text.find('=');
        const std::string key{trimmed(text.substr(0, equals))};
        // The line itself is not shown: it may be "password SECRET".
        if (equals == text.npos || !is_name(key)) refuse("this line is not KEY = VALUE");
        const std::string value{trimmed(text.substr(equals + 1))};
        check(key, value);
        const auto [known, is_new] = found_.emplace(key, place{value, line_});
        if (!is_new) refuse(key + " is already in line " + std::to_string(known->second.line));
    }

    void check(const std::string& key, const std::string& value) const
    {
        if (key == "url") {
            check_url(value);
        } else if (key == "require_remote") {
            if (!yes_or_no(value)) refuse(key + " is " + in_quotes(value) + " (allowed: yes, no)");
        } else if (std::ranges::find(file_keys, key) != file_keys.end()) {
            // The value is not shown: it may be the password.
            if (!value.starts_with('/')) refuse(key + " is not an absolute path");
        } else {
            refuse("unknown key " + in_quotes(key) + " (allowed: " + all_keys + ")");
        }
    }

    void check_url(const std::string& value) const
    {
        const bool is_local = value == "local:" || value.starts_with("local:?");
        const bool is_here = is_local || value.starts_with("unix:/");
        if (is_here || is_quorum(value) || begins_as_remote(value)) return;
        // Only the scheme is shown: the rest may contain a password.
        const std::string scheme = value.substr(0, value.find(':'));
        const bool has_scheme = scheme.size() < value.size() && is_name(scheme);
        refuse(
            "url " + (has_scheme ? "begins with " + in_quotes(scheme + ":") : "is not a URL") +
            " (allowed: redis://HOST[:PORT][/DB], rediss://HOST[:PORT][/DB], unix:/PATH, local:, "
            "redis+sentinel://HOST[:PORT],…/SERVICE[/DB], redis+cluster://HOST[:PORT],…, "
            "redlock:URL,URL,URL)");
    }

    [[nodiscard]] settings finish(mode_t mode) const
    {
        settings result;
        if (const auto remote = found_.find("require_remote"); remote != found_.end()) {
            result.require_remote = {.value = *yes_or_no(remote->second.value),
                                     .source = at(remote->second.line)};
        }
        const auto url = found_.find("url");
        if (url != found_.end()) {
            check_secrecy(url->second, mode);
            result.url = {.value = url->second.value, .source = at(url->second.line)};
        }
        for (const char* key : file_keys) {
            const auto file = found_.find(key);
            if (file == found_.end()) continue;
            if (!result.url) {
                refuse(file->second.line, std::string{key} + " needs a url in the same file");
            }
            add_parameter(result.url->value, key + ('=' + percent_encoded(file->second.value)));
        }
        return result;
    }

    void check_secrecy(const place& url, mode_t mode) const
    {
        const bool others_can_read = (mode & (S_IRGRP | S_IROTH)) != 0;
        if (!others_can_read || std::ranges::none_of(node_urls(url.value), has_password)) return;
        refuse(url.line,
               "the url contains a password, and other users can read this file: chmod 600 " +
                   file_ + ", or put the password into a file that password_file names");
    }

    std::string file_;
    int line_ = 0;
    std::map<std::string, place> found_;
};

template <class Value>
void prefer_first(std::optional<Value>& first, std::optional<Value>& second)
{
    if (!first) first = std::move(second);
}

}  // namespace

std::vector<settings_file> settings_files()
{
    if (const std::string only = variable("PAWL_CONFIG"); !only.empty()) {
        if (::access(only.c_str(), F_OK) != 0) {
            throw settings_error{"PAWL_CONFIG: there is no file " + in_quotes(only)};
        }
        return {{only, true}};
    }
    std::vector<settings_file> files;
    // The XDG Base Directory Specification says to ignore a relative path.
    path home = variable("XDG_CONFIG_HOME");
    if (!home.is_absolute()) {
        const path user = variable("HOME");
        home = user.is_absolute() ? user / ".config" : path{};
    }
    if (!home.empty()) files.emplace_back(home / file_name);
    files.emplace_back(system_file);
    return files;
}

settings read_settings(const std::vector<settings_file>& files, look_for wanted)
{
    settings result;
    for (const settings_file& file : files) {
        const auto text = read_whole(file);
        if (!text) continue;
        settings found = reader{file.where}.read(*text);
        prefer_first(result.url, found.url);
        prefer_first(result.require_remote, found.require_remote);
        const bool found_server = result.url && !result.url->value.starts_with("local:");
        if (found_server && wanted == look_for::server) break;
    }
    return result;
}

std::optional<bool> yes_or_no(std::string_view text)
{
    std::string lower{text};
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    for (const std::string_view word : {"yes", "on", "true", "1"}) {
        if (lower == word) return true;
    }
    for (const std::string_view word : {"no", "off", "false", "0"}) {
        if (lower == word) return false;
    }
    return std::nullopt;
}

}  // namespace pawl::cli
