#include "support/temp_dir.h"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <stdlib.h>
#include <system_error>

namespace pawl::test {

temp_dir::temp_dir()
{
    // Short, because the path of a Unix socket in it must fit into 108 bytes.
    std::string name = (std::filesystem::temp_directory_path() / "pawl-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::system_error{errno, std::generic_category(), "mkdtemp " + name};
    }
    path_ = name;
}

temp_dir::~temp_dir()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string temp_dir::file(std::string_view name) const
{
    return (path_ / name).string();
}

std::string read_file(const std::filesystem::path& path)
{
    std::ifstream in{path, std::ios::binary};
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void write_file(const std::filesystem::path& path, std::string_view text)
{
    std::ofstream out{path, std::ios::binary | std::ios::trunc};
    out << text;
    out.close();
    if (!out) throw std::runtime_error{"cannot write " + path.string()};
}

}  // namespace pawl::test
