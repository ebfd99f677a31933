// What the settings files say: which server to use, and whether local: will do.
//
// A file has lines KEY = VALUE; empty lines and those that begin with # say nothing.
//
//   url             the server, as for --url
//   password_file   these four belong to the url of the same file, and are used with no other: a
//   ca_file         password never goes to a server that was named elsewhere
//   cert_file
//   key_file
//   require_remote  yes or no, as --require-remote
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::cli {

// Names the file, the line, and what is allowed. Has no password in it.
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
    std::optional<setting<std::string>> url;  // with the files of its settings file as parameters
    std::optional<setting<bool>> require_remote;
};

struct settings_file {
    // Implicit: a path is all that most callers have to say.
    // NOLINTNEXTLINE(google-explicit-constructor)
    settings_file(std::filesystem::path file, bool pipe_is_allowed = false)
        : where{std::move(file)}, may_be_pipe{pipe_is_allowed}
    {
    }

    std::filesystem::path where;
    // The user asked for this very file: PAWL_CONFIG=<(decrypt FILE). pawl waits for who writes.
    bool may_be_pipe;
};

// The files to read, the most important one first: that of $PAWL_CONFIG only, or else the user's and
// the system's. Throws settings_error if $PAWL_CONFIG names none.
[[nodiscard]] std::vector<settings_file> settings_files();

// For a server, files after the first one that names a server other than `local:` are not read: they
// cannot change anything. That server also does what require_remote asks for.
enum class look_for { server, everything };

// Of each setting what the first file says that has it. A file that is not there, or whose directory
// may not be searched, says nothing; but one that cannot be read, or has a mistake in it, throws
// settings_error: pawl would use another server than the user believes.
[[nodiscard]] settings read_settings(const std::vector<settings_file>& files,
                                     look_for wanted = look_for::everything);

// yes, on, true, 1; no, off, false, 0; in upper or lower case.
[[nodiscard]] std::optional<bool> yes_or_no(std::string_view text);

}  // namespace pawl::cli
