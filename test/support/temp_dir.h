// A new directory that is deleted, with its contents, when its object is destroyed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pawl::test {

class temp_dir {
public:
    temp_dir();
    ~temp_dir();
    temp_dir(const temp_dir&) = delete;
    temp_dir& operator=(const temp_dir&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::string file(std::string_view name) const;

private:
    std::filesystem::path path_;
};

// The contents of a file. Empty if it does not exist.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace pawl::test
