// The settings files: which server to use, and whether local: is allowed.
//
// A file has lines KEY = VALUE. Empty lines and lines that begin with # are ignored.
//
//   url             the server, as for --url
//   password_file   these four apply to the url of the same file only: a password never goes to
//   ca_file         a server that was named elsewhere
//   cert_file
//   key_file
//   require_remote  yes or no, like --require-remote
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::cli {

// The message names the file, the line, and what is allowed. It contains no password.
class settings_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

template <class Value>
struct setting {
    Value value;
    std::string source;  // "/etc/pawl.conf, line 3"
};

struct settings {
    // With the four files above as parameters; those of a quorum, for each node.
    std::optional<setting<std::string>> url;
    std::optional<setting<bool>> require_remote;
};

struct settings_file {
    // Implicit: most callers have only a path.
    // NOLINTNEXTLINE(google-explicit-constructor)
    settings_file(std::filesystem::path file, bool pipe_is_allowed = false)
        : where{std::move(file)}, may_be_pipe{pipe_is_allowed}
    {
    }

    std::filesystem::path where;
    // The user named this file: PAWL_CONFIG=<(decrypt FILE). pawl waits for the writer.
    bool may_be_pipe;
};

// The files to read, the most important first: only the file of $PAWL_CONFIG, or the user's and the
// system's file. Throws settings_error if the file of $PAWL_CONFIG does not exist.
[[nodiscard]] std::vector<settings_file> settings_files();

// With look_for::server, the files after the first one that names a server other than `local:` are
// not read: they cannot change the result. Such a server also satisfies require_remote.
enum class look_for { server, everything };

// Each setting comes from the first file that has it. A file that does not exist, or whose
// directory may not be searched, is skipped. A file that cannot be read or has a mistake throws
// settings_error: otherwise pawl would use another server than the user believes.
[[nodiscard]] settings read_settings(const std::vector<settings_file>& files,
                                     look_for wanted = look_for::everything);

// yes, on, true, 1; no, off, false, 0; in upper or lower case.
[[nodiscard]] std::optional<bool> yes_or_no(std::string_view text);

}  // namespace pawl::cli
