#include "redis/password.h"

#include "common/unique_fd.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>

namespace pawl::redis {
namespace {

using password = std::variant<std::string, failure>;

failure refused(const std::string& what)
{
    return {failure_kind::refused, what};
}

password from_environment(const std::string& name)
{
    // NOLINTNEXTLINE(concurrency-mt-unsafe): safe unless another thread calls setenv().
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return refused("password_env: the variable " + name + " is not set");
    if (*value == '\0') return refused("password_env: the variable " + name + " is empty");
    return value;
}

password from_file(const std::string& path)
{
    const common::unique_fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat status{};
    if (!file || ::fstat(file.get(), &status) != 0) {
        return refused("password_file: '" + path + "' cannot be opened");
    }
    if (!S_ISREG(status.st_mode)) {
        return refused("password_file: '" + path + "' is not a regular file");
    }
    std::array<char, 4096> bytes{};
    const auto got = ::read(file.get(), bytes.data(), bytes.size());
    std::string line{bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
    line.resize(std::min(line.find_first_of("\r\n"), line.size()));
    if (line.empty()) {
        return refused("password_file: '" + path + "' cannot be read, or its first line is empty");
    }
    return line;
}

}  // namespace

password read_password(const server_config& config)
{
    if (!config.password_env.empty()) return from_environment(config.password_env);
    if (!config.password_file.empty()) return from_file(config.password_file);
    return config.password;
}

}  // namespace pawl::redis
