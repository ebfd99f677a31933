// pawl_manual DIRECTORY: writes the manual page and the completions there. It is part of the build
// and is not installed.
#include "formats.h"
#include "main_page.h"
#include "usage.h"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace {

void write(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream to{file, std::ios::binary};
    to << text;
    if (!to.flush()) throw std::runtime_error{"cannot write " + file.string()};
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        if (argc != 2) throw std::runtime_error{"usage: pawl_manual DIRECTORY"};
        const std::filesystem::path directory{argv[1]};
        const pawl::cli::page all = pawl::cli::main_page();
        write(directory / "pawl.1", man_page(all, pawl::cli::version_text()));
        write(directory / "pawl.bash", bash_completion(all));
        write(directory / "_pawl", zsh_completion(all));
        write(directory / "pawl.fish", fish_completion(all));
        return EXIT_SUCCESS;
    } catch (const std::exception& problem) {
        std::cerr << "pawl_manual: " << problem.what() << '\n';
        return EXIT_FAILURE;
    }
}
